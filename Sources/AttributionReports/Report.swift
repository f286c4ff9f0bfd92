public import Attribution

/// A report: rows, their sum, and what became of the deliveries of the same days.
public struct Report: Sendable {
    /// What was asked.
    public let request: ReportRequest
    /// One row for each combination of dimension values, in their order.
    public let rows: [TallyRow]
    /// The sum of the rows.
    public let totals: Metrics
    /// The deliveries of the period, not filtered: what is in quarantine has no proven dimensions.
    public let deliveries: DeliveryCounts

    /// Makes a report from its parts.
    package init(request: ReportRequest, rows: [TallyRow], deliveries: DeliveryCounts) {
        self.request = request
        self.rows = rows
        totals = rows.reduce(into: Metrics()) { $0 += $1.metrics }
        self.deliveries = deliveries
    }
}
