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
    func importedFiles(upTo bytes: Int64) throws -> [ImportedFile]

    /// Claims the ids of postbacks that were counted elsewhere, in one transaction.
    func claim(_ ids: [KnownID]) throws -> Int
}

/// A file that was imported, and how far: so that an import that was stopped goes on, and one that is repeated changes
/// nothing.
package struct ImportedFile: Hashable, Sendable {
    /// SHA-256 of its bytes.
    package let digest: [UInt8]
    /// How many bytes it has.
    package let bytes: Int64
    /// How many of its records were read.
    package var records: Int64

    package init(digest: [UInt8], bytes: Int64, records: Int64) {
        self.digest = digest
        self.bytes = bytes
        self.records = records
    }
}

/// What became of a delivery that was imported.
package enum ImportedDelivery: Hashable, Sendable {
    /// It was recorded or kept, and counted.
    case made(Recording)
    /// It is the very delivery that is in the store: nothing was changed.
    case known
    /// It may be a postback of a version or key not known yet, and there was no room to keep it.
    case notKept
}

/// The id of a postback that was counted before the store was made, whose bytes nobody has any more.
///
/// It claims the id, so that a device's repeat is not counted a second time, and never counts itself. Letter case does
/// not matter, for other systems rarely keep it; nor does whose key verified the postback.
package struct KnownID: Hashable, Sendable {
    /// What is stored of it.
    package let digest: Digest16

    package init(digest: Digest16) {
        self.digest = digest
    }

    /// Names a postback.
    ///
    /// - Parameters:
    ///   - network: `ad-network-id` or `ad-network-identifier`.
    ///   - transaction: `transaction-id` or `postback-identifier`.
    ///   - sequenceIndex: `postback-sequence-index`; nil for a postback of a version without one, which is taken for
    ///     the first window's.
    package init(network: String, transaction: String, sequenceIndex: Int64? = nil) {
        var digester = PostbackDigester()
        digest = digester.digest(of: [
            "known-id", network.lowercased(), transaction.lowercased(), "\(sequenceIndex ?? 0)",
        ])
    }

    package init(_ key: PostbackKey) {
        self.init(
            network: key.adNetworkID.text, transaction: key.transactionID.text, sequenceIndex: key.sequenceIndex)
    }
}
