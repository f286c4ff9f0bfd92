package import CodedErrors
package import StrictJSON

/// Why a signing request gets no signature.
package enum SigningRefusal: CodedError, Hashable, Sendable {
    /// The body is not one JSON object.
    case notJSON(JSONError)
    /// A field is invalid.
    case field(FieldProblem)

    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .notJSON(let error): error.code
        case .field(let problem): problem.code
        }
    }
}

extension SigningRefusal: CustomStringConvertible {
    /// The field, what was found, and what was expected.
    package var description: String {
        switch self {
        case .notJSON(let error): error.description
        case .field(let problem): problem.description
        }
    }
}
