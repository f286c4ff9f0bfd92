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
