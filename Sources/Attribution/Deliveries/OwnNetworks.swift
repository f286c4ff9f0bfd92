/// The ad networks whose postbacks are ours.
///
/// Anybody can point the copies of their app's postbacks at us, and those carry Apple's signature too. When no network
/// is named, every network counts as ours.
package struct OwnNetworks: Hashable, Sendable {
    /// The ids in lower case; empty when every network counts as ours.
    package let identifiers: Set<String>

    /// Names the networks.
    ///
    /// - Parameter identifiers: Ad network ids, for example `example123.skadnetwork`; compared without letter case, as
    ///   Apple registers them in lower case and devices send what the source app's Info.plist says.
    package init(_ identifiers: [String] = []) {
        self.identifiers = Set(identifiers.map { $0.lowercased() })
    }

    /// Decides which numbers a postback enters.
    ///
    /// Only production traffic can be foreign: whoever trusts a test key wants to see what it signed.
    package func traffic(of verified: VerifiedPostback) -> Traffic {
        switch verified.provenance {
        case .apple:
            identifiers.isEmpty || identifiers.contains(verified.postback.adNetworkID.text.lowercased())
                ? .apple : .foreign
        case .development: .development
        case .test: .test
        }
    }
}
