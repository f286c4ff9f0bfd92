package import StrictJSON

extension ImpressionRequest {
    /// The range of `campaign-id`.
    package static let campaignIDs: ClosedRange<Int64> = 1...100
    /// The range of `source-identifier` when signing.
    package static let sourceIdentifiers: ClosedRange<Int64> = 0...9999
    /// Unix milliseconds from 2017, before the first version, to 2100: outside it, the unit is wrong.
    package static let timestamps: ClosedRange<Int64> = 1_483_228_800_000...4_102_444_800_000

    /// Checks every value against the rules of the version.
    ///
    /// - Returns: The impression, ready to be signed.
    /// - Throws: ``FieldProblem`` naming the first field that breaks a rule.
    package func checked() throws(FieldProblem) -> Impression {
        guard let version = SKAdNetworkVersion(rawValue: version) else {
            throw FieldProblem(
                field: "version", found: "\"\(version.shortened(to: 20))\"",
                expected: "one of \(SKAdNetworkVersion.list)")
        }
        guard let network = AdNetworkID(adNetworkID) else {
            throw text(adNetworkID, of: "ad-network-id")
        }
        guard itunesItemID > 0 else {
            throw FieldProblem(
                field: "itunes-item-id", found: String(itunesItemID), expected: "an App Store id greater than 0")
        }
        guard let nonce = Nonce(nonce) else {
            throw FieldProblem(
                field: "nonce", found: "\"\(nonce.shortened(to: 40))\"",
                expected: "a version 4 UUID in lower case, for example 68483ef6-0678-40df-859b-1b8f3f2d7b21")
        }
        guard Self.timestamps.contains(timestampMilliseconds) else {
            throw FieldProblem(
                field: "timestamp", found: String(timestampMilliseconds),
                expected: "Unix time in milliseconds (13 digits)")
        }
        return Impression(
            version: version,
            adNetworkID: network,
            campaign: try checkedCampaign(version),
            itunesItemID: AppStoreItemID(itunesItemID),
            nonce: nonce,
            source: try checkedSource(version),
            fidelityType: try checkedFidelity(version),
            timestampMilliseconds: timestampMilliseconds
        )
    }

    private func checkedCampaign(_ version: SKAdNetworkVersion) throws(FieldProblem) -> Impression.Campaign {
        let (name, given, other, range) =
            version.hasSourceIdentifier
            ? ("source-identifier", sourceIdentifier, campaignID, Self.sourceIdentifiers)
            : ("campaign-id", campaignID, sourceIdentifier, Self.campaignIDs)
        guard other == nil else {
            throw notInVersion(version.hasSourceIdentifier ? "campaign-id" : "source-identifier", version, use: name)
        }
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let given else {
            throw FieldProblem(field: name, found: "nothing", expected: expected)
        }
        guard range.contains(given) else {
            throw FieldProblem(field: name, found: String(given), expected: expected)
        }
        return version.hasSourceIdentifier ? .sourceIdentifier(given) : .campaignID(given)
    }

    private func checkedSource(_ version: SKAdNetworkVersion) throws(FieldProblem) -> Impression.Source? {
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
            return .domain(try SourceDomain.checked(sourceDomain, field: "source-domain"))
        }
        guard version >= .v2_0 else {
            return nil
        }
        guard let sourceAppID else {
            throw FieldProblem(
                field: "source-app-id", found: "nothing",
                expected: "the App Store id of the app that shows the ad (0 while it is development-signed)"
                    + (version >= .v4_0 ? ", or source-domain for a web ad" : ""))
        }
        guard sourceAppID >= 0 else {
            throw FieldProblem(
                field: "source-app-id", found: String(sourceAppID), expected: "an App Store id, or 0 in development")
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

    private func text(_ value: String, of field: String) -> FieldProblem {
        FieldProblem(
            field: field, found: "\"\(value.shortened(to: 60))\"",
            expected: "1 to 255 bytes of text without U+2063 and control characters")
    }

    private func notInVersion(_ field: String, _ version: SKAdNetworkVersion, use other: String?) -> FieldProblem {
        FieldProblem(
            field: field, found: "a value",
            expected: "none: version \(version.rawValue) does not have it" + (other.map { "; give \($0)" } ?? ""))
    }
}
