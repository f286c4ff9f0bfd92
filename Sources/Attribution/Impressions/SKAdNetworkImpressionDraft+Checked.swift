package import StrictJSON

extension SKAdNetworkImpressionDraft {
    /// Checks every value against the rules of the version.
    ///
    /// - Returns: The impression, ready to sign.
    /// - Throws: ``FieldProblem`` naming the first invalid field.
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
            version: version,
            adNetworkID: network,
            campaign: try checkedCampaign(version),
            itunesItemID: item,
            nonce: nonce,
            source: try checkedSource(version),
            fidelityType: try checkedFidelity(version),
            timestamp: timestamp
        )
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
        guard version >= .v2_0 else {
            return nil
        }
        guard let sourceAppID else {
            throw FieldProblem(
                field: "source-app-id", found: "nothing", expected: AppStoreItemID.missingSourceRule(in: version))
        }
        guard sourceAppID >= 0 else {
            throw FieldProblem(
                field: "source-app-id", found: String(sourceAppID), expected: AppStoreItemID.sourceRule)
        }
        return .app(AppStoreItemID(sourceAppID))
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
