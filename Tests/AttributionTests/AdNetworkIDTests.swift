import Attribution
import StrictJSON
import Testing

@Suite("Ids of ad networks")
struct AdNetworkIDTests {
    /// Spellings of an id, and whether they name the network `k.skadnetwork`.
    static let spellings: [(String, isSame: Bool)] = [
        ("k.skadnetwork", true), ("K.SKAdNetwork", true), ("k.skadnetwork ", false), ("k.skadnetwor", false),
        // The sign for kelvin, whose lower case in Unicode is k, and the long s, whose upper case is S.
        ("\u{212A}.skadnetwork", false), ("k.s\u{212A}adnetwork", false), ("k.\u{17F}kadnetwork", false),
    ]

    @Test("Only A to Z have another letter case", arguments: spellings)
    func registered(_ text: String, _ isSame: Bool) throws {
        let id = try #require(AdNetworkID(text))
        #expect((id.registered == "k.skadnetwork") == isSame)
        #expect(OwnNetworks([text]).identifiers.contains("k.skadnetwork") == isSame)
    }

    @Test(
        "A setting may name a network in any letter case, and Apple's own",
        arguments: [
            "example123.skadnetwork", "Example123.SKAdNetwork", "example123.adattributionkit", "com.apple.ads",
            "com.apple.test-1", "com.example",
        ])
    func setting(_ text: String) throws {
        #expect(try AdNetworkID.ofSetting(text, field: "--network").text == text)
    }

    @Test(
        "A setting with anything but one id is refused, naming it",
        arguments: [
            "", " ", ",", "com.example,example123.skadnetwork", "example123.skadnetwork ", " example123.skadnetwork",
            "\texample123.skadnetwork", "example123.skadnetwork\u{200B}", "example123.skadnetwork.",
            "com.example.", "com.example ", "com.", "example123", "example123.skadnetwor", "example.123.skadnetwork",
            "k.s\u{212A}adnetwork",
        ])
    func badSetting(_ text: String) {
        let problem = #expect(throws: FieldProblem.self) { try AdNetworkID.ofSetting(text, field: "--network") }
        #expect(problem?.field == "--network")
    }
}
