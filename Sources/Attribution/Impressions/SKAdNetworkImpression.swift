/// An SKAdNetwork ad, with all the values the network signs.
///
/// It has only values that its version signs. ``SKAdNetworkImpressionDraft`` checks the values of a command line.
package struct SKAdNetworkImpression: Hashable, Sendable {
    /// The campaign of an impression.
    package enum Campaign: Hashable, Sendable {
        /// `campaign-id`; up to 3.0.
        case campaignID(CampaignID)
        /// `source-identifier`; from 4.0.
        case sourceIdentifier(ImpressionSourceIdentifier)

        /// The number to sign.
        package var value: Int64 {
            switch self {
            case .campaignID(let id): id.value
            case .sourceIdentifier(let identifier): identifier.value
            }
        }
    }

    /// Where the ad was shown.
    package enum Source: Hashable, Sendable {
        /// An app, by its App Store id; `0` for a development-signed one.
        case app(AppStoreItemID)
        /// A web page, by its domain; 4.0 only.
        case domain(SourceDomain)
    }

    /// The version of the signature.
    package let version: SKAdNetworkVersion
    /// The network, spelt as in the source app's Info.plist.
    package let adNetworkID: AdNetworkID
    /// The campaign or source identifier.
    package let campaign: Campaign
    /// The advertised app.
    package let itunesItemID: AppStoreItemID
    /// The nonce.
    package let nonce: Nonce
    /// Where the ad was shown; nil in 1.0, which does not sign it.
    package let source: Source?
    /// The fidelity; nil before 2.2.
    package let fidelityType: FidelityType?
    /// When the ad was shown.
    package let timestamp: UnixMilliseconds

    /// The form of the ad.
    package var form: AdForm {
        if case .domain = source {
            return .web
        }
        return fidelityType == .viewThrough ? .viewThrough : .storeKitRendered
    }

    /// The text that the network signs: the version's values in the version's order, joined by U+2063.
    ///
    /// - SeeAlso: [Generating the signature to validate StoreKit-rendered
    ///   ads](https://developer.apple.com/documentation/storekit/generating-the-signature-to-validate-storekit-rendered-ads)
    package var signedText: SignedText {
        var text = SignedText()
        if version > .v1_0 {
            text.append(version.rawValue)
        }
        text.append(adNetworkID.text)
        text.append(campaign.value)
        text.append(itunesItemID.value)
        text.append(nonce.text)
        switch source {
        case .app(let id): text.append(id.value)
        case .domain(let domain): text.append(domain.text)
        case nil: break
        }
        if let fidelityType {
            text.append(fidelityType.rawValue)
        }
        text.append(timestamp.rawValue)
        return text
    }
}

extension SKAdNetworkVersion {
    /// The campaign that this version signs; nil if the value is missing.
    func campaign(
        _ campaignID: CampaignID?, _ sourceIdentifier: ImpressionSourceIdentifier?
    ) -> SKAdNetworkImpression.Campaign? {
        hasSourceIdentifier
            ? sourceIdentifier.map { .sourceIdentifier($0) } : campaignID.map { .campaignID($0) }
    }
}
