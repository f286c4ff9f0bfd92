import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import Logging

extension ReportRoutes {
    struct Unasked: Error {}

    /// Routes of which only the one of reports without a name is asked.
    init(
        logger: Logger,
        report: @escaping @Sendable (ReportRequest, LedgerLimits) async throws -> Report
    ) {
        self.init(logger: logger, report: report) { _, _ in throw Unasked() }
    }
}

extension Report {
    /// A report of an empty store.
    static func empty(_ request: ReportRequest) -> Report {
        Report(
            request: request,
            answer: LedgerAnswer(
                rows: LedgerRows([]), totals: Counts(), deliveries: DeliveryCounts(),
                position: LedgerPosition(store: "65322e1f", last: 0, check: nil), recordedAtMilliseconds: nil),
            programVersion: nil)
    }
}
