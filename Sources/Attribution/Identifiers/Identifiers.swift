/// The id under which an ad network is registered with Apple, for example `example123.skadnetwork`.
///
/// Registered in lower case, but signed as the source app's Info.plist spells it and verified as received: the case of
/// its letters is never changed. All versions.
///
/// - SeeAlso: [ad-network-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package typealias AdNetworkID = SignableText<AdNetworkIDKind>

/// The kind of ``AdNetworkID``.
package enum AdNetworkIDKind {}

extension SignableText<AdNetworkIDKind> {
    /// The id in lower case, as registered: ids that differ only in case name the same network.
    package var registered: String { text.lowercasedASCII }
}

extension String {
    /// The text with A to Z in lower case; other letters, such as the sign for kelvin, are no spelling of these.
    package var lowercasedASCII: String {
        guard utf8.contains(where: { (0x41...0x5a).contains($0) }) else {
            return self
        }
        return String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// The App Store id of an app.
///
/// A 64-bit integer: ids above 2³² occur. `0` means a development-signed source app. All versions.
///
/// - SeeAlso: [app-id,
///   source-app-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package struct AppStoreItemID: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }

    /// The number in decimal digits, as it is signed.
    package var description: String { String(value) }
}

/// The hierarchical source identifier of a postback, from 4.0: one to four decimal digits.
///
/// A string, not a number: leading zeros are significant. Devices shorten it from the left, so the two-digit form is
/// the **last** two of the four digits (5239 → 239 → 39).
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
package struct SourceIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// How many digits it has: signing and reading have this one table.
    ///
    /// Apple's key for impressions takes a number "up to four digits", so one digit can be signed. How devices write it
    /// in a postback is documented nowhere: what verifies is counted.
    ///
    /// - SeeAlso: [SKStoreProductParameterAdNetworkSourceIdentifier](https://developer.apple.com/documentation/storekit/skstoreproductparameteradnetworksourceidentifier)
    package static let lengths = 1...4

    /// The digits as received.
    package let digits: String

    /// Accepts one to four decimal digits; nil for any other text.
    package init?(_ digits: String) {
        guard Self.lengths.contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            return nil
        }
        self.digits = digits
    }

    /// Accepts two to four digits that a person wrote: one alone may be `05` that a spreadsheet made a number of.
    package init?(written digits: String) {
        guard digits.utf8.count > 1 else {
            return nil
        }
        self.init(digits)
    }

    /// The last `count` digits, or nil if the identifier has fewer.
    package func suffix(_ count: Int) -> String? {
        digits.utf8.count < count ? nil : String(digits.suffix(count))
    }

    /// The digits as received.
    package var description: String { digits }
}

/// A campaign id or source identifier of an impression, within the range that Apple documents.
protocol CampaignNumber: Hashable, Sendable {
    /// The valid numbers.
    static var range: ClosedRange<Int64> { get }
    /// Accepts a number in the range; nil for any other.
    init?(_ value: Int64)
}

/// The campaign id of an impression; up to 3.0.
///
/// - SeeAlso: [Ad network install-validation
///   keys](https://developer.apple.com/documentation/storekit/ad-network-install-validation-keys)
package struct CampaignID: CampaignNumber {
    /// The range of `campaign-id` when signing.
    package static let range: ClosedRange<Int64> = 1...100

    /// The number.
    package let value: Int64

    /// Accepts a number from 1 to 100; nil for any other.
    package init?(_ value: Int64) {
        guard Self.range.contains(value) else {
            return nil
        }
        self.value = value
    }
}

/// The source identifier of an impression, a number; from 4.0, and in AdAttributionKit.
///
/// A postback has only its last digits, as a string: see ``SourceIdentifier``.
package struct ImpressionSourceIdentifier: CampaignNumber {
    /// The range of `source-identifier` when signing.
    package static let range: ClosedRange<Int64> = 0...largest

    /// The largest number of as many digits as a ``SourceIdentifier`` has.
    private static var largest: Int64 { SourceIdentifier.lengths.reduce(0) { number, _ in number * 10 + 9 } }

    /// The number.
    package let value: Int64

    /// Accepts a number from 0 to 9999; nil for any other.
    package init?(_ value: Int64) {
        guard Self.range.contains(value) else {
            return nil
        }
        self.value = value
    }
}

/// The id of an install validation, used to discard repeated postbacks.
///
/// A UUID in upper or lower case; compared as received, because its text is signed. All versions.
///
/// - SeeAlso: [transaction-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package typealias TransactionID = SignableText<TransactionIDKind>

/// The kind of ``TransactionID``.
package enum TransactionIDKind {}

/// The `impression-type` of an AdAttributionKit impression; signed.
///
/// Kept as text, because Apple may add types.
package typealias ImpressionType = SignableText<ImpressionTypeKind>

/// The kind of ``ImpressionType``.
package enum ImpressionTypeKind {
    /// The only type so far.
    package static let app = "app-impression"
}

/// The marketplace an app was installed from, for example `com.apple.AppStore`; signed.
///
/// - SeeAlso: [marketplace-identifier](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package typealias MarketplaceIdentifier = SignableText<MarketplaceIdentifierKind>

/// The kind of ``MarketplaceIdentifier``.
package enum MarketplaceIdentifierKind {}

/// The registrable domain (eTLD+1) of the web page that showed a web ad.
///
/// Version 4.0 only; in a postback only at the highest data tier.
///
/// - SeeAlso: [source-domain](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package typealias SourceDomain = SignableText<SourceDomainKind>

/// The kind of ``SourceDomain``.
package enum SourceDomainKind {}

/// The country of the App Store a conversion came from: two capital letters of ISO 3166-1.
///
/// Only at the highest data tier, and never signed.
///
/// - SeeAlso: [country-code](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package struct CountryCode: Hashable, Sendable, CustomStringConvertible {
    /// The letters as received, or `invalid`.
    package let text: String

    /// A value that is no country code, as forwarders make them: `us`, `US-CA`; the body says which.
    package static let invalid = CountryCode()

    private init() {
        text = "invalid"
    }

    /// Accepts two letters from A to Z; nil for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == 2, text.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            return nil
        }
        self.text = text
    }

    /// The letters as received.
    package var description: String { text }
}

/// A value that is signed exactly as received; `Kind` makes each use a distinct type.
package struct SignableText<Kind>: Hashable, Sendable, CustomStringConvertible {
    /// The text as received.
    package let text: String

    /// What is accepted, for messages.
    package static var rule: String { SignedTextSeparator.rule }

    /// Accepts a text of 1 to 255 bytes without U+2063 or control characters; nil for any other.
    package init?(_ text: String) {
        guard SignedTextSeparator.admits(text) else {
            return nil
        }
        self.text = text
    }

    /// The text as received.
    package var description: String { text }

    /// Compares bytes, because bytes are signed; `String` compares by canonical equivalence.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    /// Hashes the bytes of the text.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
