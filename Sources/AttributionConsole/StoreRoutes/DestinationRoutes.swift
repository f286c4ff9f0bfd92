import Attribution
import AttributionListener
package import AttributionStore
package import Logging
import StrictJSON

/// Pausing a destination and letting it go on: `POST /v1/destinations`.
package struct DestinationRoutes: ConsoleRoutes {
    private let setState: @Sendable (_ name: String, DestinationState) throws -> Bool
    private let logger: Logger
    private let failures: RouteFailures

    package init(
        logger: Logger, setState: @escaping @Sendable (_ name: String, DestinationState) throws -> Bool
    ) {
        self.setState = setState
        self.logger = logger
        failures = RouteFailures("the state of a destination was not changed", unexpected: .storeFailed, logger: logger)
    }

    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.destinations) { request, context in
                do {
                    return .json(try change(try request.body(upTo: JSONObject.maximumLength), context))
                } catch {
                    return failures.answer(to: error)
                }
            }
        ]
    }

    /// The states that can be asked for; the third is what a destination answers.
    private static let states: [DestinationState] = [.running, .paused]

    private func change(_ body: [UInt8], _ context: ConsoleContext) throws -> JSONText {
        let parameters = try RequestParameters(reading: body, known: ["name", "state"])
        guard let name = try parameters.text("name") else {
            throw FieldProblem(field: "name", found: "nothing", expected: "the name of a destination")
        }
        let state = try parameters.choice("state", of: Self.states.map(\.rawValue)).flatMap(DestinationState.init)
        guard let state else {
            throw FieldProblem(
                field: "state", found: "nothing",
                expected: "one of " + Self.states.map(\.rawValue).joined(separator: ", "))
        }
        guard try setState(name, state) else {
            throw Refusal(
                .notFound, "there is no destination \(name.shortened(to: 64))",
                hint: "skan destinations list shows those of the store")
        }
        logger.notice(
            "state of a destination changed",
            metadata: [
                "destination": "\(name)", "state": "\(state.rawValue)", "token": "\(context.caller?.name ?? "none")",
            ])
        return .object(["status": .string("done")])
    }
}
