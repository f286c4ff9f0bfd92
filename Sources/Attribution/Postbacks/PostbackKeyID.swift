/// The `kid` values of the keys that sign AdAttributionKit postbacks.
///
/// - SeeAlso: [Verifying a
///   postback](https://developer.apple.com/documentation/adattributionkit/verifying-a-postback)
package enum PostbackKeyID: String, CaseIterable, Hashable, Sendable {
    /// Apple's production key.
    case production = "apple-cas-identifier/0"
    /// Apple's development key for end-to-end flows.
    case developmentFlow = "apple-development-identifier/0"
    /// Apple's development key for postbacks created in a device's developer settings.
    case developerSettings = "apple-development-identifier/1"
    /// The test keys that the operator trusts.
    case test = "skan-test-identifier/0"

    /// The key with exactly these bytes as its name; nil for any other text.
    init?(exactly name: String) {
        guard let keyID = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = keyID
    }

    /// Apple's names, for messages.
    static var list: String {
        allCases.filter { $0 != .test }.map(\.rawValue).joined(separator: ", ")
    }
}
