package import Attribution

/// Reads a store of postbacks and changes nothing; any number of readers may.
///
/// Each answer is of one snapshot. ``SQLiteLedgerReader`` reads a file of SQLite; `PostgreSQLLedgerReader` a database.
package protocol LedgerReading: DestinationReading {
    /// Answers a question; cancelling the task ends the work.
    func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer

    /// The deliveries received in a time range, as of now.
    ///
    /// - Parameters:
    ///   - received: The time of receipt in Unix milliseconds, extended to whole quarter hours; nil for all.
    ///   - inBackground: Whether reading works in turns.
    /// - Returns: The counts.
    /// - Throws: ``StoreError``.
    func deliveries(received: Range<Int64>?, inBackground: Bool) async throws -> DeliveryCounts

    /// What is known of the ads of some days, as of now; cancelling the task ends the work.
    func costs(_ question: AdCostQuestion) async throws -> AdCosts

    /// Recorded postbacks in the order of their ids.
    func postbacks(_ query: PostbackQuery) async throws -> [RecordedPostback]

    /// Hands out a page of recorded postbacks; whoever goes on from its position gets every postback once, also those
    /// recorded meanwhile.
    ///
    /// - Throws: ``LedgerQuestionError`` for a position that is none of this store's, and ``StoreError``.
    func export(_ query: ExportQuery) async throws -> ExportPage

    /// Deliveries in the quarantine, in the order of their ids.
    func quarantine(_ query: QuarantineQuery) async throws -> [QuarantinedDelivery]

    /// How much there is of each class.
    func quarantineTotals() async throws -> [QuarantineTotal]

    /// Reads everything again from the raw bytes, and changes nothing.
    func recount(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> Recount

    /// The keys added to Apple's that writers kept; see ``LedgerWriting/keep(_:)``.
    func appleKeys() async throws -> [AppleKeyRecord]

    /// Closes the connections; a later question opens new ones.
    func close()
}
