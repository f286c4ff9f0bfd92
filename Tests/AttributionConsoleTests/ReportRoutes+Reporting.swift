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
