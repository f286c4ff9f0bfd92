/// The traffic a verified postback belongs to; reports never mix the four.
package enum Traffic: String, CaseIterable, Hashable, Sendable {
    /// Verified with Apple's key, for one of the operator's own networks: real installs.
    case apple
    /// Verified with Apple's key, for another network: usually a copy that an app's developer directed here.
    case foreign
    /// Verified with one of Apple's development keys.
    case development
    /// Verified with a test key that the operator trusts.
    case test

    /// Whose key verified such a postback.
    package var provenance: Provenance {
        switch self {
        case .apple, .foreign: .apple
        case .development: .development
        case .test: .test
        }
    }
}
