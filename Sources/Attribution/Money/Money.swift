/// An exact amount of money that is not negative, in millionths of a currency that is known from elsewhere.
///
/// Sums that do not fit are kept as the greatest amount and marked, so that they are neither wrong nor the end of a
/// report.
package struct Money: Hashable, Sendable {
    /// Millionths of the currency's unit.
    package let micros: Int64
    /// Whether the amount is greater than ``micros`` can say.
    package let isSaturated: Bool

    /// No money.
    package static let zero = Money(micros: 0)
    /// More than can be said.
    private static let saturated = Money(micros: .max, isSaturated: true)
    /// How many decimal places are read: currencies have at most four, and half of a millionth has no text.
    package static let places = 5

    private init(micros: Int64, isSaturated: Bool) {
        self.micros = micros
        self.isSaturated = isSaturated
    }

    /// Makes an amount; a negative one is nothing.
    package init(micros: Int64) {
        self.init(micros: max(0, micros), isSaturated: false)
    }

    /// Adds up whole units and millionths, each of them the sum of many amounts.
    package init(units: Int64, micros: Int64) {
        self = Money(micros: 1_000_000) * units + Money(micros: micros)
    }

    /// Reads digits with at most five decimal places, such as `4.99`; nil for any other text, also for an exponent, a
    /// sign, and more than a trillion.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isDecimal, parts[0].utf8.count <= 12, let whole = Int64(parts[0]) else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.utf8.count <= Self.places,
            let fraction = Int64(decimals + String(repeating: "0", count: 6 - decimals.utf8.count))
        else {
            return nil
        }
        self.init(micros: whole * 1_000_000 + fraction)
    }

    /// The sum.
    package static func + (left: Money, right: Money) -> Money {
        let (sum, overflows) = left.micros.addingReportingOverflow(right.micros)
        return left.isSaturated || right.isSaturated || overflows ? .saturated : Money(micros: sum)
    }

    /// Adds an amount.
    package static func += (left: inout Money, right: Money) {
        left = left + right
    }

    /// As often as something happened; never for a negative number of times.
    package static func * (amount: Money, count: Int64) -> Money {
        let (product, overflows) = amount.micros.multipliedReportingOverflow(by: max(0, count))
        return overflows || amount.isSaturated && count > 0 ? .saturated : Money(micros: product)
    }

    /// The amount for each of some things, rounded to four decimal places.
    package func divided(by count: Int64, times: Int64 = 1) -> Money? {
        guard count > 0, times > 0 else {
            return nil
        }
        let product = UInt64(micros).multipliedFullWidth(by: UInt64(times))
        guard !isSaturated, product.high < UInt64(count) else {
            return .saturated
        }
        let quotient = UInt64(count).dividingFullWidth(product).quotient
        let rounded = quotient / 100 + (quotient % 100 >= 50 ? 1 : 0)
        return Int64(exactly: rounded * 100).map { Money(micros: $0) } ?? .saturated
    }

    /// The middle between two amounts; exact for amounts that were read, and for their sums.
    package static func middle(_ low: Money, _ high: Money) -> Money {
        let isSaturated = low.isSaturated || high.isSaturated
        return Money(
            micros: low.micros / 2 + high.micros / 2 + (low.micros % 2 + high.micros % 2) / 2,
            isSaturated: isSaturated)
    }
}

extension Money: Comparable {
    /// Orders amounts of one currency.
    package static func < (left: Money, right: Money) -> Bool {
        (left.micros, left.isSaturated ? 1 : 0) < (right.micros, right.isSaturated ? 1 : 0)
    }
}

extension Money: CustomStringConvertible {
    /// The amount with at least two decimal places; one that does not fit begins with `>`.
    package var description: String {
        var decimals = (micros % 1_000_000).padded(to: 6)
        while decimals.utf8.count > 2, decimals.hasSuffix("0") {
            decimals.removeLast()
        }
        return "\(isSaturated ? ">" : "")\(micros / 1_000_000).\(decimals)"
    }
}

/// A currency by its code of ISO 4217, such as `EUR`.
package struct CurrencyCode: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The three capitals.
    package let text: String

    /// Accepts the code of a currency in use; nil for any other text.
    package init?(_ text: String) {
        guard Self.known.contains(text) else {
            return nil
        }
        self.text = text
    }

    /// The three capitals.
    package var description: String { text }

    /// Orders codes by the alphabet.
    package static func < (left: CurrencyCode, right: CurrencyCode) -> Bool {
        left.text < right.text
    }

    /// The currencies in use in 2026, without those of funds and metals.
    ///
    /// - SeeAlso: [ISO 4217](https://www.iso.org/iso-4217-currency-codes.html)
    package static let known: Set<String> = Set(
        """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF
        CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
        HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD
        MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG
        QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD
        TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
        """.split(whereSeparator: \.isWhitespace).map { String($0) })
}
