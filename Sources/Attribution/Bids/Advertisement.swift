import StrictJSON

/// What the bidder wants to advertise, and which of its networks may sign: the member `advertise` of the request.
struct Advertisement: Hashable, Sendable {
    /// The path before its names in a problem, such as `advertise.`.
    private let prefix: String
    /// `itunesitem`, the advertised app.
    let itunesItemID: AppStoreItemID
    /// `campaign`; for versions up to 3.0.
    let campaignID: CampaignID?
    /// `sourceidentifier`; for 4.0 and AdAttributionKit.
    let sourceIdentifier: ImpressionSourceIdentifier?
    /// `networks`, in order of preference; empty for all networks with keys.
    let networks: [String]
    /// `fidelities`, signed from 2.2 on; 0 and 1 by default.
    let fidelities: [FidelityType]
    /// `productpageid`, returned if the request supports it.
    let productPageID: String?
    /// `skoverlay`, returned if the request supports it.
    let overlay: Overlay?
    /// `adattributionkit.eligible-for-re-engagement`.
    let isEligibleForReEngagement: Bool
    /// `adattributionkit.reengagementurl`.
    let reEngagementURL: String?

    private static let names = [
        "itunesitem", "campaign", "sourceidentifier", "networks", "fidelities", "productpageid", "skoverlay",
        "adattributionkit",
    ]

    /// The problem of a request without it.
    static let missing = FieldProblem(
        field: "advertise", found: "nothing",
        expected: "an object with itunesitem, and sourceidentifier or campaign")

    /// Reads an advertisement.
    init(_ fields: RequestFields, isForNamedImp: Bool = false) throws(FieldProblem) {
        prefix = fields.prefix
        try fields.allow(only: isForNamedImp ? ["impid"] + Self.names : Self.names)
        guard let item = try fields.integer("itunesitem"), item > 0 else {
            throw fields.problem(
                "itunesitem", found: try fields.integer("itunesitem").map { String($0) } ?? "nothing",
                expected: "the App Store id of the advertised app, greater than 0")
        }
        itunesItemID = AppStoreItemID(item)
        campaignID = try fields.campaignNumber("campaign")
        sourceIdentifier = try fields.campaignNumber("sourceidentifier")
        guard campaignID != nil || sourceIdentifier != nil else {
            throw fields.problem(
                "sourceidentifier", found: "nothing, and no campaign",
                expected: "a sourceidentifier for 4.0 and AdAttributionKit, a campaign for versions up to 3.0, or both")
        }
        networks = try fields.strings("networks")
        let fidelities = try fields.integers("fidelities")
        guard Set(fidelities).isSubset(of: [0, 1]), Set(fidelities).count == fidelities.count else {
            throw fields.problem(
                "fidelities", found: fidelities.map { String($0) }.joined(separator: ", ").shortened(to: 60),
                expected: "0 (view-through), 1 (StoreKit-rendered), or both")
        }
        self.fidelities = fidelities.isEmpty ? [.viewThrough, .storeKitRendered] : fidelities.map(FidelityType.init)
        productPageID = try fields.string("productpageid")
        guard productPageID.map(Self.isUUID) ?? true else {
            throw fields.problem(
                "productpageid", found: "\"\(productPageID?.shortened(to: 40) ?? "")\"",
                expected: "the UUID of a custom product page")
        }
        overlay = try Overlay(fields.object("skoverlay"))
        let app = try fields.object("adattributionkit")
        try app?.allow(only: ["eligible-for-re-engagement", "reengagementurl"])
        isEligibleForReEngagement = try app?.flag("eligible-for-re-engagement") ?? false
        reEngagementURL = try app?.string("reengagementurl")
        guard reEngagementURL == nil || isEligibleForReEngagement else {
            throw fields.problem(
                "adattributionkit.reengagementurl", found: "a URL without eligible-for-re-engagement",
                expected: "\"eligible-for-re-engagement\": true with it; otherwise devices ignore the URL")
        }
    }

    /// The networks that may sign, in order of preference.
    func signing(of known: [BiddingNetwork]) throws(FieldProblem) -> [BiddingNetwork] {
        guard !networks.isEmpty else {
            return known
        }
        var chosen: [BiddingNetwork] = []
        for name in networks {
            guard let network = known.first(where: { $0.adNetworkID.registered == name.lowercasedASCII }) else {
                throw problem(
                    "networks", found: "\"\(name.shortened(to: 60))\"", expected: "networks with an active key")
            }
            chosen.append(network)
        }
        return chosen
    }

    /// A problem with one of its members.
    func problem(_ name: String, found: String, expected: String) -> FieldProblem {
        FieldProblem(field: prefix + name, found: found, expected: expected)
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}

/// The configuration of an overlay, passed through from the bidder: names with whole numbers.
struct Overlay: Hashable, Sendable {
    private let members: [Member]

    private struct Member: Hashable {
        let name: String
        let value: Int64
    }

    /// Reads all members of an object; nil if there is no object.
    init?(_ fields: RequestFields?) throws(FieldProblem) {
        guard let fields else {
            return nil
        }
        members = try fields.allIntegers().map { Member(name: $0.0, value: $0.1) }
    }

    /// Writes the object.
    func write(to json: inout JSONWriter) {
        json.object { json in
            for member in members { json.member(member.name, member.value) }
        }
    }
}
