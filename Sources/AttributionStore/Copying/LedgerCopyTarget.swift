/// A store that another one is copied into.
///
/// Each method is one transaction. What was copied, and from where, is kept in the store itself, so that a copy that was
/// stopped goes on where it was; and the store may receive postbacks of its own meanwhile.
package protocol LedgerCopyTarget: Sendable {
    /// Begins a copy, or resumes the one there was.
    ///
    /// - Parameter store: The name of the source in its positions.
    /// - Returns: How far it was copied before.
    /// - Throws: ``LedgerCopyError/same(path:)`` when the target is the source, ``LedgerCopyError/notEmpty(path:)`` when
    ///   there is something that came from elsewhere before the first copy, and ``StoreError``.
    func beginCopy(of store: String) throws -> LedgerCopyProgress

    /// Takes postbacks over, each once; one whose id this store claimed for itself was counted elsewhere, and counts here
    /// as a repeat.
    ///
    /// - Parameters:
    ///   - page: Postbacks in the order of the source.
    ///   - progress: How far the source was copied before.
    /// - Returns: How far it is copied now, and which postbacks are which.
    /// - Throws: ``LedgerCopyError/overtaken(path:)`` when another copy did some meanwhile, and ``StoreError``.
    func copy(_ page: CopiedPage, after progress: LedgerCopyProgress) throws -> (LedgerCopyProgress, [CopiedRun])

    /// Makes a part of the quarantine what it is in the source, except for what was made of it here.
    ///
    /// - Returns: How many deliveries were added.
    /// - Throws: ``StoreError``.
    func copyQuarantine(_ page: CopiedQuarantine) throws -> Int64

    /// Takes over when other recipients' first copies came, under the ids of this store, but for copies for the recipient
    /// that this store recorded itself.
    ///
    /// - Throws: ``StoreError``.
    func copyRecipients(_ copies: [RecipientCopy]) throws

    /// The deliveries copied into the quarantine that were judged again here; see ``MovedDelivery``.
    ///
    /// - Returns: Their ids in the source.
    /// - Throws: ``StoreError``.
    func movedDeliveries(of store: String) throws -> [Int64]

    /// Adds to the counts of deliveries what they have grown by in the source, but for recorded postbacks, which were
    /// counted when they were copied, and for what was made here of the same deliveries.
    ///
    /// - Throws: ``StoreError``.
    func copyDeliveries(_ snapshot: DeliverySnapshot, of store: String) throws

    /// Claims the ids of postbacks that were counted before the source.
    ///
    /// - Throws: ``StoreError``.
    func copyKnownIDs(_ ids: [KnownID]) throws

    /// Takes over how far files were imported; one that is known as read further stays so.
    ///
    /// - Throws: ``StoreError``.
    func copyImportedFiles(_ files: [ImportedFile]) throws

    /// Takes over signed ads, each line of which counts once, and spend, in place of other amounts.
    ///
    /// - Throws: ``StoreError``; then nothing of it was taken.
    func copyCosts(_ table: AdCostTable) throws

    /// Takes the networks that are ours over, unless this store knows some.
    ///
    /// - Throws: ``StoreError``.
    func copyNetworks(_ networks: [String]) throws

    /// Whether bytes that are not there were dropped on purpose, with others of their time.
    ///
    /// - Parameter recordedAtMilliseconds: When their postback was recorded, in Unix milliseconds.
    /// - Returns: Whether they were; false for bytes that are lost.
    /// - Throws: ``StoreError``.
    func hasDroppedBodies(recordedAt recordedAtMilliseconds: Int64) throws -> Bool

    /// A reader of this store, which the caller closes.
    ///
    /// - Throws: ``StoreError``.
    func makeReader() throws -> any LedgerReading
}
