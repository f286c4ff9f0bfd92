package import Attribution
import StrictJSON

/// Which postbacks a destination gets: those that meet every condition.
package struct DestinationFilters: Hashable, Sendable {
    /// Its framework; nil for both.
    package var framework: PostbackFramework?
    /// Its version of SKAdNetwork; with any, none of AdAttributionKit.
    package var versions: Set<SKAdNetworkVersion> = []
    /// The advertised app.
    package var apps: Set<Int64> = []
    /// The network, in lower case.
    package var networks: Set<String> = []
    /// Whether it won; versions without `did-win` are only sent to the winner.
    package var didWin: Bool?
    /// The sequence index of its window; versions without one have the first.
    package var windows: Set<Int64> = []
    /// What it reports; only as far as Apple signs that.
    package var conversionTypes: Set<ConversionType> = []
    /// Whose key verified it, and whose network it is for.
    package var provenance = Traffic.apple

    package init() {}

    /// Reads the member `filters`.
    init(_ fields: DocumentFields) throws(DocumentProblem) {
        let names = [
            "framework", "versions", "apps", "networks", "did-win", "windows", "conversion-types", "provenance",
        ]
        try DestinationReader.allow(names, fields)
        framework = fields.has("framework") ? try fields.choice("framework") : nil
        versions = Set(try fields.choices("versions") as [SKAdNetworkVersion])
        guard versions.isEmpty || framework != .adAttributionKit else {
            throw fields.problem(
                "versions", found: "versions with the framework adattributionkit", expected: "none, for it has none",
                cure: "remove versions")
        }
        apps = Set(try Self.numbers("apps", fields, in: 0 ... .max))
        for (index, text) in try fields.texts("networks").enumerated() {
            guard let network = AdNetworkID.ofList(text) else {
                throw fields.problem(
                    "networks[\(index)]", found: fields.summary(.string(text)), expected: AdNetworkID.listRule,
                    cure: "write one such as \"example123.skadnetwork\"")
            }
            networks.insert(network.registered)
        }
        didWin = fields.has("did-win") ? try fields.flag("did-win", else: true) : nil
        windows = Set(try Self.numbers("windows", fields, in: 0...2))
        conversionTypes = Set(try fields.choices("conversion-types") as [ConversionType])
        provenance = fields.has("provenance") ? try fields.choice("provenance") : .apple
        for name in ["versions", "apps", "networks", "windows", "conversion-types"]
        where fields.members.contains(where: { $0.name == name && $0.value.elements() == [] }) {
            throw fields.problem(
                name, found: "an empty array", expected: "at least one value, or no such member for all",
                cure: "remove it")
        }
    }

    private static func numbers(
        _ name: String, _ fields: DocumentFields, in range: ClosedRange<Int64>
    ) throws(DocumentProblem) -> [Int64] {
        guard let value = fields.members.first(where: { $0.name == name })?.value else {
            return []
        }
        let limit = range.upperBound == .max ? "from \(range.lowerBound) on" : "from 0 to \(range.upperBound)"
        guard let elements = value.elements() else {
            throw fields.problem(
                name, found: fields.summary(value), expected: "an array of whole numbers \(limit)",
                cure: "write the numbers in brackets")
        }
        var numbers: [Int64] = []
        for (index, element) in elements.enumerated() {
            guard case .integer(let number) = element, range.contains(number) else {
                throw fields.problem(
                    "\(name)[\(index)]", found: fields.summary(element), expected: "a whole number \(limit)",
                    cure: "write it without quotes")
            }
            numbers.append(number)
        }
        return numbers
    }

    /// Whether a postback meets every condition.
    package func accept(_ outgoing: OutgoingPostback) -> Bool {
        let postback = outgoing.postback
        guard outgoing.traffic == provenance, framework.map({ $0 == postback.framework }) ?? true,
            networks.isEmpty || networks.contains(postback.adNetworkID.registered)
        else {
            return false
        }
        switch postback {
        case .skAdNetwork(let postback):
            let conversionType: ConversionType? =
                postback.version.signsRedownload
                ? postback.isRedownload.map { $0 ? .redownload : .download } : nil
            return (versions.isEmpty || versions.contains(postback.version))
                && accept(
                    app: postback.appID, didWin: postback.didWin, window: postback.sequenceIndex,
                    conversionType: conversionType)
        case .adAttributionKit(let postback):
            return versions.isEmpty
                && accept(
                    app: postback.advertisedItemID, didWin: postback.didWin, window: postback.sequenceIndex,
                    conversionType: postback.conversionType)
        }
    }

    private func accept(app: AppStoreItemID, didWin: Bool?, window: Int64?, conversionType: ConversionType?) -> Bool {
        (apps.isEmpty || apps.contains(app.value))
            && (self.didWin.map { $0 == didWin ?? true } ?? true)
            && (windows.isEmpty || windows.contains(window ?? 0))
            && (conversionTypes.isEmpty || conversionType.map(conversionTypes.contains) ?? false)
    }
}
