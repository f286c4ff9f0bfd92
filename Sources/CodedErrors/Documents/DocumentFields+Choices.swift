import StrictJSON

/// Members whose values are names of a known set.
extension DocumentFields {
    /// One of the cases of an enumeration, by its name.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(DocumentProblem) -> Choice {
        guard let value = value(name) else {
            throw missing(name, Self.names(of: Choice.self))
        }
        return try choice(value, name)
    }

    /// Cases of an enumeration, by their names; empty when there is no array.
    package func choices<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(DocumentProblem) -> [Choice] {
        var choices: [Choice] = []
        for (index, element) in try elements(name, of: "strings").enumerated() {
            choices.append(try choice(element, "\(name)[\(index)]"))
        }
        return choices
    }

    private func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ value: JSONValue, _ name: String
    ) throws(DocumentProblem) -> Choice {
        guard case .string(let text) = value else {
            throw wrong(name, value, Self.names(of: Choice.self), "write one of these in quotes")
        }
        guard let choice = Choice(rawValue: text) else {
            let near = Self.nearest(to: text, in: Choice.allCases.map(\.rawValue))
            throw wrong(
                name, value, Self.names(of: Choice.self), near.map { "write \"\($0)\"" } ?? "write one of these names")
        }
        return choice
    }

    private static func names<Choice: CaseIterable & RawRepresentable<String>>(of: Choice.Type) -> String {
        "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
