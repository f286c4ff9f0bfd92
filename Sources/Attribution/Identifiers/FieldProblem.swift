/// What is wrong with one field: its name, what was found, what was expected.
public struct FieldProblem: Error, Hashable, Sendable {
    /// The field's name as Apple writes it, for example `campaign-id`.
    public let field: String
    /// What was found, shortened.
    public let found: String
    /// What was expected, with its range.
    public let expected: String

    /// Makes a problem.
    public init(field: String, found: String, expected: String) {
        self.field = field
        self.found = found
        self.expected = expected
    }
}

extension FieldProblem: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String {
        "\(field): found \(found), expected \(expected)"
    }
}
