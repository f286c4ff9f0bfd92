package import StrictJSON

/// An error with a stable code for programs, and a message and a hint for people.
package protocol CodedError: Error {
    /// The stable code, which determines the HTTP status and the exit status.
    var code: ErrorCode { get }
    /// What was found and what was expected; the wording may change.
    var message: String { get }
    /// What to do about it, if the message is not enough.
    var hint: String? { get }
    /// How long to wait before trying again; by default, the code decides.
    var retryAfter: Duration? { get }
}

extension CodedError {
    package var hint: String? { nil }

    package var retryAfter: Duration? { code.retryAfter }
}

extension CodedError where Self: CustomStringConvertible {
    package var message: String { description }
}

/// A refusal without an error type of its own.
package struct Refusal: CodedError, Hashable {
    package let code: ErrorCode
    package let message: String
    package let hint: String?

    package init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    package init(_ error: some CodedError) {
        self.init(error.code, error.message, hint: error.hint)
    }
}

extension CodedError {
    /// The JSON object that every listener answers a refused request with.
    package func json(adding members: [(String, JSONText)] = []) -> JSONText {
        .object(self.members(adding: members))
    }

    /// The members of that object, for a refusal that is part of a larger answer.
    package func members(adding members: [(String, JSONText)] = []) -> [(String, JSONText)] {
        var json: [(String, JSONText)] = [
            ("status", .string("refused")), ("reason", .string(code.rawValue)), ("detail", .string(message)),
        ]
        if let hint {
            json.append(("hint", .string(hint)))
        }
        return json + members
    }

    /// The body of the response.
    package var body: [UInt8] { json().lineBytes }
}

extension JSONError: CodedError {
    package var code: ErrorCode { .notJSON }
}

extension FieldProblem: CodedError {
    package var code: ErrorCode { .badField }
}

package func logFields(of error: any Error) -> [String: String] {
    guard let error = error as? any CodedError else {
        return ["error": "\(error)"]
    }
    var fields = ["code": error.code.rawValue, "error": error.message]
    fields["hint"] = error.hint
    return fields
}
