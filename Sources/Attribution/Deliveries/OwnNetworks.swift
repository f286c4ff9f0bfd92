/// The operator's own ad networks.
///
/// Any developer can direct copies of an app's postbacks to this server, and those are signed by Apple too.
package struct OwnNetworks: Hashable, Sendable {
    /// The ids in lower case; if empty, every network is the operator's own.
    package let identifiers: Set<String>

    /// Makes a set of networks.
    ///
    /// - Parameter identifiers: Ad network ids, for example `example123.skadnetwork`; compared case-insensitively,
    ///   because devices send them as the source app's Info.plist spells them.
    package init(_ identifiers: [String] = []) {
        self.identifiers = Set(identifiers.map(\.lowercasedASCII))
    }

    /// The traffic a postback belongs to; only production traffic can be foreign.
    package func traffic(of verified: VerifiedPostback) -> Traffic {
        switch verified.provenance {
        case .apple:
            identifiers.isEmpty || identifiers.contains(verified.postback.adNetworkID.registered)
                ? .apple : .foreign
        case .development: .development
        case .test: .test
        }
    }
}
