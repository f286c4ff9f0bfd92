import StrictJSON

/// The ad networks that a bid request says are in the source app's Info.plist.
///
/// Three ways to name them add up: `skadnetids`, `skadnetlist.addl`, and the numbers 1…`skadnetlist.max` of the IAB
/// Tech Lab's registry without those in `skadnetlist.excl`.
struct ListedNetworks: Hashable, Sendable {
    /// The ids in the spelling of the list; the first of two for one network counts.
    ///
    /// A list may have hundreds, and is asked for the handful of networks there are keys of.
    private let named: [String]
    private let maximum: Int64
    private let excluded: Set<Int64>

    init(_ fields: RequestFields) throws(FieldProblem) {
        let list = try fields.object("skadnetlist")
        maximum = try list?.integer("max") ?? 0
        excluded = Set(try list?.integers("excl") ?? [])
        named = try (list?.strings("addl") ?? []) + fields.strings("skadnetids")
    }

    /// The id of a network as it has to be signed, or nil when the list does not have the network.
    ///
    /// A device looks the id up in the Info.plist with its case, so the list's own spelling is signed; the registry
    /// spells ids in lower case.
    func spelling(of network: BiddingNetwork) -> AdNetworkID? {
        let registered = network.adNetworkID.registered
        let spelt = named.first { $0.utf8.count == registered.utf8.count && $0.lowercased() == registered }
        if let id = spelt.flatMap({ AdNetworkID($0) }) {
            return id
        }
        guard let number = network.registryID, number <= maximum, !excluded.contains(number) else {
            return nil
        }
        return AdNetworkID(registered)
    }

    /// What the list holds, for messages.
    var summary: String {
        let names = named.sorted().prefix(10).joined(separator: ", ").shortened(to: 200)
        let range = maximum > 0 ? "numbers 1 to \(maximum) of the registry without \(excluded.count) excluded" : nil
        return [names.isEmpty ? nil : names, range].compactMap(\.self).joined(separator: "; ")
    }
}
