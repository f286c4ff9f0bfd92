package import Attribution
package import AttributionStore

/// A report: rows, their totals, and the deliveries of the same days.
package struct Report: Sendable {
    /// The request.
    package let request: ReportRequest
    /// The rows shown, in the requested order.
    package let rows: ReportRows
    /// How many rows ``ReportRequest/top`` omits.
    package let omittedRows: Int
    /// The sum of all rows, including omitted ones.
    package let totals: Counts
    /// The deliveries of the days as of now; unfiltered, because quarantined deliveries have no proven dimensions.
    package let deliveries: DeliveryCounts
    /// The position up to which postbacks were counted; nil for a report without a store.
    package let position: LedgerPosition?
    /// When the last postback of the store was recorded, in Unix milliseconds; nil if there is none, and for a limited
    /// request.
    package let recordedAtMilliseconds: Int64?
    /// Values in the filters that no recorded postback has.
    package let unseen: [LedgerAnswer.UnseenValue]
    /// How many postbacks were counted without columns because theirs are damaged; the figures are correct.
    package let recomputedCount: Int64
    /// How many recorded postbacks cannot be read and are not counted.
    package let unreadableCount: Int
    /// The version of the program that made it; nil if unknown.
    package let programVersion: String?

    /// Creates a report from the ledger's answer.
    init(request: ReportRequest, answer: LedgerAnswer, programVersion: String?) {
        self.request = request
        rows = ReportRows(answer.rows, request)
        omittedRows = answer.rows.count - rows.count
        totals = answer.totals
        deliveries = answer.deliveries
        position = answer.position
        recordedAtMilliseconds = request.isLimited ? nil : answer.recordedAtMilliseconds
        unseen = answer.unseen(by: request)
        recomputedCount = answer.damaged.reduce(0) { $0 + Int64($1.count) }
        unreadableCount = answer.unreadableCount
        self.programVersion = programVersion
    }

    /// Creates a report without a store, for example the one that a traffic plan expects.
    package init(request: ReportRequest, rows: [LedgerRow], deliveries: DeliveryCounts) {
        self.request = request
        self.rows = ReportRows(LedgerRows(rows), request)
        omittedRows = rows.count - self.rows.count
        totals = rows.reduce(into: Counts()) { $0 += $1.counts }
        self.deliveries = deliveries
        position = nil
        recordedAtMilliseconds = nil
        unseen = []
        recomputedCount = 0
        unreadableCount = 0
        programVersion = nil
    }

    /// Problems of the store that affect the report.
    package var warnings: [String] {
        StoreProblems(
            unreadableCount: unreadableCount, recomputedCount: recomputedCount,
            hasDamagedDeliveries: deliveries.areIncomplete
        ).warnings
    }

    /// Whether deliveries are shown; they are those of all networks.
    var showsDeliveries: Bool {
        !request.isLimited
    }

    /// What became of the deliveries, in words; nothing where they are not shown.
    var deliveryLines: [String] {
        showsDeliveries ? deliveries.lines(areUntilNow: request.asOf != nil) : []
    }

    /// The figures shown in JSON.
    var columns: [ReportColumn] {
        request.columns ?? ReportColumn.all
    }

    /// The figures shown in tables, where a cell holds one number.
    package var singleColumns: [ReportColumn] {
        request.columns ?? ReportColumn.single
    }
}

extension LedgerAnswer {
    /// The values that no recorded postback has, as far as who asks may know: other networks may have the rest.
    func unseen(by request: ReportRequest) -> [UnseenValue] {
        request.isLimited ? unseen.filter { $0.dimension == .network } : unseen
    }
}
