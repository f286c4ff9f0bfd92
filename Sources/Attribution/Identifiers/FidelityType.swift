/// How an ad was presented.
///
/// An open set, for a postback may carry a number that Apple adds later: it is signed, so it is kept. From 2.2.
///
/// - SeeAlso: [fidelity-type](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public struct FidelityType: RawRepresentable, Hashable, Sendable {
    /// `0`: a view-through ad.
    public static let viewThrough = FidelityType(rawValue: 0)
    /// `1`: a StoreKit-rendered ad, or a web ad.
    public static let storeKitRendered = FidelityType(rawValue: 1)

    /// The number as signed.
    public let rawValue: Int64

    /// Makes a type from the number as signed.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
