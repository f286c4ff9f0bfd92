/// The form of an ad.
package enum AdForm: String, CaseIterable, Hashable, Sendable {
    /// An ad that opens StoreKit's product page; fidelity 1.
    case storeKitRendered = "storekit-rendered"
    /// An ad that is only viewed; fidelity 0, from 2.2.
    case viewThrough = "view-through"
    /// An ad on a web page; fidelity 1, from 4.0.
    case web
}
