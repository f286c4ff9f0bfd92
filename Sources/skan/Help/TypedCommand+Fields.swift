import StrictJSON

extension TypedCommand {
    /// The problem with the option's name, where a value of the command line was checked under its field's name.
    func naming(_ problem: FieldProblem) -> FieldProblem {
        let names = [problem.field, Self.optionsByField[problem.field]].compactMap { $0.map { "--\($0)" } }
        guard let name = names.first(where: { name in (command.arguments ?? []).contains { $0.isNamed(name) } }) else {
            return problem
        }
        return FieldProblem(field: name, found: problem.found, expected: problem.expected)
    }

    /// The options whose fields Apple gave other names.
    private static let optionsByField = [
        "ad-network-id": "network", "campaign-id": "campaign", "itunes-item-id": "advertised-app",
        "source-app-id": "source-app", "fidelity-type": "fidelity",
        "ad-network-identifier": "network", "publisher-item-identifier": "source-app",
        "advertised-item-identifier": "advertised-app", "impression-identifier": "nonce",
        "source-domains": "source-domain", "attribution-destination": "destination", "lifetime-seconds": "lifetime",
    ]
}
