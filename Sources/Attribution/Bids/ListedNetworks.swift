import StrictJSON

/// The ad networks that a bid request says are in the source app's Info.plist.
///
/// They are the union of `skadnetids`, `skadnetlist.addl`, and the numbers 1…`skadnetlist.max` of the IAB Tech Lab's
/// registry except those in `skadnetlist.excl`.
struct ListedNetworks: Hashable, Sendable {
    /// The ids as the list spells them; for one network with two spellings, the first is used.
    ///
    /// Not a set, because a list of hundreds is searched for only a few networks.
    private let named: [String]
    private let maximum: Int64
    private let excluded: Set<Int64>

    init(_ fields: RequestFields) throws(FieldProblem) {
        let list = try fields.object("skadnetlist")
        maximum = try list?.integer("max") ?? 0
        excluded = Set(try list?.integers("excl") ?? [])
        named = try (list?.strings("addl") ?? []) + fields.strings("skadnetids")
    }

    /// The id of a network as it must be signed, or nil if the list does not have the network.
    ///
    /// Devices look up ids in the Info.plist case-sensitively, so the list's spelling is signed; the registry uses
    /// lower case.
    func spelling(of network: BiddingNetwork) -> AdNetworkID? {
        let registered = network.adNetworkID.registered
        let spelt = named.first { $0.isSpelling(of: registered) }
        if let id = spelt.flatMap({ AdNetworkID($0) }) {
            return id
        }
        guard let number = network.registryID, number <= maximum, !excluded.contains(number) else {
            return nil
        }
        return AdNetworkID(registered)
    }

    /// The numbers that are left out, or how many they are.
    private var exception: String {
        switch excluded.count {
        case 0: ""
        case 1...10: " except " + excluded.sorted().map(String.init).joined(separator: ", ")
        default: " except \(excluded.count) others"
        }
    }

    /// A summary of the list, for messages.
    var summary: String {
        let names = named.sorted().prefix(10).joined(separator: ", ").shortened(to: 200)
        let range = maximum > 0 ? "numbers 1 to \(maximum) of the registry\(exception)" : nil
        return [names.isEmpty ? nil : names, range].compactMap(\.self).joined(separator: "; ")
    }
}

extension String {
    /// Whether it is a text in lower case but for the case of its letters; a list of hundreds is searched in each bid.
    fileprivate func isSpelling(of lowercased: String) -> Bool {
        guard utf8.count == lowercased.utf8.count else {
            return false
        }
        for (byte, expected) in zip(utf8, lowercased.utf8) {
            guard byte < 0x80 else {
                return self.lowercased() == lowercased
            }
            if (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) != expected {
                return false
            }
        }
        return true
    }
}

/// An ad network that a server can sign for, as seen by bidding.
package struct BiddingNetwork: Hashable, Sendable {
    package let adNetworkID: AdNetworkID
    /// The number in the IAB Tech Lab's registry; nil if unknown, and then no range contains the network.
    package let registryID: Int64?
    /// The versions of SKAdNetwork with active keys, oldest first.
    package let versions: [SKAdNetworkVersion]
    /// Whether there is an active key for AdAttributionKit.
    package let signsForAdAttributionKit: Bool

    package init(
        adNetworkID: AdNetworkID, registryID: Int64?, versions: [SKAdNetworkVersion], signsForAdAttributionKit: Bool
    ) {
        self.adNetworkID = adNetworkID
        self.registryID = registryID
        self.versions = versions
        self.signsForAdAttributionKit = signsForAdAttributionKit
    }
}
