import Attribution
import StrictJSON
import Testing

@Suite("Error codes")
struct ErrorCodeTests {
    /// Every code with its HTTP status and its Retry-After in seconds.
    static let rows: [(ErrorCode, Int, Int64?)] =
        [
            .notJSON, .badField, .malformed, .badUsage, .badConfiguration, .malformedRequest, .missingHost,
            .repeatedHost, .invalidHost, .ambiguousLength, .unsupportedTransferCoding, .incompleteRequest,
            .malformedAuthorization,
        ].map { ($0, 400, nil) }
        + [.noToken, .unknownToken, .expiredToken].map { ($0, 401, nil) }
        + [.outOfScope, .outOfNetwork, .outOfApp, .foreignHost, .domainNotAllowed].map { ($0, 403, nil) }
        + [
            (.notFound, 404, nil), (.nonceUnknown, 404, nil), (.methodNotAllowed, 405, nil),
            (.deadlinePassed, 408, nil), (.nonceUsed, 409, nil), (.nonceExpired, 410, nil),
            (.bodyTooLarge, 413, nil), (.targetTooLong, 414, nil), (.unsupportedMediaType, 415, nil),
            (.unsupportedExpectation, 417, nil), (.tooManyRequests, 429, 1), (.headTooLarge, 431, nil),
            (.cancelled, 499, nil), (.signingFailed, 500, nil),
        ]
        + [
            .noKey, .noCommonNetwork, .noCommonVersion, .tooLarge, .unknownVersion, .noSuchToken,
        ].map { ($0, 422, nil) }
        + [
            (.overloaded, 503, 1), (.tooManyConnections, 503, 1), (.notReady, 503, 1), (.busy, 503, 5),
            (.signerUnavailable, 503, 1),
            (.noSigningKeys, 503, 60), (.keyMissing, 503, 60), (.quarantineFull, 503, 3_600),
        ]
        + [
            .unanswered, .tookTooLong, .undecided, .storeFailed, .unreadableFile, .unwritableFile,
            .fileExists, .openToOthers, .malformedFile, .unusableKey, .unusableCertificate, .cannotListen,
            .limitReached, .noStore, .unusableStore, .storeInUse, .ownerUnreachable, .incompleteCopy, .unexpected,
        ].map { ($0, 503, 30) }

    @Test("Each code has one HTTP status, and every 503 has a Retry-After", arguments: rows)
    func statuses(_ code: ErrorCode, _ status: Int, _ retryAfter: Int64?) {
        #expect(code.httpStatus == status)
        #expect(Refusal(code, "a").retryAfter == retryAfter.map { .seconds($0) })
    }

    @Test(
        "A command exits with 1 for rejected input and with 2 for any other error",
        arguments: ErrorCode.allCases)
    func exitStatuses(_ code: ErrorCode) {
        let rejections: Set<ErrorCode> = [
            .malformed, .unknownVersion, .nonceUnknown, .nonceUsed, .nonceExpired, .domainNotAllowed,
        ]
        #expect(code.exitStatus == (rejections.contains(code) ? 1 : 2))
    }

    @Test("The table has every code exactly once")
    func complete() {
        #expect(Self.rows.map(\.0).count == ErrorCode.allCases.count)
        #expect(Set(Self.rows.map(\.0)) == Set(ErrorCode.allCases))
    }

    @Test("Codes consist of lower-case letters and hyphens", arguments: ErrorCode.allCases)
    func spelling(_ code: ErrorCode) {
        #expect(code.rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D })
    }

    @Test(
        "A refusal is one JSON object on one line, whatever its text contains",
        arguments: [
            (Refusal(.busy, "wait"), #"{"status":"refused","reason":"busy","detail":"wait"}"#),
            (
                Refusal(.badField, "found \"a\\b\"\n", hint: "say \u{1}"),
                #"{"status":"refused","reason":"bad-field","detail":"found \"a\\b\"\n","hint":"say \u0001"}"#
            ),
        ])
    func json(_ refusal: Refusal, _ text: String) throws {
        #expect(String(decoding: refusal.body, as: UTF8.self) == text + "\n")
        #expect(try JSONObject(reading: refusal.body).fields.count == (refusal.hint == nil ? 3 : 4))
    }

    @Test("JSON errors and field problems have codes")
    func reading() {
        #expect(JSONError.empty.code == .notJSON && JSONError.empty.message == JSONError.empty.description)
        let problem = FieldProblem(field: "a", found: "b", expected: "c")
        #expect(problem.code == .badField && problem.message == "a: found b, expected c" && problem.hint == nil)
    }
}
