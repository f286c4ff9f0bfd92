import Attribution
import StrictJSON
import Testing

@Suite("Postbacks that a later release may verify")
struct FuturePostbackTests {
    static let signature = "MAYCAQECAQE="

    static func body(
        version: String = #""4.1""#, id: String = #""N""#, app: String = "1", signature: String = signature
    ) -> [UInt8] {
        Array(
            #"{"version":\#(version),"ad-network-id":\#(id),"transaction-id":"T","app-id":\#(app),"x":[1],"attribution-signature":"\#(signature)"}"#
                .utf8)
    }

    static func isPlausible(_ body: [UInt8]) throws -> Bool {
        let rejection = #expect(throws: PostbackRejection.self) { try ReceivedPostback(reading: body) }
        return FuturePostback.isPlausible(try #require(rejection), body: body)
    }

    @Test("A later version with ids and a signature is plausible", arguments: ["4.1", "5.0", "10.12", "01.0"])
    func versions(_ version: String) throws {
        #expect(try Self.isPlausible(Self.body(version: "\"\(version)\"")))
    }

    @Test(
        "Anything that is not a version is implausible",
        arguments: ["", "5", "5.", ".5", "5.0.1", "111.0", "a.b", "-1.0", "５.0"])
    func otherVersions(_ version: String) throws {
        #expect(try !Self.isPlausible(Self.body(version: "\"\(version)\"")))
    }

    @Test(
        "Without ids of the right type it is implausible",
        arguments: [
            body(id: #""""#), body(id: "1"), body(id: #""a\u2063b""#), body(app: #""1""#), body(app: "null"),
            Array(#"{"version":"5.0"}"#.utf8), Array(#"{"version":"5.0","app-id":1}"#.utf8),
        ])
    func ids(_ body: [UInt8]) throws {
        #expect(try !Self.isPlausible(body))
    }

    @Test(
        "A signature must be two integers in DER, of any curve",
        arguments: [
            ([], false), ([0x30, 6, 2, 1, 1, 2, 1, 1], true), ([0x30, 6, 2, 1, 1, 2, 1], false),
            ([0x30, 6, 2, 1, 1, 2, 1, 1, 0], false), ([0x30, 3, 2, 1, 1], false), ([0x31, 6, 2, 1, 1, 2, 1, 1], false),
            ([0x30, 4, 2, 0, 2, 0], false), ([0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1], false),
            (
                [0x30, 0x81, 138, 2, 67, 0] + Array(repeating: 1, count: 66) + [2, 67, 0]
                    + Array(repeating: 2, count: 66), true
            ),
            ([0x30, 0x82, 0, 6, 2, 1, 1, 2, 1, 1], false), (Array(repeating: 0x30, count: 64), false),
        ] as [([UInt8], Bool)])
    func signatures(_ bytes: [UInt8], _ expected: Bool) throws {
        #expect(try Self.isPlausible(Self.body(signature: Base64.encode(bytes))) == expected)
    }

    @Test(
        "An AdAttributionKit postback under an unknown key of Apple's is plausible",
        arguments: [
            ("apple-cas-identifier/1", true), ("apple-", true), ("skan-test-identifier/1", false), ("", false),
            ("APPLE-cas-identifier/1", false),
        ])
    func keys(_ kid: String, _ expected: Bool) throws {
        let body = AdAttributionKitPostbackTests.body(header: #"{"alg":"ES256","kid":"\#(kid)"}"#)
        #expect(try Self.isPlausible(body) == expected)
    }

    @Test(
        "Without ids in a JSON payload it is implausible",
        arguments: [
            "{}", "[]", "x", #"{"postback-identifier":"a"}"#, #"{"postback-identifier":1,"ad-network-identifier":"n"}"#,
        ])
    func payloads(_ payload: String) throws {
        let body = AdAttributionKitPostbackTests.body(
            header: #"{"alg":"ES256","kid":"apple-cas-identifier/1"}"#, payload: payload)
        #expect(try !Self.isPlausible(body))
    }

    @Test("A body rejected for any other reason is implausible")
    func otherReasons() {
        let body = Self.body()
        for rejection in [PostbackRejection.malformed([]), .invalidSignature(keys: []), .notJSON(.empty)] {
            #expect(!FuturePostback.isPlausible(rejection, body: body))
        }
        #expect(!FuturePostback.isPlausible(.unknownVersion("5.0"), body: []))
    }

    @Test("The description does not say whether the body was kept")
    func words() {
        for rejection in [PostbackRejection.unknownVersion("\"5.0\""), .unknownKey("\"a\"")] {
            #expect(!rejection.description.contains("kept"))
        }
    }
}
