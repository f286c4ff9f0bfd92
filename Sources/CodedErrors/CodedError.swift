package import StrictJSON

/// What went wrong, in the one shape in which people and programs hear of it.
package protocol CodedError: Error {
    /// The stable code, which decides HTTP status and exit status.
    var code: ErrorCode { get }
    /// What was found, and what was expected where that says more; it may change.
    var message: String { get }
    /// What to do about it, where the message does not say it all.
    var hint: String? { get }
    /// After how long the same may be tried again; by default what the code says.
    var retryAfter: Duration? { get }
}

extension CodedError {
    package var hint: String? {
        nil
    }

    package var retryAfter: Duration? {
        code.retryAfter
    }
}

extension CodedError where Self: CustomStringConvertible {
    package var message: String {
        description
    }
}

/// A refusal that no type of error stands for.
package struct Refusal: CodedError, Hashable {
    package let code: ErrorCode
    package let message: String
    package let hint: String?

    /// Makes a refusal.
    package init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Makes a refusal with the words of an error.
    package init(_ error: some CodedError) {
        self.init(error.code, error.message, hint: error.hint)
    }
}

extension CodedError {
    /// The JSON object that every listener refuses with; nothing else writes one.
    ///
    /// - Parameter members: What an interface adds to it.
    /// - Returns: `status`, `reason`, `detail`, `hint` where there is one, and the members.
    package func json(adding members: [(String, JSONText)] = []) -> JSONText {
        var json: [(String, JSONText)] = [
            ("status", .string("refused")), ("reason", .string(code.rawValue)), ("detail", .string(message)),
        ]
        if let hint {
            json.append(("hint", .string(hint)))
        }
        return .object(json + members)
    }

    /// The value of Retry-After: whole seconds, rounded up, at least 1.
    package var retryAfterSeconds: Int64? {
        retryAfter.map { max(1, $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0)) }
    }

    /// The bytes of an answer's body.
    package var body: [UInt8] {
        Array((json().line + "\n").utf8)
    }
}
