import Attribution
import AttributionListener
package import AttributionReports
package import AttributionStore
import FoundationEssentials
package import Logging
import StrictJSON

/// The same reports as the command line's.
///
/// One is counted at a time while others wait, and tokens take turns, so that reports leave the processors to the
/// postbacks. A client that disconnects cancels its report.
package struct ReportRoutes: ConsoleRoutes {
    /// How long counting may take.
    static let deadline = Duration.seconds(30)

    private let report: @Sendable (ReportRequest, LedgerLimits) async throws -> Report
    private let standardReport: @Sendable (StandardReportRequest, LedgerLimits) async throws -> StandardReport
    private let queue: JobQueue
    private let failures: RouteFailures

    package init(
        logger: Logger,
        queue: JobQueue = JobQueue(),
        report: @escaping @Sendable (ReportRequest, LedgerLimits) async throws -> Report,
        standardReport: @escaping @Sendable (StandardReportRequest, LedgerLimits) async throws -> StandardReport
    ) {
        self.queue = queue
        self.report = report
        self.standardReport = standardReport
        failures = RouteFailures("report failed", unexpected: .storeFailed, logger: logger)
    }

    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.report) { request, context in
                await answer(context) { now in
                    let query = try ReportQuery(request, nowMilliseconds: now)
                    let wanted = try context.authorized(query.request)
                    return Job(format: query.format) { try await report(wanted, $0) }
                }
            },
            ConsoleEndpoint(.standardReport) { request, context in
                await answer(context) { now in
                    let query = try StandardReportQuery(request, nowMilliseconds: now)
                    let wanted = try context.authorized(query.request)
                    return Job(format: query.format) { try await standardReport(wanted, $0) }
                }
            },
        ]
    }

    /// A report to be counted and rendered.
    private struct Job: Sendable {
        let format: ReportFormat
        let count: @Sendable (LedgerLimits) async throws -> any RenderedReport
    }

    /// Reads a request, then counts its report when its turn comes.
    private func answer(
        _ context: ConsoleContext, _ job: (_ nowMilliseconds: Int64) throws -> Job
    ) async -> IngressAnswer {
        do {
            let job = try job(Int64(Date().timeIntervalSince1970 * 1000))
            // Rendered within the queue, too: the text of a large report takes more memory than counting it.
            return try await queue.run(for: context.caller?.id) {
                let report = try await job.count(LedgerLimits(deadline: Self.deadline, isBackground: true))
                report.damage.forEach { failures.note($0) }
                return Self.answer(report, job.format)
            }
        } catch {
            return failures.answer(to: error, in: context)
        }
    }

    private static func answer(_ report: any RenderedReport, _ format: ReportFormat) -> IngressAnswer {
        var answer = IngressAnswer.text(format.mediaType, report.rendered(as: format))
        answer.set("Vary", "Accept")
        // For the formats that do not include the position.
        if let position = report.shownPosition {
            answer.set("Skan-Position", position.description)
        }
        if !report.warnings.isEmpty {
            answer.set("Skan-Warning", report.warnings.joined(separator: "; "))
        }
        if format == .csv {
            let name: [String?] = report.standardName.map { [$0.rawValue, report.sections.first?.name] } ?? ["report"]
            let days = [report.selection.from, report.selection.through].map { $0?.description }
            let file = (["skan"] + name + days).compactMap(\.self).joined(separator: "-")
            answer.set("Content-Disposition", "attachment; filename=\"\(file).csv\"")
        }
        if format == .html {
            // Values of postbacks are escaped; nothing in them could be loaded or run even if one were not.
            answer.set(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; "
                    + "form-action 'none'")
            answer.set("X-Content-Type-Options", "nosniff")
        }
        return answer
    }
}
