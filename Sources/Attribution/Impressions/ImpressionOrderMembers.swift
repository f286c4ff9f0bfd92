import StrictJSON

/// The members of an order, read and checked one by one.
struct ImpressionOrderMembers {
    private static let adAttributionKit = "adattributionkit"
    private static let knownForms = (AdForm.allCases.map(\.rawValue) + [adAttributionKit]).joined(separator: ", ")
    private static let names = [
        "forms", "version", "versions", "ad-network-id", "itunes-item-id", "campaign-id", "source-identifier",
        "source-app-id", "source-domain", "eligible-for-re-engagement",
    ]

    let forms: [AdForm]
    let isForAdAttributionKit: Bool
    let versions: [SKAdNetworkVersion]
    let adNetworkID: AdNetworkID
    let itunesItemID: AppStoreItemID
    let campaignID: CampaignID?
    let sourceIdentifier: ImpressionSourceIdentifier?
    let sourceAppID: AppStoreItemID?
    let sourceDomain: SourceDomain?
    let isEligibleForReEngagement: Bool

    init(_ fields: RequestFields) throws(FieldProblem) {
        for name in ["nonce", "timestamp", "impression-identifier"] where fields.has(name) {
            throw fields.problem(
                name, found: "a value", expected: "none: the server generates one for every signature")
        }
        try fields.allow(only: Self.names)
        (forms, isForAdAttributionKit) = try Self.forms(fields)
        versions = try Self.versions(fields, areRequired: !forms.isEmpty)
        let network = try fields.required(
            fields.string("ad-network-id"), "ad-network-id", "a network with an active key")
        let item = try fields.required(
            fields.integer("itunes-item-id"), "itunes-item-id", "the App Store id of the advertised app")
        adNetworkID = try .checked(network, field: "ad-network-id")
        itunesItemID = try .advertised(item, field: "itunes-item-id")
        campaignID = try fields.campaignNumber("campaign-id")
        sourceIdentifier = try fields.campaignNumber("source-identifier")
        sourceAppID = try fields.sourceApp("source-app-id")
        sourceDomain = try fields.string("source-domain").map { domain throws(FieldProblem) in
            try .given(domain, field: "source-domain")
        }
        isEligibleForReEngagement = try fields.flag("eligible-for-re-engagement")
    }

    private static func forms(
        _ fields: RequestFields
    ) throws(FieldProblem) -> (forms: [AdForm], isForAdAttributionKit: Bool) {
        let named = try fields.strings("forms")
        var forms: [AdForm] = []
        for (index, name) in named.enumerated() {
            let isNew = !named[..<index].contains(name)
            if name == adAttributionKit, isNew {
                continue
            }
            guard let form = AdForm(rawValue: name), isNew else {
                throw fields.problem(
                    "forms", found: "\"\(name.shortened(to: 40))\"", expected: "each at most once, of \(knownForms)")
            }
            forms.append(form)
        }
        guard !named.isEmpty else {
            throw fields.problem("forms", found: "nothing", expected: "a list of \(knownForms)")
        }
        return (forms, named.contains(adAttributionKit))
    }

    private static func versions(
        _ fields: RequestFields, areRequired: Bool
    ) throws(FieldProblem) -> [SKAdNetworkVersion] {
        let one = try fields.version("version")
        let many = try fields.versions("versions")
        guard one == nil || many.isEmpty else {
            throw fields.problem("version", found: "both version and versions", expected: "one of them")
        }
        let texts = one.map { [$0] } ?? many
        guard texts.isEmpty != areRequired else {
            throw fields.problem(
                "versions", found: texts.isEmpty ? "nothing" : "a value",
                expected: areRequired
                    ? "a list of \(SKAdNetworkVersion.list)" : "none: AdAttributionKit has no version to choose")
        }
        var versions: [SKAdNetworkVersion] = []
        for text in texts {
            guard let version = SKAdNetworkVersion(rawValue: text), !versions.contains(version) else {
                throw fields.problem(
                    "versions", found: "\"\(text.shortened(to: 20))\"",
                    expected: "each at most once, of \(SKAdNetworkVersion.list)")
            }
            versions.append(version)
        }
        return versions
    }

