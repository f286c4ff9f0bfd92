package import StrictJSON

/// What is wrong with a JSON document that a person wrote: the field, its value, what was expected, and the cure.
package struct DocumentProblem: CodedError, Hashable, CustomStringConvertible {
    /// The field, its value and what was expected.
    package let problem: FieldProblem
    /// What to do about it.
    package let cure: String

    /// Makes a problem.
    ///
    /// - Parameters:
    ///   - field: The field from the outermost object on, such as `campaigns[0].installs`; indices count from 0.
    ///   - found: Its value.
    ///   - expected: What was expected.
    ///   - cure: What to do.
    package init(_ field: String, found: String, expected: String, cure: String) {
        problem = FieldProblem(field: field, found: found, expected: expected)
        self.cure = cure
    }

    /// A file that is not as it must be.
    package var code: ErrorCode {
        .malformedFile
    }

    /// What to do about it.
    package var hint: String? {
        cure
    }

    /// What is wrong, in one sentence.
    package var description: String {
        problem.description
    }
}
