import Attribution
import AttributionAccess
import AttributionListener
import CodedErrors
import StrictJSON

extension IngressAnswer {
    /// An answer with a text, not to be cached.
    static func text(_ mediaType: String, _ body: String, status: Int = 200) -> IngressAnswer {
        var answer = IngressAnswer(status: status, body: Array(body.utf8), mediaType: mediaType)
        answer.set("Cache-Control", "no-store")
        return answer
    }

    /// An answer with a JSON object on one line.
    static func json(_ body: JSONText, status: Int = 200) -> IngressAnswer {
        text("application/json", body.line + "\n", status: status)
    }

    /// An answer that says why a request is refused.
    ///
    /// - Parameter error: What is wrong; its code decides the status.
    /// - Returns: The answer, with Retry-After where the request may be repeated.
    static func refusing(_ error: some CodedError) -> IngressAnswer {
        var answer = json(error.json(), status: error.code.httpStatus)
        answer.retryAfter = error.retryAfter
        return answer
    }

    /// Makes the answer to a request that access control refused.
    init(_ refusal: AccessRefusal) {
        self = .refusing(refusal)
        if let challenge = refusal.challenge {
            set("WWW-Authenticate", challenge)
        }
    }
}