    // MARK: Rules

    /// Refuses values that no signature would use, so that none is silently ignored.
    func refuseUnused() throws(FieldProblem) {
        let signsInApp = forms.contains { $0 != .web } && versions.contains { $0 > .v1_0 }
        let rules: [(name: String, isGiven: Bool, isUsed: Bool, users: String)] = [
            ("campaign-id", campaignID != nil, versions.contains { !$0.hasSourceIdentifier }, "versions up to 3.0"),
            (
                "source-identifier", sourceIdentifier != nil,
                isForAdAttributionKit || versions.contains(where: \.hasSourceIdentifier),
                "version 4.0 and adattributionkit"
            ),
            (
                "source-app-id", sourceAppID != nil, isForAdAttributionKit || signsInApp,
                "ads in apps from version 2.0 on"
            ),
            ("source-domain", sourceDomain != nil, forms.contains(.web), "the form web"),
            (
                "eligible-for-re-engagement", isEligibleForReEngagement, isForAdAttributionKit,
                "the form adattributionkit"
            ),
        ]
        for rule in rules where rule.isGiven && !rule.isUsed {
            throw FieldProblem(field: rule.name, found: "a value", expected: "none: it is only for \(rule.users)")
        }
    }

    /// The requested versions that have ads of a form, at least one.
    func versions(carrying form: AdForm) throws(FieldProblem) -> [SKAdNetworkVersion] {
        let carrying = versions.filter { form.isCarried(by: $0) }
        guard !carrying.isEmpty else {
            throw FieldProblem(
                field: "forms",
                found: "\(form.rawValue) with versions \(versions.map(\.rawValue).joined(separator: ", "))",
                expected: form == .web ? "version 4.0 for a web ad" : "version 2.2 or later for a view-through ad")
        }
        return carrying
    }

    /// The campaign id or source identifier of an SKAdNetwork ad.
    func campaign(_ version: SKAdNetworkVersion) throws(FieldProblem) -> SKAdNetworkImpression.Campaign {
        guard let campaign = version.campaign(campaignID, sourceIdentifier) else {
            throw version.hasSourceIdentifier
                ? missing("source-identifier", ImpressionSourceIdentifier.rule)
                : missing("campaign-id", CampaignID.rule)
        }
        return campaign
    }

    /// Where an SKAdNetwork ad is shown; nil in 1.0, which does not sign it.
    func source(
        _ form: AdForm, _ version: SKAdNetworkVersion
    ) throws(FieldProblem) -> SKAdNetworkImpression.Source? {
        if form == .web {
            guard let sourceDomain else {
                throw missing("source-domain", DomainName.rule)
            }
            return .domain(sourceDomain)
        }
        return try version.source(app: sourceAppID)
    }

    func adAttributionKitAd() throws(FieldProblem) -> ImpressionOrder.AdAttributionKitAd {
        guard let sourceAppID else {
            throw missing("source-app-id", AppStoreItemID.missingSourceRule)
        }
        guard let sourceIdentifier else {
            throw missing("source-identifier", ImpressionSourceIdentifier.rule)
        }
        return ImpressionOrder.AdAttributionKitAd(
            publisherItemID: sourceAppID, sourceIdentifier: sourceIdentifier,
            isEligibleForReEngagement: isEligibleForReEngagement)
    }

    private func missing(_ field: String, _ rule: String) -> FieldProblem {
        FieldProblem(field: field, found: "nothing", expected: rule)
    }
}

extension AdForm {
    /// Whether a version has ads of this form.
    fileprivate func isCarried(by version: SKAdNetworkVersion) -> Bool {
        switch self {
        case .storeKitRendered: true
        case .viewThrough: version.hasFidelityType
        case .web: version >= .v4_0
        }
    }
}
