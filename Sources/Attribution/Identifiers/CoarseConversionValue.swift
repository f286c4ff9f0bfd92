/// The coarse conversion value of version 4.0; never signed.
///
/// - SeeAlso: [coarse-conversion-value](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public enum CoarseConversionValue: String, CaseIterable, Hashable, Sendable {
    /// `low`
    case low
    /// `medium`
    case medium
    /// `high`
    case high
}
