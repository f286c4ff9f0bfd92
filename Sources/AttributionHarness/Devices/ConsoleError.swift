package import CodedErrors

/// A console that answered something else than a report, or nothing.
package struct ConsoleError: CodedError {
    let url: String
    /// The status it answered; nil when there was no answer.
    let status: Int?

    /// The stable code.
    package var code: ErrorCode { .unanswered }

    /// What was asked and answered.
    package var message: String {
        status.map { "\(url) answered \($0), expected 200" } ?? "\(url) does not answer"
    }

    /// What to do.
    package var hint: String? {
        status == 401 ? "set SKAN_TOKEN to a token with the scope report" : "check the address of the console"
    }
}

extension ConsoleError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
