/// Which numbers a verified postback enters; the four never mix.
package enum Traffic: String, CaseIterable, Hashable, Sendable {
    /// Verified with Apple's key, for a network that is ours: real installs.
    case apple
    /// Verified with Apple's key, for a network that is not ours: usually a copy some developer's app asked for.
    case foreign
    /// Verified with one of Apple's development keys.
    case development
    /// Verified with a test key an operator named.
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
