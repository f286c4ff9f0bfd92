import Attribution
package import AttributionIngest
import AttributionListener
import AttributionStore
import FoundationEssentials
package import Logging
import StrictJSON

/// Taking in what reports divide by, while the store records: `POST /v1/costs`.
///
/// All of a body is recorded in one transaction, or nothing of it.
package struct CostRoutes: ConsoleRoutes {
    private let maintenance: StoreMaintenance
    private let logger: Logger
    private let failures: RouteFailures

    package init(maintenance: StoreMaintenance, logger: Logger) {
        self.maintenance = maintenance
        self.logger = logger
        failures = RouteFailures("figures of ads not recorded", unexpected: .storeFailed, logger: logger)
    }

    package var endpoints: [ConsoleEndpoint] {
        [ConsoleEndpoint(.costs) { request, context in await take(request, context) }]
    }

    /// What the lines of a body are.
    enum Kind: String, CaseIterable {
        /// What ads cost.
        case spend
        /// How many ads were signed.
        case impressions
    }

    private func take(_ request: IngressRequest, _ context: ConsoleContext) async -> IngressAnswer {
        do {
            let parameters = try RequestParameters(query: request, known: ["kind", "ads", "replace"])
            let kinds = Kind.allCases.map(\.rawValue)
            guard let kind = try parameters.choice("kind", of: kinds).flatMap({ Kind(rawValue: $0) }) else {
                throw FieldProblem(
                    field: "kind", found: "nothing", expected: "one of " + kinds.joined(separator: ", "))
            }
            let ads =
                try parameters.choice("ads", of: AdTraffic.allCases.map(\.rawValue))
                .flatMap { AdTraffic(rawValue: $0) } ?? .real
            let replaces = try parameters.choice("replace", of: ["true", "false"])
            var recording = SpendRecording()
            switch kind {
            case .impressions:
                guard replaces == nil else {
                    throw FieldProblem(field: "replace", found: "it with impressions", expected: "it with spend alone")
                }
                let lines = try await BackgroundWork.run { try SignedCountsImport.lines(request.body) }
                recording.new = try await maintenance.addSigned(lines, of: ads)
                recording.known = lines.count - recording.new
            case .spend:
                let file = try await BackgroundWork.run { try Self.spend(request.body) }
                recording = try await maintenance.recordSpend(file.spend, of: ads, replaces: replaces == "true")
                guard recording.conflicts.isEmpty else {
                    return Self.refusal(recording.conflicts, file)
                }
            }
            logger.notice(
                "figures of ads recorded",
                metadata: [
                    "kind": "\(kind.rawValue)", "ads": "\(ads.rawValue)", "new": "\(recording.new)",
                    "replaced": "\(recording.replaced)", "token": "\(context.caller?.name ?? "none")",
                ])
            return .json(
                .object([
                    "status": .string("done"), "new": .integer(Int64(recording.new)),
                    "replaced": .integer(Int64(recording.replaced)), "known": .integer(Int64(recording.known)),
                ]))
        } catch {
            return failures.answer(to: error)
        }
    }

    private static func spend(_ body: [UInt8]) throws -> SpendFile {
        // A day more: days end later elsewhere than in UTC.
        let today = CalendarDay(containing: UnixMilliseconds(Date()).rawValue, in: .gmt)
        let file = SpendFile(lines: body, latest: today.next)
        guard file.problems.isEmpty else {
            throw refusal(file.problems, hint: "nothing was recorded; correct the lines, and send all of them again")
        }
        return file
    }

    /// Names each amount that contradicts the store, besides the first in words.
    private static func refusal(_ conflicts: [SpendRecording.Conflict], _ file: SpendFile) -> IngressAnswer {
        let refusal = refusal(file.problems(of: conflicts), hint: "nothing was recorded; replace=true replaces amounts")
        let members = conflicts.map { conflict in
            JSONText.object([
                ("line", .integer(Int64(file.numbers[conflict.index]))),
                ("amount", .string(conflict.amount.description)),
            ])
        }
        return .json(refusal.json(adding: [("conflicts", .array(members))]), status: refusal.code.httpStatus)
    }

    private static func refusal(_ problems: [ImportProblem], hint: String) -> Refusal {
        let first = problems.first.map { "line \($0.number): \($0.reason)" } ?? ""
        return Refusal(
            .badField, problems.count > 1 ? "\(first); \(problems.count - 1) more such lines" : first, hint: hint)
    }
}
