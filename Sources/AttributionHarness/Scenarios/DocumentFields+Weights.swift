import CodedErrors
import StrictJSON

extension DocumentFields {
    /// An object whose members are weights.
    func weights(_ name: String) throws(DocumentProblem) -> [Weighted<String>]? {
        guard has(name) else {
            return nil
        }
        let fields = try child(name)
        var weights: [Weighted<String>] = []
        for member in fields.members {
            weights.append(
                Weighted(member.name, try Self.number(member.value, fields.path(member.name), in: 0...1_000_000)))
        }
        guard weights.contains(where: { $0.weight > 0 }) else {
            throw problem(
                name, found: "no weight above 0", expected: "an object with at least one",
                cure: "give each choice its weight, such as 70 and 30")
        }
        return weights
    }
}
