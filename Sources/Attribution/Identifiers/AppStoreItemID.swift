/// The App Store id of an app.
///
/// A 64-bit whole number: ids above 2³² occur. `0` names a development-signed source app. All versions.
///
/// - SeeAlso: [app-id,
///   source-app-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public struct AppStoreItemID: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let value: Int64

    /// Makes an id from a number.
    public init(_ value: Int64) {
        self.value = value
    }

    /// The number in decimal digits, as it is signed.
    public var description: String {
        String(value)
    }
}
