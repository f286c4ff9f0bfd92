package import Attribution

/// Whether ads are real or those of a test, whose figures have tables of their own: no sum can have both in it.
package enum AdTraffic: CaseIterable, Hashable, Sendable {
    /// Ads shown to people, whose postbacks Apple signs.
    case real
    /// Ads of a test, whose postbacks a test key signs.
    case test

    /// The ads of some postbacks; nil if nothing else is ever known of such ads.
    package init?(_ traffic: Traffic) {
        switch traffic {
        case .apple: self = .real
        case .test: self = .test
        case .foreign, .development: return nil
        }
    }

    /// What they are called.
    package var name: String {
        switch self {
        case .real: "real ads"
        case .test: "test ads"
        }
    }

    /// The name of their table.
    ///
    /// - Parameter name: That of the table for real ads.
    /// - Returns: That for these ads.
    package func table(_ name: String) -> String {
        switch self {
        case .real: name
        case .test: "\(name)_test"
        }
    }
}
