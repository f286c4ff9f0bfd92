/// What is wrong with one field: its name, what was found, what was expected.
package struct FieldProblem: Error, Hashable, Sendable {
    /// The field's name as Apple writes it, for example `campaign-id`.
    package let field: String
    /// What was found, shortened.
    package let found: String
    /// What was expected, with its range.
    package let expected: String

    package init(field: String, found: String, expected: String) {
        self.field = field
        self.found = found
        self.expected = expected
    }
}

extension FieldProblem: CustomStringConvertible {
    /// A message for people.
    package var description: String {
        "\(field): found \(found), expected \(expected)"
    }
}

extension CaseIterable where Self: RawRepresentable, RawValue == String {
    /// Finds a case by its name.
    package init(named name: String, in field: String, shownTo length: Int = 40) throws(FieldProblem) {
        guard let value = Self(rawValue: name) else {
            let known = Self.allCases.map(\.rawValue)
            throw FieldProblem(
                field: field, found: name.shortened(to: length),
                expected: "one of " + known.joined(separator: ", ") + known.suggestion(for: name))
        }
        self = value
    }
}
