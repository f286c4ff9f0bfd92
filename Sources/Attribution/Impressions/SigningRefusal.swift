package import StrictJSON

/// Why a request to sign gets no signature.
package enum SigningRefusal: Error, Hashable, Sendable {
    /// The body is not one JSON object.
    case notJSON(JSONError)
    /// A field breaks a rule.
    case field(FieldProblem)
    /// No key of the list signs what was asked for; why, and what to do.
    case noKey(detail: String)

    /// A stable code for programs.
    package var reason: String {
        switch self {
        case .notJSON: "not-json"
        case .field: "bad-field"
        case .noKey: "no-key"
        }
    }
}

extension SigningRefusal: CustomStringConvertible {
    /// The field, what was found, and what was expected.
    package var description: String {
        switch self {
        case .notJSON(let error): error.description
        case .field(let problem): problem.description
        case .noKey(let detail): detail
        }
    }
}
