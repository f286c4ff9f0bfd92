import Attribution
import CodedErrors
import StrictJSON

extension DocumentFields {
    /// A day.
    func day(_ name: String) throws(DocumentProblem) -> CalendarDay {
        let text = try text(name)
        do throws(FieldProblem) {
            return try CalendarDay.reading(text, field: name)
        } catch {
            throw problem(
                name, found: "\"\(error.found)\"", expected: error.expected, cure: "write a day such as \"2026-11-09\"")
        }
    }

    /// A day, or nil if there is none.
    func optionalDay(_ name: String) throws(DocumentProblem) -> CalendarDay? {
        has(name) ? try day(name) : nil
    }

    /// A currency, or nil if there is none.
    func currency(_ name: String) throws(DocumentProblem) -> CurrencyCode? {
        guard let text = try optionalText(name) else {
            return nil
        }
        guard let currency = CurrencyCode(text) else {
            throw problem(
                name, found: "\"\(text.shortened(to: 60))\"", expected: "a currency code of ISO 4217",
                cure: CurrencyCode.known.contains(text.uppercased())
                    ? "write \"\(text.uppercased())\"" : "write a code such as \"EUR\" or \"USD\"")
        }
        return currency
    }

    /// An amount or the bounds of one; nil if there is none.
    func revenue(_ name: String) throws(DocumentProblem) -> ClosedRange<Money>? {
        guard has(name) else {
            return nil
        }
        if let fixed = amount(name) {
            return fixed...fixed
        }
        guard isObject(name) else {
            throw problem(name, found: summary(name), expected: Self.amountRule, cure: Self.amountCure)
        }
        let bounds = try child(name)
        if let unknown = bounds.unknown(besides: ["low", "high"]).first {
            throw unknown
        }
        let low = try bounds.money("low")
        let high = try bounds.money("high")
        guard low <= high else {
            throw bounds.problem(
                "high", found: high.description, expected: "at least low, which is \(low)", cure: "exchange the two")
        }
        return low...high
    }

    /// An exact amount; nil for anything else.
    private func amount(_ name: String) -> Money? {
        decimalText(name).flatMap { Money($0) }
    }

    private func money(_ name: String) throws(DocumentProblem) -> Money {
        guard let amount = amount(name) else {
            throw problem(name, found: summary(name), expected: Self.amountRule, cure: Self.amountCure)
        }
        return amount
    }

    private static let amountRule =
        "an amount that is not negative, with at most \(Money.places) decimal places and 12 digits before them"
    private static let amountCure = "write an amount such as 4.99, or {\"low\": 0.99, \"high\": 4.99}"
}
