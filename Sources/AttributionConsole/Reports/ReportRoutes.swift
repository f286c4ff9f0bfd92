import Attribution
import AttributionListener
package import AttributionReports
package import AttributionStore
import CodedErrors
import FoundationEssentials
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
    private let standardReport: @Sendable (StandardReportRequest, LedgerLimits) async throws -> StandardReport
    private let queue: JobQueue
    private let failures: RouteFailures

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - logger: Logs problems.
    ///   - queue: Where reports wait for each other.
    ///   - report: Answers a request within limits, and ends early when its task is cancelled.
    ///   - standardReport: Answers a request for a standard report in the same way.
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

    /// `/v1/report` and `/v1/reports/{name}`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.report) { request, context in
                await answer { now in
                    let query = try ReportQuery(request, nowMilliseconds: now)
                    let wanted = try context.authorized(query.request)
                    return Job { limits in
                        let counted = try await report(wanted, limits)
                        return Counted(warnings: counted.warnings) { Self.answer(counted, query.format) }
                    }
                }
            },
            ConsoleEndpoint(.standardReport) { request, context in
                await answer { now in
                    let query = try StandardReportQuery(request, nowMilliseconds: now)
                    let wanted = try context.authorized(query.request)
                    return Job { limits in
                        let counted = try await standardReport(wanted, limits)
                        return Counted(warnings: counted.warnings) { Self.answer(counted, query.format) }
                    }
                }
            },
        ]
    }

    /// Counts a report.
    private struct Job: Sendable {
        let count: @Sendable (LedgerLimits) async throws -> Counted
    }

    /// A report that is still to be rendered.
    private struct Counted: Sendable {
        let warnings: [String]
        let rendered: @Sendable () -> IngressAnswer
    }

    /// Reads a request, then counts its report when its turn comes.
    private func answer(_ job: (_ nowMilliseconds: Int64) throws -> Job) async -> IngressAnswer {
        do {
            let job = try job(Int64(Date().timeIntervalSince1970 * 1000))
            // Rendered within the queue, too: the text of a large report takes more memory than counting it.
            return try await queue.run {
                let counted = try await job.count(LedgerLimits(deadline: Self.deadline, isBackground: true))
                counted.warnings.forEach { failures.note($0) }
                return counted.rendered()
            }
        } catch {
            return failures.answer(to: error)
        }
    }

    private static func answer(_ report: Report, _ format: ReportFormat) -> IngressAnswer {
        answer(
            report.rendered(as: format), format.mediaType, position: report.position, warnings: report.warnings,
            file: format == .csv ? fileName(["skan-report"], report.request) : nil)
    }

    private static func answer(_ report: StandardReport, _ format: StandardReportFormat) -> IngressAnswer {
        let name = ["skan", report.name.rawValue, report.sections.first?.name].compactMap(\.self)
        var answer = answer(
            report.rendered(as: format), format.mediaType, position: report.position, warnings: report.warnings,
            file: format == .csv ? fileName(name, report.request.selection) : nil)
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

    private static func answer(
        _ text: String,
        _ mediaType: String,
        position: LedgerPosition?,
        warnings: [String],
        file: String?
    ) -> IngressAnswer {
        var answer = IngressAnswer.text(mediaType, text)
        answer.set("Vary", "Accept")
        if let position {
            // For the formats that do not include the position.
            answer.set("Skan-Position", position.description)
        }
        if !warnings.isEmpty {
            answer.set("Skan-Warning", warnings.joined(separator: "; "))
        }
        if let file {
            answer.set("Content-Disposition", "attachment; filename=\"\(file)\"")
        }
        return answer
    }

    private static func fileName(_ name: [String], _ request: ReportRequest) -> String {
        (name + [request.from, request.through].compactMap { $0?.description }).joined(separator: "-") + ".csv"
    }
}
