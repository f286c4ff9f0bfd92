import Attribution
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
}
