import Attribution
import AttributionConsole
import Testing

@Suite("How the console refuses")
struct AccessRefusalTests {
    static let refusals: [(AccessRefusal, Int, String?, Duration?)] = [
        (.noCredentials, 401, #"Bearer realm="skan""#, nil),
        (.malformed, 400, #"error="invalid_request""#, nil),
        (.unknown, 401, #"error="invalid_token""#, nil),
        (.expired, 401, #"error="invalid_token""#, nil),
        (.outOfScope(needed: .sign), 403, #"error="insufficient_scope", scope="sign""#, nil),
        (.outOfNetwork(allowed: ["a"]), 403, nil, nil),
        (.foreignHost, 403, nil, nil),
        (.tooFast(retryAfter: .milliseconds(1)), 429, nil, .milliseconds(1)),
    ]

    @Test("Status and challenge of RFC 6750, and when to try again, RFC 6585", arguments: refusals)
    func statuses(_ refusal: AccessRefusal, _ status: Int, _ challenge: String?, _ retryAfter: Duration?) {
        #expect(refusal.code.httpStatus == status)
        #expect(refusal.challenge?.contains(challenge ?? "none") ?? (challenge == nil))
        #expect(refusal.challenge?.hasPrefix(#"Bearer realm="skan""#) ?? true)
        #expect(refusal.retryAfter == retryAfter)
    }
}
