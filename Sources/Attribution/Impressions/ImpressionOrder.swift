import StrictJSON

/// What one request asks to be signed: one ad in every form and version it may be shown in.
///
/// Each form is signed for each of the versions that carry it, with a nonce of its own.
package struct ImpressionOrder: Sendable {
    private static let adAttributionKit = "adattributionkit"
    private static let names = [
        "forms", "version", "versions", "ad-network-id", "itunes-item-id", "campaign-id", "source-identifier",
        "source-app-id", "source-domain", "eligible-for-re-engagement",
    ]

    private let forms: [AdForm]
    private let isForAdAttributionKit: Bool
    private let versions: [SKAdNetworkVersion]
    private let adNetworkID: String
    private let itunesItemID: Int64
    private let campaignID: Int64?
    private let sourceIdentifier: Int64?
    private let sourceAppID: Int64?
    private let sourceDomain: String?
    private let isEligibleForReEngagement: Bool

    /// Reads an order.
    ///
    /// - Parameters:
    ///   - body: A JSON object of at most 64 KiB, in Apple's field names beside `forms` and `versions`.
    ///   - limit: The most bytes it may have.
    /// - Throws: ``SigningRefusal`` for what is no JSON, unknown names, and values of the wrong kind.
    package init(reading body: [UInt8], limit: Int) throws(SigningRefusal) {
        let fields: RequestFields
        do throws(JSONError) {
            fields = try RequestFields(reading: body, limit: limit)
        } catch {
            throw .notJSON(error)
        }
        do throws(FieldProblem) {
            try self.init(fields)
        } catch {
            throw .field(error)
        }
    }

    private init(_ fields: RequestFields) throws(FieldProblem) {
        for name in ["nonce", "timestamp", "impression-identifier"] where fields.has(name) {
            throw fields.problem(
                name, found: "a value", expected: "none: every signature gets a fresh one, made here")
        }
        try fields.allow(only: Self.names)
        let named = try fields.strings("forms")
        var forms: [AdForm] = []
        for (index, name) in named.enumerated() {
            let isNew = !named[..<index].contains(name)
            if name == Self.adAttributionKit, isNew {
                continue
            }
            guard let form = AdForm(rawValue: name), isNew else {
                throw fields.problem(
                    "forms", found: "\"\(name.shortened(to: 40))\"",
                    expected: "each at most once, of \(AdForm.allCases.map(\.rawValue).joined(separator: ", ")), "
                        + Self.adAttributionKit)
            }
            forms.append(form)
        }
        self.forms = forms
        isForAdAttributionKit = named.contains(Self.adAttributionKit)
        guard !named.isEmpty else {
            throw fields.problem(
                "forms", found: "nothing",
                expected: "a list of \(AdForm.allCases.map(\.rawValue).joined(separator: ", ")), "
                    + Self.adAttributionKit)
        }
        versions = try Self.versions(fields, areNeeded: !forms.isEmpty)
        guard let network = try fields.string("ad-network-id") else {
            throw fields.problem("ad-network-id", found: "nothing", expected: "a network of the list of keys")
        }
        guard let item = try fields.integer("itunes-item-id") else {
            throw fields.problem("itunes-item-id", found: "nothing", expected: "the App Store id of the advertised app")
        }
        adNetworkID = network
        itunesItemID = item
        campaignID = try fields.integer("campaign-id")
        sourceIdentifier = try fields.integer("source-identifier")
        sourceAppID = try fields.integer("source-app-id")
        sourceDomain = try fields.string("source-domain")
        isEligibleForReEngagement = try fields.flag("eligible-for-re-engagement")
    }

    private static func versions(
        _ fields: RequestFields, areNeeded: Bool
    ) throws(FieldProblem) -> [SKAdNetworkVersion] {
        let one = try fields.version("version")
        let many = try fields.versions("versions")
        guard one == nil || many.isEmpty else {
            throw fields.problem("version", found: "both version and versions", expected: "one of them")
        }
        let texts = one.map { [$0] } ?? many
        guard texts.isEmpty != areNeeded else {
            throw fields.problem(
                "versions", found: texts.isEmpty ? "nothing" : "a value",
                expected: areNeeded
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

    /// Checks every value against the rules of every version.
    ///
    /// - Parameters:
    ///   - timestampMilliseconds: The time that is signed, in Unix milliseconds.
    ///   - nonce: Makes a fresh one at each call.
    /// - Returns: One impression for each form and version that carries it.
    /// - Throws: ``SigningRefusal/field(_:)`` naming the first value that breaks a rule, or that nothing would use.
    package func impressions(
        timestampMilliseconds: Int64,
        nonce: () -> Nonce
    ) throws(SigningRefusal) -> [OrderedImpression] {
        do throws(FieldProblem) {
            try refuseUnused()
            var impressions: [OrderedImpression] = []
            for form in forms {
                let carrying = versions.filter { form.isCarried(by: $0) }
                guard !carrying.isEmpty else {
                    throw FieldProblem(
                        field: "forms",
                        found: "\(form.rawValue) with versions \(versions.map(\.rawValue).joined(separator: ", "))",
                        expected: form == .web
                            ? "version 4.0 for a web ad" : "version 2.2 or later for a view-through ad"
                    )
                }
                for version in carrying {
                    let request = request(form, version, nonce(), timestampMilliseconds)
                    impressions.append(.skAdNetwork(try request.checked()))
                }
            }
            if isForAdAttributionKit {
                let request = AppImpressionRequest(
                    impressionIdentifier: nonce().text,
                    publisherItemIdentifier: sourceAppID,
                    advertisedItemIdentifier: itunesItemID,
                    adNetworkIdentifier: adNetworkID,
                    sourceIdentifier: sourceIdentifier,
                    timestampMilliseconds: timestampMilliseconds,
                    isEligibleForReEngagement: isEligibleForReEngagement
                )
                impressions.append(.adAttributionKit(try request.checked()))
            }
            return impressions
        } catch {
            throw .field(error)
        }
    }

    private func request(
        _ form: AdForm, _ version: SKAdNetworkVersion, _ nonce: Nonce, _ timestampMilliseconds: Int64
    ) -> ImpressionRequest {
        ImpressionRequest(
            version: version.rawValue,
            adNetworkID: adNetworkID,
            campaignID: version.hasSourceIdentifier ? nil : campaignID,
            sourceIdentifier: version.hasSourceIdentifier ? sourceIdentifier : nil,
            itunesItemID: itunesItemID,
            sourceAppID: form == .web || version == .v1_0 ? nil : sourceAppID,
            sourceDomain: form == .web ? sourceDomain ?? "" : nil,
            fidelityType: version.hasFidelityType ? (form == .viewThrough ? 0 : 1) : nil,
            nonce: nonce.text,
            timestampMilliseconds: timestampMilliseconds
        )
    }

    /// Nothing that was given may be dropped in silence.
    private func refuseUnused() throws(FieldProblem) {
        let signsInApp = forms.contains { $0 != .web } && versions.contains { $0 > .v1_0 }
        let rules: [(name: String, isGiven: Bool, isUsed: Bool, user: String)] = [
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
            throw FieldProblem(field: rule.name, found: "a value", expected: "none: only \(rule.user) have it")
        }
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
