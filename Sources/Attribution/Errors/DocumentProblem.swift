package import StrictJSON

/// What is wrong with a JSON document that a person wrote: the field, its value, what was expected, and the cure.
package struct DocumentProblem: CodedError, Hashable, CustomStringConvertible {
    /// The field, its value and what was expected.
    package let problem: FieldProblem
    package let cure: String

    package init(_ field: String, found: String, expected: String, cure: String) {
        problem = FieldProblem(field: field, found: found, expected: expected)
        self.cure = cure
    }

    /// A file that is not as it must be.
    package var code: ErrorCode {
        .malformedFile
    }

    package var hint: String? {
        cure
    }

    /// What is wrong, in one sentence.
    package var description: String {
        problem.description
    }
}

/// Collects the problems of a document, so that a person can mend all of them at once.
package struct DocumentProblems: Sendable {
    /// The problems, in the order in which they were found.
    package private(set) var all: [DocumentProblem] = []

    /// Starts without problems.
    package init() {}

    /// Reads a part of the document, and notes why it cannot be read.
    ///
    /// - Returns: The part, or nil if it has a problem.
    package mutating func attempt<Value>(_ read: @autoclosure () throws(DocumentProblem) -> Value) -> Value? {
        do throws(DocumentProblem) {
            return try read()
        } catch {
            all.append(error)
            return nil
        }
    }

    package mutating func note(_ problems: [DocumentProblem]) {
        all += problems
    }

    package mutating func note(_ problem: DocumentProblem) {
        all.append(problem)
    }
}

/// Why documents cannot be used: everything that is wrong with them.
package struct InvalidDocuments: CodedError, Hashable, CustomStringConvertible {
    /// A problem with the name of its document.
    package struct Problem: CodedError, Hashable, CustomStringConvertible {
        /// The file, or what else the document came from.
        package let document: String
        package let problem: DocumentProblem

        /// A file that is not as it must be.
        package var code: ErrorCode {
            .malformedFile
        }

        /// The document, and what is wrong.
        package var description: String {
            "\(document): \(problem)"
        }

        package var hint: String? {
            problem.cure
        }
    }

    /// What is wrong; at least one problem.
    package private(set) var problems: [Problem] = []

    /// Starts without problems; to be thrown once there is one.
    package init() {}

    /// Adds the problems of a document.
    package mutating func note(_ problems: [DocumentProblem], in document: String) {
        self.problems += problems.map { Problem(document: document, problem: $0) }
    }

    /// A file that is not as it must be.
    package var code: ErrorCode {
        .malformedFile
    }

    /// Every problem, in one line.
    package var description: String {
        problems.map(\.description).joined(separator: "; ")
    }

    /// What to do about the first problem.
    package var hint: String? {
        problems.first?.hint
    }
}
