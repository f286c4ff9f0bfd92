/// The names of the keys that sign AdAttributionKit postbacks: `kid` in the header, a closed set.
///
/// - SeeAlso: [Verifying a
///   postback](https://developer.apple.com/documentation/adattributionkit/verifying-a-postback)
package enum PostbackKeyID: String, CaseIterable, Hashable, Sendable {
    /// Apple's key for production.
    case production = "apple-cas-identifier/0"
    /// Apple's key for development, end-to-end flows.
    case developmentFlow = "apple-development-identifier/0"
    /// Apple's key for development, postbacks made in the developer settings of a device.
    case developerSettings = "apple-development-identifier/1"
    /// The stand-in for Apple in tests; it stands for the test keys an operator named, and for nothing else.
    case test = "skan-test-identifier/0"

    /// The key with exactly this name, byte for byte; nil for any other text.
    init?(exactly name: String) {
        guard let keyID = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = keyID
    }

    /// Apple's names, for a message.
    static var list: String {
        allCases.filter { $0 != .test }.map(\.rawValue).joined(separator: ", ")
    }
}
