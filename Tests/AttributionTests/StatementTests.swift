import Attribution
import Testing

@Suite("The statements of a postback")
struct StatementTests {
    /// A generator with the same numbers in every run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 16 | state << 48
        }
    }

    /// A way to write a name or value, and its meaning.
    private struct Spelled {
        let text: String
        let meaning: String
    }

    private static let names = [
        "a", "b", "ab", "aba", "abcdefgh", "abcdefghi", "abcdefgz", "é", "e\u{301}", "", "\u{0}",
    ]
    private static let values = [
        #""""#, #""a""#, #""b""#, #""é""#, "\"e\u{301}\"", "1", "2", "-1", "0", "-0", "1.0", "1e0", "1e00", "true",
        "false", "null", #""null""#, #""1""#, #""true""#, "[]", "[ ]", "{}", "{ }", #"{"a":1}"#,
        "9223372036854775807", "9223372036854775808",
    ]

    /// Escapes some characters of a string in JSON.
    private static func escaped(_ text: String, _ random: inout Generator) -> String {
        text.unicodeScalars.map { scalar in
            let code = String(scalar.value, radix: 16)
            let mustBe = scalar.value < 0x20
            return mustBe || Bool.random(using: &random)
                ? "\\u" + String(repeating: "0", count: 4 - code.count) + code : String(scalar)
        }.joined()
    }

    private static func members(_ random: inout Generator) -> (text: String, meaning: Set<String>) {
        var members: [String] = []
        var meaning: Set<String> = []
        for name in names.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)) {
            let value = values[Int.random(in: values.indices, using: &random)]
            let isString = value.hasPrefix("\"")
            let written =
                isString ? "\"\(escaped(String(value.dropFirst().dropLast()), &random))\"" : value
            let space = Bool.random(using: &random) ? " " : ""
            members.append("\"\(escaped(name, &random))\"\(space):\(space)\(written)")
            // Names and strings are compared by bytes, not characters.
            meaning.insert("\(Array(name.utf8)): \(Array(value.utf8))")
        }
        return (members.joined(separator: " , "), meaning)
    }

    private static func joined(_ parts: [String], _ random: inout Generator) -> String {
        "{" + parts.filter { !$0.isEmpty }.shuffled(using: &random).joined(separator: ",") + "}"
    }

    @Test("Two copies have equal statements if and only if their fields are equal, in either framework")
    func property() throws {
        var random = Generator(state: 9)
        let skAdNetwork = [#""ad-network-id":"N","campaign-id":1,"app-id":2"#, #""transaction-id":"a\/b""#]
        let required = String(AdAttributionKitPostbackTests.payload.dropFirst().dropLast())
        for isSKAdNetwork in [true, false] {
            var copies: [(statements: [UInt8], meaning: [Set<String>])] = []
            for _ in 0..<400 {
                let (first, second) = (Self.members(&random), Self.members(&random))
                let signature = ["AAAA", "AAAB"][Int.random(in: 0...1, using: &random)]
                let body: [UInt8]
                if isSKAdNetwork {
                    let text = Self.joined(
                        skAdNetwork + [first.text, "\"attribution-signature\":\"\(signature)\""], &random)
                    body = Array(text.utf8)
                } else {
                    let payload = Self.joined([required, first.text], &random)
                    body = AdAttributionKitPostbackTests.body(
                        payload: payload, siblings: second.text.isEmpty ? "" : "," + second.text)
                }
                copies.append(
                    (
                        try ReceivedPostback(reading: body).statements,
                        isSKAdNetwork ? [first.meaning] : [first.meaning, second.meaning]
                    ))
            }
            var (same, different) = (0, 0)
            for one in copies {
                for other in copies {
                    let areSame = one.meaning == other.meaning
                    #expect((one.statements == other.statements) == areSame)
                    same += areSame ? 1 : 0
                    different += areSame ? 0 : 1
                }
            }
            #expect(same > 1_000 && different > 1_000)
        }
    }

    @Test("More fields than a postback has are sorted too")
    func many() throws {
        let names = (0..<100).map { "\"field-\($0)\":\($0)" }
        func statements(_ names: [String]) throws -> [UInt8] {
            let text = SKAdNetworkPostbackTests.bodies[0].1 + "," + names.joined(separator: ",")
            return try ReceivedPostback(reading: SKAdNetworkPostbackTests.body(text)).statements
        }
        #expect(try statements(names) == statements(names.reversed()))
        #expect(try statements(names) != statements(Array(names.dropLast())))
    }

    @Test("A signed field differs from an unsigned one with the same name")
    func sides() throws {
        func statements(_ payload: String, _ siblings: String) throws -> [UInt8] {
            let text = AdAttributionKitPostbackTests.payload.replacing(#""later-key":[1]"#, with: payload)
            return try ReceivedPostback(reading: AdAttributionKitPostbackTests.body(payload: text, siblings: siblings))
                .statements
        }
        #expect(try statements(#""a":1,"b":2"#, "") != statements(#""a":1"#, #","b":2"#))
        #expect(try statements(#""a":1"#, #","b":2"#) != statements(#""b":2"#, #","a":1"#))
    }

    @Test("The format does not change: stores keep digests of it")
    func golden() throws {
        let body =
            #"{"transaction-id":"T","x":[1],"ad-network-id":"N","campaign-id":1,"app-id":2,"redownload":null,"attribution-signature":"AAAA"}"#
        func text(_ text: String) -> [UInt8] {
            [UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8)
        }
        let expected: [UInt8] =
            [1, 6, 0, 0, 0] + text("ad-network-id") + [1] + text("N") + text("app-id") + [2, 2, 0, 0, 0, 0, 0, 0, 0]
            + text("campaign-id") + [2, 1, 0, 0, 0, 0, 0, 0, 0] + text("redownload") + [6] + text("transaction-id")
            + [1] + text("T") + text("x") + [7] + text("[1]")
        #expect(try ReceivedPostback(reading: Array(body.utf8)).statements == expected)
    }
}
