package import StrictJSON

/// What is wrong with an object or its members, without what may be a secret.
extension DocumentFields {
    /// The problems with members of other names.
    package func unknown(besides names: [String]) -> [DocumentProblem] {
        let expected = names.count == 1 ? "only \"\(names[0])\"" : "one of the names \(names.joined(separator: ", "))"
        return object.fields.enumerated().filter { !names.contains($0.element.name) }.map { index, field in
            let cure = Self.nearest(to: field.name, in: names).map { "write \($0)" } ?? "remove it"
            guard longestShown == nil else {
                return DocumentProblem(
                    path.isEmpty ? "the file" : path, found: "an unknown name (number \(index + 1), not shown)",
                    expected: expected, cure: cure)
            }
            return DocumentProblem(
                prefix + field.name.shortened(to: 60), found: field.value.summary, expected: expected, cure: cure)
        }
    }

    /// A problem with a member that was read.
    package func problem(_ name: String, found: String, expected: String, cure: String) -> DocumentProblem {
        DocumentProblem(prefix + name, found: found, expected: expected, cure: cure)
    }

    func missing(_ name: String, _ expected: String) -> DocumentProblem {
        DocumentProblem(prefix + name, found: "nothing", expected: expected, cure: "add \"\(name)\"")
    }

    func wrong(_ name: String, _ value: JSONValue, _ expected: String, _ cure: String) -> DocumentProblem {
        DocumentProblem(prefix + name, found: summary(value), expected: expected, cure: cure)
    }

    /// The type and the shortened text of a member, for messages.
    package func summary(_ name: String) -> String {
        object[name].map(summary) ?? "nothing"
    }

    /// The type and the shortened text of a value, for messages.
    package func summary(_ value: JSONValue) -> String {
        switch value {
        case .string(let text) where text.utf8.count > longestShown ?? .max:
            "a string of \(text.utf8.count) bytes, which is not shown"
        case .number(let text) where text.utf8.count > longestShown ?? .max:
            "a number of \(text.utf8.count) characters, which is not shown"
        default: value.summary
        }
    }

    /// What was found instead of one JSON object.
    static func found(_ error: JSONError, _ longestShown: Int?) -> String {
        if let longestShown, case .duplicateName(let name) = error, name.utf8.count > longestShown {
            return "a name of \(name.utf8.count) bytes twice, which is not shown"
        }
        return error.found
    }
}

/// Members whose values are names of a known set.
extension DocumentFields {
    /// One of the cases of an enumeration, by its name.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(DocumentProblem) -> Choice {
        guard let value = object[name] else {
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
