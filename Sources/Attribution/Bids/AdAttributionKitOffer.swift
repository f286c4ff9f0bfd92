import StrictJSON

/// `imp.ext.adattributionkit` of a bid request, which is a proposal and may change.
///
/// Earlier drafts answered `ext.sko` with an overlay. The latest does not, so it is not read.
///
/// - SeeAlso: [The proposal](https://github.com/InteractiveAdvertisingBureau/openrtb/pull/209)
struct AdAttributionKitRequest: Hashable, Sendable {
    /// The only version so far.
    static let version = "1.0"

    /// The versions as the request wrote them.
    let writtenVersions: [String]
    /// `sourceapp`.
    let sourceAppID: AppStoreItemID
    /// The member of the bid request that has it where the extension has none.
    let sourceAppMember: String?
    /// `skadnetids`, with ids of both frameworks.
    let networks: ListedNetworks

    init(_ fields: RequestFields, _ app: RequestingApp?) throws(FieldProblem) {
        let versions = try fields.looseVersions("versions")
        writtenVersions = versions.isEmpty ? try fields.looseVersions("version") : versions
        (sourceAppID, sourceAppMember) = try fields.sourceApp(orThatOf: app)
        networks = try ListedNetworks(fields)
    }
}

/// The offer for `imp.ext.adattributionkit`: the network chosen and the values to sign.
///
/// The extension is a proposal and may change.
package struct AdAttributionKitOffer: Sendable {
    private let request: AdAttributionKitRequest
    private let advertisement: Advertisement
    private let adNetworkID: AdNetworkID
    private let sourceIdentifier: ImpressionSourceIdentifier

    /// Chooses the first network, in order of preference, that the request lists and that has a key.
    init(
        _ request: AdAttributionKitRequest, _ advertisement: Advertisement, networks: [BiddingNetwork]
    ) throws(BidRefusal) {
        guard request.writtenVersions.contains(AdAttributionKitRequest.version) else {
            let found = request.writtenVersions.joined(separator: ", ").shortened(to: 60)
            throw BidRefusal(
                .adAttributionKit, .noCommonVersion,
                "version: found \(found.isEmpty ? "nothing" : found), expected \(AdAttributionKitRequest.version)")
        }
        let signing = networks.filter(\.signsForAdAttributionKit)
        guard let id = signing.lazy.compactMap({ request.networks.spelling(of: $0) }).first else {
            let found = request.networks.summary
            throw BidRefusal(
                .adAttributionKit, .noCommonNetwork,
                "skadnetids: found \(found.isEmpty ? "nothing" : found), expected one with a P-256 key: "
                    + (signing.isEmpty ? "there is none" : signing.map(\.adNetworkID.text).joined(separator: ", ")))
        }
        guard let sourceIdentifier = advertisement.sourceIdentifier else {
            throw BidRefusal(
                .adAttributionKit,
                advertisement.problem(
                    "sourceidentifier", found: "nothing", expected: ImpressionSourceIdentifier.rule))
        }
        self.request = request
        self.advertisement = advertisement
        self.sourceIdentifier = sourceIdentifier
        adNetworkID = id
    }

    /// The member of the bid request that has the source app where the extension has none.
    var sourceAppMember: String? { request.sourceAppMember }

    /// The impression to sign.
    package func impression(
        at time: UnixMilliseconds, nonce: Nonce
    ) throws(BidRefusal) -> AdAttributionKitImpression {
        do throws(FieldProblem) {
            try time.checkIsSignable(field: "timestamp")
        } catch {
            throw BidRefusal(.adAttributionKit, error)
        }
        return AdAttributionKitImpression(
            impressionIdentifier: nonce, publisherItemIdentifier: request.sourceAppID,
            advertisedItemIdentifier: advertisement.itunesItemID, adNetworkIdentifier: adNetworkID,
            sourceIdentifier: sourceIdentifier, timestamp: time,
            isEligibleForReEngagement: advertisement.isEligibleForReEngagement)
    }

    /// Writes the complete `bid.ext.adattributionkit`.
    func writeBidExtension(_ signed: SignedAdAttributionKitImpression, to json: inout JSONWriter) {
        json.object { json in
            json.member("jwt", signed.compactJWS)
            json.member("version", AdAttributionKitRequest.version)
            json.member("itunesitem", advertisement.itunesItemID.description)
            if let id = advertisement.productPageID {
                json.member("cpp", id)
            }
            if let url = advertisement.reEngagementURL {
                json.member("reengagementurl", url)
            }
        }
    }
}
