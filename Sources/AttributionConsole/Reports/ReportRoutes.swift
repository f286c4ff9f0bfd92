import Attribution
package import AttributionReports
package import AttributionStore
import CodedErrors
import FoundationEssentials
import HTTPTypes
import Hummingbird
package import Logging
import StrictJSON

/// The same reports as the command line's.
///
/// One is counted at a time while others wait, so that reports leave the processors to the postbacks. A client that
/// disconnects cancels its report.
package struct ReportRoutes: ConsoleRoutes {
    /// How long counting may take.
    static let deadline = Duration.seconds(30)

    private let report: @Sendable (ReportRequest, LedgerLimits) async throws -> Report
    private let queue: ReportQueue
    private let failures: RouteFailures

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - logger: Logs problems.
    ///   - queue: Where reports wait for each other.
    ///   - report: Answers a request within limits, and ends early when its task is cancelled.
    package init(
        logger: Logger,
        queue: ReportQueue = ReportQueue(),
        report: @escaping @Sendable (ReportRequest, LedgerLimits) async throws -> Report
    ) {
        self.queue = queue
        self.report = report
        failures = RouteFailures("report failed", unexpected: .storeFailed, logger: logger)
    }

    /// `/v1/report`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.report) { request, context in
                var response = await answer(request, context)
                // Watching for a disconnect consumes further input, so there can be no next request.
                response.headers[.connection] = "close"
                return response
            }
        ]
    }

    private func answer(_ request: Request, _ context: ConsoleContext) async -> Response {
        do {
            let query = try ReportQuery(request, nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            try context.authorize(query.networks)
            return try await request.body.consumeWithCancellationOnInboundClose { _ in
                // Rendered within the queue and in the background, too: the text of a large report takes more memory
                // than counting it, and figures are computed while rendering.
                try await queue.run {
                    let counted = try await report(
                        query.request, LedgerLimits(deadline: Self.deadline, isBackground: true))
                    counted.warnings.forEach { failures.note($0) }
                    return try await BackgroundWork.run { Self.response(counted, query.format) }
                }
            }
        } catch {
            return failures.response(to: error)
        }
    }

    private static func response(_ report: Report, _ format: ReportFormat) -> Response {
        var response = Response.text(.ok, format.mediaType, report.rendered(as: format))
        response.headers[.vary] = "Accept"
        if let position = report.position, let name = HTTPField.Name("Skan-Position") {
            // For the formats that do not include the position.
            response.headers[name] = position.description
        }
        if !report.warnings.isEmpty, let name = HTTPField.Name("Skan-Warning") {
            response.headers[name] = report.warnings.joined(separator: "; ")
        }
        if format == .csv {
            let days = [report.request.from, report.request.through].compactMap { $0?.description }
            let name = (["skan-report"] + days).joined(separator: "-")
            response.headers[.contentDisposition] = "attachment; filename=\"\(name).csv\""
        }
        return response
    }
}
