public import Attribution

/// Where postbacks are recorded, each verified one once and for ever, and from which reports are read.
///
/// Every method is one transaction; what it returns is durable.
public protocol PostbackLedger: Sendable {
    /// Records a batch: postbacks, quarantine, tallies and delivery counts together or not at all.
    ///
    /// - Parameter deliveries: Judged deliveries in the order received.
    /// - Returns: What became of each, in the same order, after the commit.
    /// - Throws: When nothing of the batch was recorded.
    func record(_ deliveries: [Delivery]) async throws -> [Recording]

    /// Records a batch as ``record(_:)`` does, on the calling thread, which must be the caller's own.
    ///
    /// - Parameter deliveries: Judged deliveries in the order received.
    /// - Returns: What became of each, in the same order, after the commit.
    /// - Throws: When nothing of the batch was recorded.
    func recordBlocking(_ deliveries: [Delivery]) throws -> [Recording]

    /// Counts recorded postbacks; rows in no particular order, none or one of zeros where there is nothing.
    func tallies(_ query: TallyQuery) async throws -> [TallyRow]

    /// Counts deliveries.
    ///
    /// - Parameter received: When they were received, in Unix milliseconds, to the quarter of an hour; nil for ever.
    /// - Returns: The counts by kind.
    /// - Throws: What the store reports.
    func deliveries(received: Range<Int64>?) async throws -> DeliveryCounts

    /// Times, in Unix milliseconds, between which every recorded postback was received, to the quarter of an hour; nil
    /// when there is none.
    func receiptBounds(_ provenance: Provenance) async throws -> ClosedRange<Int64>?

    /// Tallies every recorded postback again from its raw bytes and compares the result with the stored tallies.
    ///
    /// - Parameters:
    ///   - repair: Whether to put the result in place of the stored tallies when they differ.
    ///   - judge: Reads and verifies the raw bytes again.
    /// - Returns: What was read and how it differs.
    /// - Throws: What the store reports; then nothing was changed.
    func recount(repair: Bool, judge: @escaping @Sendable ([UInt8]) -> Judgement) async throws -> Recount
}
