package import StrictJSON

/// The answer to `imp.ext.adattributionkit`: the network chosen, and what is to be signed for it.
///
/// The extension is a proposal and may change.
package struct AdAttributionKitOffer: Sendable {
    private let request: AdAttributionKitRequest
    private let advertisement: Advertisement
    private let adNetworkID: AdNetworkID

    /// Chooses the first network, in the order of preference, that the request lists and that has a key.
    init(
        _ request: AdAttributionKitRequest, _ advertisement: Advertisement, networks: [BiddingNetwork]
    ) throws(BidRefusal) {
        guard request.writtenVersions.contains(AdAttributionKitRequest.version) else {
            let found = request.writtenVersions.joined(separator: ", ").shortened(to: 60)
            throw BidRefusal(
                .adAttributionKit, .noCommonVersion,
                "version: found \(found.isEmpty ? "nothing" : found), expected \(AdAttributionKitRequest.version)")
        }
        let signing = networks.filter(\.signsAppImpressions)
        guard let id = signing.lazy.compactMap({ request.networks.spelling(of: $0) }).first else {
            let found = request.networks.summary
            throw BidRefusal(
                .adAttributionKit, .noCommonNetwork,
                "skadnetids: found \(found.isEmpty ? "nothing" : found), expected one with a P-256 key: "
                    + (signing.isEmpty ? "there is none" : signing.map(\.adNetworkID.text).joined(separator: ", ")))
        }
        guard advertisement.sourceIdentifier != nil else {
            throw BidRefusal(
                .adAttributionKit, .badField,
                "advertise.sourceidentifier: found nothing, expected a whole number from 0 to 9999")
        }
        self.request = request
        self.advertisement = advertisement
        adNetworkID = id
    }

    /// The impression to sign.
    ///
    /// - Parameters:
    ///   - timestampMilliseconds: The time that is signed, in Unix milliseconds.
    ///   - nonce: A fresh one.
    /// - Returns: The impression.
    /// - Throws: ``BidRefusal`` naming the field of the request that breaks a rule.
    package func impression(timestampMilliseconds: Int64, nonce: Nonce) throws(BidRefusal) -> AppImpression {
        do throws(FieldProblem) {
            return try AppImpressionRequest(
                impressionIdentifier: nonce.text,
                publisherItemIdentifier: request.sourceAppID,
                advertisedItemIdentifier: advertisement.itunesItemID,
                adNetworkIdentifier: adNetworkID.text,
                sourceIdentifier: advertisement.sourceIdentifier,
                timestampMilliseconds: timestampMilliseconds,
                isEligibleForReEngagement: advertisement.isEligibleForReEngagement
            ).checked()
        } catch {
            throw BidRefusal(.adAttributionKit, error)
        }
    }

    /// `bid.ext.adattributionkit`, complete.
    ///
    /// - Parameter signed: What ``impression(timestampMilliseconds:nonce:)`` gave, signed.
    /// - Returns: The object.
    package func bidExtension(_ signed: SignedAppImpression) -> JSONText {
        var members: [(String, JSONText)] = [
            ("jwt", .string(signed.compactJWS)), ("version", .string(AdAttributionKitRequest.version)),
            ("itunesitem", .string(String(advertisement.itunesItemID))),
        ]
        if let id = advertisement.productPageID {
            members.append(("cpp", .string(id)))
        }
        if let url = advertisement.reEngagementURL {
            members.append(("reengagementurl", .string(url)))
        }
        if request.hasOverlay, let overlay = advertisement.appOverlay {
            members.append(("ext", .object(["skoverlay": overlay.json])))
        }
        return .object(members)
    }
}
