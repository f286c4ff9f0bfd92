package import CodedErrors

/// A console that did not answer with a report.
package struct ConsoleError: CodedError {
    let url: String
    /// The status of the answer; nil if there was none.
    let status: Int?
    /// Where a redirect leads; nil for any other answer.
    let redirect: String?
    /// Why there was no answer; nil if there was one.
    var reason: String?

    /// The stable code.
    package var code: ErrorCode { .unanswered }

    /// The request and the answer.
    package var message: String {
        guard let status else {
            return "no answer from \(url)" + (reason.map { ": \($0)" } ?? "")
        }
        return "\(url) answered \(status), expected 200" + (redirect.map { ": it redirects to \($0)" } ?? "")
    }

    /// What to do.
    package var hint: String? {
        if redirect != nil {
            return "redirects are not followed: name the console by the address it redirects to, without /v1/report"
        }
        return status == 401 ? "set SKAN_TOKEN to a token with the scope report" : "check the address of the console"
    }
}

extension ConsoleError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
