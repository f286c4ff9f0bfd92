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
    package var description: String {
        text
    }

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
