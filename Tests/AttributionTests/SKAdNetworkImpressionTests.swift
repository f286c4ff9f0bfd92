import Attribution
import StrictJSON
import Testing

@Suite("Checking and encoding impressions")
struct SKAdNetworkImpressionTests {
    static func request(_ version: String, _ change: (inout SKAdNetworkImpressionDraft) -> Void = { _ in })
        -> SKAdNetworkImpressionDraft
    {
        var request = SKAdNetworkImpressionDraft(
            version: version, adNetworkID: "Example123.SKAdNetwork", itunesItemID: 10_738_027_756,
            nonce: "68483ef6-0678-40df-859b-1b8f3f2d7b21", timestampMilliseconds: 1_676_057_605_705)
        if version == "4.0" {
            request.sourceIdentifier = 39
        } else {
            request.campaignID = 42
        }
        if version != "1.0" {
            request.sourceAppID = 1_234_567_891
        }
        change(&request)
        return request
    }

    @Test(
        "The signed text has the version's values in the version's order",
        arguments: [
            ("1.0", nil, nil, "N|42|A|U|T"),
            ("2.0", nil, nil, "2.0|N|42|A|U|S|T"),
            ("2.1", nil, nil, "2.1|N|42|A|U|S|T"),
            ("2.2", nil, nil, "2.2|N|42|A|U|S|1|T"),
            ("2.2", 0, nil, "2.2|N|42|A|U|S|0|T"),
            ("3.0", 1, nil, "3.0|N|42|A|U|S|1|T"),
            ("3.0", 0, nil, "3.0|N|42|A|U|S|0|T"),
            ("4.0", 1, nil, "4.0|N|39|A|U|S|1|T"),
            ("4.0", 0, nil, "4.0|N|39|A|U|S|0|T"),
            ("4.0", nil, "example.com", "4.0|N|39|A|U|example.com|1|T"),
        ] as [(String, Int64?, String?, String)])
    func signedText(_ version: String, _ fidelity: Int64?, _ domain: String?, _ expected: String) throws {
        let impression = try Self.request(version) {
            $0.fidelityType = fidelity
            if let domain {
                $0.sourceDomain = domain
                $0.sourceAppID = nil
            }
        }.checked()
        let text = impression.signedText.description
            .replacing("Example123.SKAdNetwork", with: "N").replacing("10738027756", with: "A")
            .replacing("68483ef6-0678-40df-859b-1b8f3f2d7b21", with: "U").replacing("1234567891", with: "S")
            .replacing("1676057605705", with: "T")
        #expect(text == expected)
    }

    typealias Change = @Sendable (inout SKAdNetworkImpressionDraft) -> Void

    static let wrongValues: [(String, String, Change)] = [
        ("1.1", "version", { _ in }),
        ("3.0", "ad-network-id", { $0.adNetworkID = "" }),
        ("3.0", "ad-network-id", { $0.adNetworkID = "a\u{2063}b" }),
        ("3.0", "campaign-id", { $0.campaignID = 0 }),
        ("3.0", "campaign-id", { $0.campaignID = 101 }),
        ("3.0", "campaign-id", { $0.campaignID = nil }),
        ("3.0", "source-identifier", { $0.sourceIdentifier = 1 }),
        ("4.0", "source-identifier", { $0.sourceIdentifier = 10_000 }),
        ("4.0", "source-identifier", { $0.sourceIdentifier = -1 }),
        ("4.0", "source-identifier", { $0.sourceIdentifier = nil }),
        ("4.0", "campaign-id", { $0.campaignID = 1 }),
        ("3.0", "itunes-item-id", { $0.itunesItemID = 0 }),
        ("1.0", "source-app-id", { $0.sourceAppID = 1 }),
        ("2.0", "source-app-id", { $0.sourceAppID = nil }),
        ("2.0", "source-app-id", { $0.sourceAppID = -1 }),
        ("3.0", "source-domain", { $0.sourceDomain = "example.com" }),
        ("4.0", "source-domain", { $0.sourceDomain = "example.com" }),
        (
            "4.0", "source-domain",
            {
                $0.sourceAppID = nil; $0.sourceDomain = "https://example.com"
            }
        ),
        ("2.1", "fidelity-type", { $0.fidelityType = 1 }),
        ("2.2", "fidelity-type", { $0.fidelityType = 2 }),
        (
            "4.0", "fidelity-type",
            {
                $0.sourceAppID = nil; $0.sourceDomain = "example.com"; $0.fidelityType = 0
            }
        ),
        ("3.0", "nonce", { $0.nonce = "68483EF6-0678-40DF-859B-1B8F3F2D7B21" }),
        ("3.0", "nonce", { $0.nonce = "68483ef6-0678-10df-859b-1b8f3f2d7b21" }),
        ("3.0", "nonce", { $0.nonce = "68483ef6067840df859b1b8f3f2d7b21" }),
        ("3.0", "timestamp", { $0.timestampMilliseconds = 1_676_057_605 }),
        ("3.0", "timestamp", { $0.timestampMilliseconds = 1_676_057_605_705_000 }),
    ]

    @Test("A value that the version does not allow is refused by name", arguments: wrongValues)
    func refused(_ version: String, _ field: String, _ change: Change) {
        let problem = #expect(throws: FieldProblem.self) { try Self.request(version, change).checked() }
        #expect(problem?.field == field)
    }

    @Test("A fresh nonce is a version 4 UUID in lower case")
    func nonces() {
        var generator = SystemRandomNumberGenerator()
        let nonces = (0..<100).map { _ in Nonce(using: &generator) }
        #expect(Set(nonces).count == 100)
        #expect(nonces.allSatisfy { Nonce($0.text) == $0 })
    }

    @Test(
        "A numbered nonce begins with the number, around the version, and ends at random",
        arguments: [
            (0, "00000000-0000-4000"), (1, "00000000-0000-4001"), (0xFFF, "00000000-0000-4fff"),
            (0x1000, "00000000-0001-4000"), (0x0123_4567_89AB_CDEF, "12345678-9abc-4def"),
            (1 << 60 - 1, "ffffffff-ffff-4fff"), (.max, "ffffffff-ffff-4fff"),
        ] as [(UInt64, String)])
    func numberedNonce(_ number: UInt64, _ beginning: String) {
        var generator = SystemRandomNumberGenerator()
        let nonces = (0..<100).map { _ in Nonce(numbered: number, using: &generator) }
        #expect(nonces.allSatisfy { $0.text.hasPrefix(beginning + "-") && Nonce($0.text) == $0 })
        #expect(Set(nonces.map { $0.text.dropFirst(beginning.count) }).count == 100)
    }
}
