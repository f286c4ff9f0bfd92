import StrictJSON

/// `imp.ext.skadn` of a bid request: what the device, the SDK and the source app support.
///
/// - SeeAlso: [SKAdNetwork in
///   OpenRTB](https://github.com/InteractiveAdvertisingBureau/openrtb/blob/main/extensions/community_extensions/skadnetwork.md)
struct SkadnRequest: Hashable, Sendable {
    /// `versions`, or the older `version`; unknown ones are left out.
    let versions: [SKAdNetworkVersion]
    /// The versions as the request wrote them, for messages.
    let writtenVersions: String
    /// `sourceapp`.
    let sourceAppID: AppStoreItemID
    /// The member of the bid request that has it where the extension has none.
    let sourceAppMember: String?
    /// `skadnetids` and `skadnetlist`.
    let networks: ListedNetworks
    /// `productpage`: custom product pages are supported.
    let hasProductPages: Bool
    /// `skoverlay`: overlays are supported.
    let hasOverlay: Bool

    init(_ fields: RequestFields, _ app: RequestingApp?) throws(FieldProblem) {
        let several = try fields.looseVersions("versions")
        let written = try several.isEmpty ? fields.looseVersions("version") : several
        guard !written.isEmpty else {
            throw fields.problem("versions", found: "nothing", expected: "a list of versions, for example [\"4.0\"]")
        }
        writtenVersions = written.joined(separator: ", ").shortened(to: 60)
        // The extension begins with 2.0, the first version that signs the source app.
        versions = written.compactMap(SKAdNetworkVersion.init(rawValue:)).filter { $0 >= .v2_0 }
        (sourceAppID, sourceAppMember) = try fields.sourceApp(orThatOf: app)
        networks = try ListedNetworks(fields)
        hasProductPages = try fields.flag("productpage")
        hasOverlay = try fields.flag("skoverlay")
    }
}

/// The offer for `imp.ext.skadn`: the version and network chosen and the values to sign.
package struct SkadnOffer: Sendable {
    private let request: SkadnRequest
    private let advertisement: Advertisement
    private let version: SKAdNetworkVersion
    private let campaign: SKAdNetworkImpression.Campaign
    private let adNetworkID: AdNetworkID

    /// Chooses the latest version common to request, keys and advertisement; among networks that sign it, the preferred
    /// one.
    init(
        _ request: SkadnRequest, _ advertisement: Advertisement, networks: [BiddingNetwork]
    ) throws(BidRefusal) {
        let listed = networks.compactMap { network in
            request.networks.spelling(of: network).map { (id: $0, versions: network.versions) }
        }
        guard !listed.isEmpty else {
            throw BidRefusal(
                .skadn, .noCommonNetwork,
                "skadnetids, skadnetlist: found \(request.networks.summary.isEmpty ? "nothing" : request.networks.summary), "
                    + "expected one of \(networks.map(\.adNetworkID.text).joined(separator: ", "))")
        }
        let usable = request.versions.filter { advertisement.suits($0) }
        guard let version = usable.filter({ version in listed.contains { $0.versions.contains(version) } }).max(),
            let network = listed.first(where: { $0.versions.contains(version) }),
            let campaign = version.campaign(advertisement.campaignID, advertisement.sourceIdentifier)
        else {
            let signed = Set(listed.flatMap(\.versions)).sorted().map(\.rawValue).joined(separator: ", ")
            throw BidRefusal(
                .skadn, .noCommonVersion,
                "versions: found \(request.writtenVersions), expected one that the keys sign (\(signed)) "
                    + advertisement.supportedVersions)
        }
        self.request = request
        self.advertisement = advertisement
        self.version = version
        self.campaign = campaign
        adNetworkID = network.id
    }

    /// The member of the bid request that has the source app where the extension has none.
    package var sourceAppMember: String? { request.sourceAppMember }

    /// The impressions to sign: one for each fidelity from 2.2 on, otherwise one.
    package func impressions(
        at time: UnixMilliseconds, nonce: () -> Nonce
    ) throws(BidRefusal) -> [SKAdNetworkImpression] {
        do throws(FieldProblem) {
            try time.checkIsSignable(field: "timestamp")
        } catch {
            throw BidRefusal(.skadn, error)
        }
        let fidelities: [FidelityType?] = version.hasFidelityType ? advertisement.fidelities : [nil]
        return fidelities.map { fidelity in
            SKAdNetworkImpression(
                version: version, adNetworkID: adNetworkID, campaign: campaign,
                itunesItemID: advertisement.itunesItemID, nonce: nonce(), source: .app(request.sourceAppID),
                fidelityType: fidelity, timestamp: time)
        }
    }

    /// Writes the complete `bid.ext.skadn`; numbers other than the fidelity are strings there.
    func writeBidExtension(_ signed: [SignedSKAdNetworkImpression], to json: inout JSONWriter) {
        json.object { json in
            json.member("version", version.rawValue)
            json.member("network", adNetworkID.text)
            switch campaign {
            case .sourceIdentifier(let id): json.member("sourceidentifier", String(id.value))
            case .campaignID(let id): json.member("campaign", String(id.value))
            }
            json.member("itunesitem", advertisement.itunesItemID.description)
            json.member("sourceapp", request.sourceAppID.description)
            if request.hasProductPages, let id = advertisement.productPageID {
                json.member("productpageid", id)
            }
            if version.hasFidelityType {
                json.name("fidelities")
                json.array { json in
                    for one in signed {
                        json.object { json in
                            let fidelity = one.impression.fidelityType ?? .storeKitRendered
                            json.member("fidelity", fidelity.rawValue)
                            Self.writeSignature(one, to: &json)
                        }
                    }
                }
            } else {
                for one in signed { Self.writeSignature(one, to: &json) }
            }
            if request.hasOverlay, let overlay = advertisement.overlay {
                json.name("skoverlay")
                overlay.write(to: &json)
            }
        }
    }

    private static func writeSignature(_ signed: SignedSKAdNetworkImpression, to json: inout JSONWriter) {
        json.member("nonce", signed.impression.nonce.text)
        json.member("timestamp", String(signed.impression.timestamp.rawValue))
        json.member("signature", signed.attributionSignature)
    }
}

extension Advertisement {
    /// Whether it can be signed in a version.
    fileprivate func suits(_ version: SKAdNetworkVersion) -> Bool {
        // Before 2.2, all ads are StoreKit-rendered.
        version.campaign(campaignID, sourceIdentifier) != nil
            && (version.hasFidelityType || fidelities.contains(.storeKitRendered))
    }

    /// The versions it can be signed in, for a message.
    fileprivate var supportedVersions: String {
        let versions = SKAdNetworkVersion.allCases.filter { $0 >= .v2_0 && suits($0) }.map(\.rawValue)
        return versions.isEmpty
            ? "and that advertise allows: none; give sourceidentifier for 4.0, campaign for versions up to 3.0"
            : "and that advertise allows (\(versions.joined(separator: ", ")); sourceidentifier is for 4.0, "
                + "campaign for versions up to 3.0)"
    }
}
