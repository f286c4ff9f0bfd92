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

/// Whose key verified a postback.
package enum Provenance: String, CaseIterable, Hashable, Sendable {
    /// Apple's production key: a real install.
    case apple
    /// One of Apple's development keys: anyone with a device in Developer Mode can make such postbacks, for any app.
    case development
    /// A key from `--trust-test-key`.
    case test
}

/// The operator's own ad networks.
///
/// Any developer can direct copies of an app's postbacks to this server, and those are signed by Apple too.
package struct OwnNetworks: Hashable, Sendable {
    /// The ids in lower case; if empty, every network is the operator's own.
    package let identifiers: Set<String>

    package init(_ identifiers: [String] = []) {
        self.identifiers = Set(identifiers.map(\.lowercasedASCII))
    }

    /// The traffic a postback belongs to; only production traffic can be foreign.
    package func traffic(of verified: VerifiedPostback) -> Traffic {
        traffic(verified.provenance, of: verified.postback.adNetworkID)
    }

    /// The traffic of a postback that is not understood; one whose network cannot be read is not known to be ours.
    package func traffic(of verified: VerifiedUnknownPostback) -> Traffic {
        traffic(verified.provenance, of: verified.postback.adNetworkID)
    }

    private func traffic(_ provenance: Provenance, of network: AdNetworkID?) -> Traffic {
        switch provenance {
        case .apple:
            identifiers.isEmpty || network.map { identifiers.contains($0.registered) } ?? false ? .apple : .foreign
        case .development: .development
        case .test: .test
        }
    }
}
