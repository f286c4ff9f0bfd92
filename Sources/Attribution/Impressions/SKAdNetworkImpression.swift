package import StrictJSON

/// An SKAdNetwork ad, with all the values the network signs.
///
/// It has only values that its version signs. ``SKAdNetworkImpressionDraft`` checks the values of a command line.
package struct SKAdNetworkImpression: Hashable, Sendable {
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
    package let itunesItemID: AppStoreItemID
    package let nonce: Nonce
    /// Where the ad was shown; nil in 1.0, which does not sign it.
    package let source: Source?
    /// The fidelity; nil before 2.2.
    package let fidelityType: FidelityType?
    /// When the ad was shown.
    package let timestamp: UnixMilliseconds

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

    /// The app that shows an ad, as this version signs it; nil in 1.0, which does not.
    func source(app: AppStoreItemID?) throws(FieldProblem) -> SKAdNetworkImpression.Source? {
        guard self >= .v2_0 else {
            return nil
        }
        guard let app else {
            throw FieldProblem(
                field: "source-app-id", found: "nothing",
                expected: AppStoreItemID.missingSourceRule + (self >= .v4_0 ? ", or source-domain for a web ad" : ""))
        }
        return .app(app)
    }
}

/// The unchecked values of an SKAdNetwork impression, from a command line.
package struct SKAdNetworkImpressionDraft: Sendable {
    /// `version`, for example `4.0`.
    package var version: String
    /// `ad-network-id`.
    package var adNetworkID: String
    /// `campaign-id`, 1…100; up to 3.0.
    package var campaignID: Int64?
    /// `source-identifier`, 0…9999; from 4.0.
    package var sourceIdentifier: Int64?
    /// `itunes-item-id`, the advertised app.
    package var itunesItemID: Int64
    /// `source-app-id`; from 2.0.
    package var sourceAppID: Int64?
    /// `source-domain`; 4.0 web ads.
    package var sourceDomain: String?
    /// `fidelity-type`, 0 or 1; from 2.2, where nil means 1.
    package var fidelityType: Int64?
    /// `nonce`, a lower-case version 4 UUID.
    package var nonce: String
    /// `timestamp`, Unix milliseconds.
    package var timestampMilliseconds: Int64

    package init(
        version: String, adNetworkID: String, campaignID: Int64? = nil, sourceIdentifier: Int64? = nil,
        itunesItemID: Int64, sourceAppID: Int64? = nil, sourceDomain: String? = nil, fidelityType: Int64? = nil,
        nonce: String, timestampMilliseconds: Int64
    ) {
        self.version = version
        self.adNetworkID = adNetworkID
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
        self.itunesItemID = itunesItemID
        self.sourceAppID = sourceAppID
        self.sourceDomain = sourceDomain
        self.fidelityType = fidelityType
        self.nonce = nonce
        self.timestampMilliseconds = timestampMilliseconds
    }
}

extension SKAdNetworkImpressionDraft {
    /// Checks every value against the rules of the version.
    package func checked() throws(FieldProblem) -> SKAdNetworkImpression {
        guard let version = SKAdNetworkVersion(rawValue: version) else {
            throw FieldProblem(
                field: "version", found: "\"\(version.shortened(to: 20))\"",
                expected: "one of \(SKAdNetworkVersion.list)")
        }
        let network = try AdNetworkID.checked(adNetworkID, field: "ad-network-id")
        let item = try AppStoreItemID.advertised(itunesItemID, field: "itunes-item-id")
        let nonce = try Nonce.checked(nonce, field: "nonce")
        let timestamp = UnixMilliseconds(rawValue: timestampMilliseconds)
        try timestamp.checkIsSignable(field: "timestamp")
        return SKAdNetworkImpression(
            version: version, adNetworkID: network, campaign: try checkedCampaign(version), itunesItemID: item,
            nonce: nonce, source: try checkedSource(version), fidelityType: try checkedFidelity(version),
            timestamp: timestamp)
    }

    private func checkedCampaign(_ version: SKAdNetworkVersion) throws(FieldProblem) -> SKAdNetworkImpression.Campaign {
        if version.hasSourceIdentifier {
            guard campaignID == nil else {
                throw notInVersion("campaign-id", version, use: "source-identifier")
            }
            return .sourceIdentifier(try .checked(sourceIdentifier, field: "source-identifier"))
        }
        guard sourceIdentifier == nil else {
            throw notInVersion("source-identifier", version, use: "campaign-id")
        }
        return .campaignID(try .checked(campaignID, field: "campaign-id"))
    }

    private func checkedSource(_ version: SKAdNetworkVersion) throws(FieldProblem) -> SKAdNetworkImpression.Source? {
        if version == .v1_0 {
            guard sourceAppID == nil else {
                throw notInVersion("source-app-id", version, use: nil)
            }
        }
        if let sourceDomain {
            guard version >= .v4_0 else {
                throw notInVersion("source-domain", version, use: "source-app-id")
            }
            guard sourceAppID == nil else {
                throw FieldProblem(
                    field: "source-domain", found: "both source-domain and source-app-id",
                    expected: "one of them: source-domain for a web ad, source-app-id for an ad in an app")
            }
            return .domain(try SourceDomain.received(sourceDomain, field: "source-domain"))
        }
        let app = try sourceAppID.map { number throws(FieldProblem) in
            try AppStoreItemID.source(number, field: "source-app-id")
        }
        return try version.source(app: app)
    }

    private func checkedFidelity(_ version: SKAdNetworkVersion) throws(FieldProblem) -> FidelityType? {
        guard version.hasFidelityType else {
            guard fidelityType == nil else {
                throw notInVersion("fidelity-type", version, use: nil)
            }
            return nil
        }
        let fidelity = FidelityType(rawValue: fidelityType ?? FidelityType.storeKitRendered.rawValue)
        guard fidelity == .storeKitRendered || (fidelity == .viewThrough && sourceDomain == nil) else {
            throw FieldProblem(
                field: "fidelity-type", found: String(fidelity.rawValue),
                expected: sourceDomain == nil ? "0 (view-through) or 1 (StoreKit-rendered)" : "1 for a web ad")
        }
        return fidelity
    }

    private func notInVersion(_ field: String, _ version: SKAdNetworkVersion, use other: String?) -> FieldProblem {
        FieldProblem(
            field: field, found: "a value",
            expected: "none: version \(version.rawValue) does not have it" + (other.map { "; use \($0)" } ?? ""))
    }
}
