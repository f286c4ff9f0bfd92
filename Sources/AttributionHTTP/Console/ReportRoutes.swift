import Attribution
public import AttributionReports
import BoundedLogging
import Hummingbird
public import Logging

/// Reports as the command line gives them.
public struct ReportRoutes: ConsoleRoutes {
    private let reporter: Reporter
    private let failures: FailureLog

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - reporter: Answers the reports.
    ///   - logger: Takes what goes wrong.
    public init(reporter: Reporter, logger: Logger) {
        self.reporter = reporter
        failures = FailureLog("report failed", logger: logger)
    }

    /// `/v1/report`.
    public var endpoints: [ConsoleEndpoint] {
        [ConsoleEndpoint(.report) { request, _ in await report(request) }]
    }

    private func report(_ request: Request) async -> Response {
        let parameters = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        func text(_ name: String) -> String? {
            parameters.first { $0.name == name }?.value
        }
        do {
            try Self.check(parameters.map(\.name))
            let formatName = text("format") ?? ReportFormat.json.rawValue
            guard let format = ReportFormat(rawValue: formatName) else {
                throw FieldProblem(
                    field: "format", found: formatName.shortened(to: 20),
                    expected: ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
            }
            let question = try ReportRequest(
                by: text("by") ?? "network,app,campaign",
                filters: parameters.filter { $0.name == "where" }.map(\.value),
                from: text("from"),
                to: text("to"),
                timeZone: text("time-zone") ?? "UTC",
                provenance: text("provenance") ?? Provenance.apple.rawValue
            )
            let answer = try await reporter.report(question)
            return .text(.ok, format.mediaType, answer.rendered(as: format))
        } catch let problem as FieldProblem {
            return .refusal(.badRequest, "bad-parameter", problem.description)
        } catch {
            failures.note("\(error)")
            return .json(
                .internalServerError, .object(["status": .string("failed"), "reason": .string("store-failed")]))
        }
    }

    /// Refuses what would be lost in silence: a misspelt name, and all but the first of several values.
    private static func check(_ names: [String]) throws(FieldProblem) {
        for (index, name) in names.enumerated() {
            guard parameters.contains(name) else {
                throw FieldProblem(
                    field: name.shortened(to: 40), found: "a parameter not known here",
                    expected: parameters.joined(separator: ", "))
            }
            guard name == "where" || !names[..<index].contains(name) else {
                throw FieldProblem(field: name, found: "more than one value", expected: "one")
            }
        }
    }

    private static let parameters = ["by", "where", "from", "to", "time-zone", "provenance", "format"]
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
