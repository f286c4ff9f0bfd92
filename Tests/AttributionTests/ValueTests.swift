import Attribution
import StrictJSON
import Testing

@Suite("Exact amounts of money")
struct MoneyTests {
    @Test(
        "An amount is read and written exactly",
        arguments: [
            ("0", "0.00"), ("4.99", "4.99"), ("4.9", "4.90"), ("0.00001", "0.00001"), ("007.10", "7.10"),
            ("999999999999.99999", "999999999999.99999"), ("9007199254.74099", "9007199254.74099"),
        ])
    func text(_ text: String, _ written: String) throws {
        #expect(try #require(Money(text)).description == written)
    }

    @Test(
        "What is no amount, or more exact than can be kept, is refused",
        arguments: [
            "", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "0.000001", "1000000000000", "NaN", "1.2.3", " 1",
            "\u{0661}",
        ])
    func refused(_ text: String) {
        #expect(Money(text) == nil)
    }

    @Test("The middle of amounts that were read is exact")
    func middle() throws {
        let (low, high) = (try #require(Money("0.00001")), try #require(Money("0.00002")))
        #expect(Money.middle(low, high).description == "0.000015")
        #expect(Money.middle(low, low) == low)
    }

    @Test("Sums and products that do not fit say so, and stay the greatest amount")
    func saturation() throws {
        let much = Money(micros: .max)
        let sum = much + Money(micros: 1)
        #expect(sum.isSaturated && sum.description == ">9223372036854.775807")
        #expect(!much.isSaturated && (much + .zero) == much)
        #expect((much * 2) == sum && (sum + sum) == sum && (sum * 3) == sum)
        #expect(Money.middle(much, sum).isSaturated && much < sum)
        #expect((sum * 0) == .zero)
    }

    @Test("A currency is a code in use, in capitals", arguments: ["eur", "EURO", "XXX", "", "E"])
    func currency(_ text: String) {
        #expect(CurrencyCode(text) == nil)
        #expect(CurrencyCode("EUR")?.text == "EUR")
    }
}

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
        let id = try AdNetworkID.ofSetting(text, field: "--network")
        #expect(id.text == text)
        #expect((id.caseWarning != nil) == text.utf8.contains { (0x41...0x5A).contains($0) })
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
