package import CodedErrors

/// A console that did not answer with a report.
package struct ConsoleError: CodedError {
    let url: String
    /// The status of the answer; nil if there was none.
    let status: Int?

    /// The stable code.
    package var code: ErrorCode { .unanswered }

    /// The request and the answer.
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
