import Attribution
public import AttributionReports
import Hummingbird
public import Logging

/// Reports as the command line gives them.
public struct ReportRoutes: ConsoleRoutes {
    private let reporter: Reporter
    private let logger: Logger

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - reporter: Answers the reports.
    ///   - logger: Takes what goes wrong.
    public init(reporter: Reporter, logger: Logger) {
        self.reporter = reporter
        self.logger = logger
    }

    /// `/v1/report`.
    public var endpoints: [ConsoleEndpoint] {
        [ConsoleEndpoint(.report) { request, _ in await report(request) }]
    }

    private func report(_ request: Request) async -> Response {
        let parameters = request.uri.queryParameters
        func text(_ name: String) -> String? {
            parameters[name[...]].map { String($0) }
        }
        do {
            let formatName = text("format") ?? ReportFormat.json.rawValue
            guard let format = ReportFormat(rawValue: formatName) else {
                throw FieldProblem(
                    field: "format", found: formatName.shortened(to: 20),
                    expected: ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
            }
            let question = try ReportRequest(
                by: text("by") ?? "network,app,campaign",
                filters: parameters.getAll("where").map { String($0) },
                from: text("from"),
                to: text("to"),
                timeZone: text("time-zone") ?? "UTC",
                provenance: text("provenance") ?? Provenance.apple.rawValue
            )
            let answer = try await reporter.report(question)
            return .text(.ok, format.mediaType, answer.rendered(as: format))
        } catch let problem as FieldProblem {
            return .json(
                .badRequest,
                .object([
                    "status": .string("refused"), "reason": .string("bad-parameter"),
                    "detail": .string(problem.description),
                ]))
        } catch {
            logger.error("report failed", metadata: ["error": "\(error)"])
            return .json(
                .internalServerError, .object(["status": .string("failed"), "reason": .string("store-failed")]))
        }
    }
}

extension ReportFormat {
    /// The media type of the format, RFC 4180, 7763, 8259.
    fileprivate var mediaType: String {
        switch self {
        case .table: "text/plain; charset=utf-8"
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .ndjson: "application/x-ndjson"
        case .markdown: "text/markdown; charset=utf-8"
        }
    }
}
