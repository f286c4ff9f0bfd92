package import Attribution
package import AttributionStore

/// A report: rows, their sum, and what became of the deliveries of the same days.
package struct Report: Sendable {
    /// What was asked.
    package let request: ReportRequest
    /// The rows shown, sorted as asked.
    package let rows: ReportRows
    /// How many more rows there are, which ``ReportRequest/top`` leaves out.
    package let omittedRows: Int
    /// The sum of all rows, also of those left out.
    package let totals: Counts
    /// The deliveries of the days as of now, not filtered: what is in quarantine has no proven dimensions.
    package let deliveries: DeliveryCounts
    /// Up to where postbacks were counted; nil for a report that no store gave.
    package let position: LedgerPosition?
    /// When the last of them was recorded, in Unix milliseconds; nil when there is none.
    package let recordedAtMilliseconds: Int64?
    /// Values asked for that no recorded postback has.
    package let unseen: [LedgerAnswer.UnseenValue]
    /// How many postbacks were counted from their bytes, for their columns are damaged; the figures are right.
    package let recomputedCount: Int64
    /// How many recorded postbacks cannot be read, and so are in no figure.
    package let unreadableCount: Int
    /// The version of the program that made it; nil when it does not say.
    package let programVersion: String?

    /// Makes a report from what the ledger answered.
    init(request: ReportRequest, answer: LedgerAnswer, programVersion: String?) {
        self.request = request
        rows = ReportRows(answer.rows, request)
        omittedRows = answer.rows.count - rows.count
        totals = answer.totals
        deliveries = answer.deliveries
        position = answer.position
        recordedAtMilliseconds = answer.recordedAtMilliseconds
        unseen = answer.unseen
        recomputedCount = answer.damaged.reduce(0) { $0 + Int64($1.count) }
        unreadableCount = answer.unreadableCount
        self.programVersion = programVersion
    }

    /// Makes a report from counts that no store gave, as a plan of traffic expects it.
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

    /// What is wrong with the store, for whoever reads the report.
    package var warnings: [String] {
        var warnings: [String] = []
        if unreadableCount > 0 {
            warnings.append(
                "recorded postbacks that cannot be read and are not counted: \(unreadableCount); recount names them")
        }
        if recomputedCount > 0 {
            warnings.append(
                "the columns of \(recomputedCount) postbacks are damaged; these were counted from their bytes, which is "
                    + "slower and gives the same figures")
        }
        if deliveries.areIncomplete {
            warnings.append("some counts of deliveries are damaged and left out; recount names them")
        }
        return warnings
    }

    /// The figures shown where every one has a form, in order.
    var columns: [ReportColumn] {
        request.columns ?? ReportColumn.all
    }

    /// The figures shown where cells hold one number each.
    var singleColumns: [ReportColumn] {
        request.columns ?? ReportColumn.single
    }
}
