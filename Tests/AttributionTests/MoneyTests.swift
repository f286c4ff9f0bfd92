import Attribution
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
