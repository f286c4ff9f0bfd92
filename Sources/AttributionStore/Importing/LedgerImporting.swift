package import Attribution

/// A store that takes in deliveries of the past, with the times at which they were received.
package protocol LedgerImporting: LedgerWriting {
    /// Records deliveries of the past in one transaction, together with how far their file was read.
    ///
    /// A delivery that is in the store, received by the same recipient at the same moment, changes nothing. Everything
    /// else is as with ``LedgerWriting/record(_:)``.
    ///
    /// - Parameters:
    ///   - deliveries: Judged deliveries in the order of their file.
    ///   - file: How far the file was read with them; nil where that is not kept.
    /// - Returns: What became of each, in the same order, after the commit.
    /// - Throws: ``StoreError``; then nothing is noted of the file.
    func record(_ deliveries: [Delivery], importing file: ImportedFile?) throws -> [ImportedDelivery]

    /// How far files of at most some size were read, the smallest first.
    ///
    /// - Throws: ``StoreError``.
    func importedFiles(upTo bytes: Int64) throws -> [ImportedFile]

    /// Claims the ids of postbacks that were counted elsewhere, in one transaction.
    ///
    /// - Parameter ids: The ids.
    /// - Returns: How many of them were not claimed before.
    /// - Throws: ``StoreError``; then none was.
    func claim(_ ids: [KnownID]) throws -> Int
}
