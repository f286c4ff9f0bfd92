import Attribution
import StrictJSON

/// A delivery of one signed postback that `skan trigger` sends by name.
package enum DeliveryTrigger: String, CaseIterable, Hashable, Sendable {
    case install
    case redownload
    case viewThrough = "view-through"
    case window2 = "window-2"
    case window3 = "window-3"
    case loss
    case webAd = "web-ad"
    case lowTier = "low-tier"
    case skan10 = "skan-1.0"
    case skan20 = "skan-2.0"
    case skan22 = "skan-2.2"
    case skan30 = "skan-3.0"
    case developerCopy = "developer-copy"
    case aakInstall = "aak-install"
    case aakRedownload = "aak-redownload"
    case aakReengagement = "aak-reengagement"
    case aakWindow2 = "aak-window-2"
    case aakLoss = "aak-loss"
    case development
    case skanDevelopment = "skan-development"
    case aakDevelopment = "aak-development"
    case tampered
    case zeroFilled = "zero-filled"
    case wrongKey = "wrong-key"
    case unknownVersion = "unknown-version"
    case malformed
    case notJSON = "not-json"

    package var summary: String {
        switch self {
        case .install: "an install by SKAdNetwork 4.0: first window, fine conversion value, source app"
        case .redownload: "the same, of an app that was downloaded before"
        case .viewThrough: "an install after a view, not a tap"
        case .window2: "the second window of 4.0: two digits, coarse conversion value"
        case .window3: "the third window of 4.0"
        case .loss: "a postback of 4.0 that did not win"
        case .webAd: "an install after a tap on a web ad, with its domain"
        case .lowTier: "an install of a small crowd: two digits, no conversion value, no source"
        case .skan10: "an install by 1.0, on P-192"
        case .skan20: "an install by 2.0, on P-192"
        case .skan22: "an install by 2.2"
        case .skan30: "an install by 3.0"
        case .developerCopy: "a copy of an install for the developer, at its well-known path"
        case .aakInstall: "an install by AdAttributionKit"
        case .aakRedownload: "a redownload by AdAttributionKit"
        case .aakReengagement: "a re-engagement by AdAttributionKit"
        case .aakWindow2: "the second window of AdAttributionKit"
        case .aakLoss: "a postback of AdAttributionKit that did not win"
        case .development: "a postback of a device's developer settings: always the same, with Apple's own signature"
        case .skanDevelopment: "an install by SKAdNetwork in Developer Mode: the source app is 0"
        case .aakDevelopment: "an install by AdAttributionKit in Developer Mode: the publisher app is 0"
        case .tampered: "an install whose app was changed after signing"
        case .zeroFilled: "an install to which somebody added zeros for what it does not have"
        case .wrongKey: "an install signed with a key that nobody trusts"
        case .unknownVersion: "a postback of version 9.0"
        case .malformed: "a postback without its transaction id"
        case .notJSON: "a body that is no JSON"
        }
    }

    /// Whether its body is always the same, whatever the keys, the id and the network.
    package var isFixed: Bool {
        self == .development
    }

    /// What a server that trusts the test keys must answer, the first time.
    package var expectation: PlannedDelivery.Expectation {
        switch self {
        case .tampered, .zeroFilled, .wrongKey: .durable(.quarantined, .invalidSignature)
        case .unknownVersion: .durable(.quarantined, .unknownVersion)
        case .malformed: .durable(.quarantined, .malformed)
        case .notJSON: .refused
        default: .durable(.recorded, nil)
        }
    }

    /// Where devices send it.
    package var path: String {
        framework.path(for: self == .developerCopy ? .developer : .network)
    }

    private var framework: PostbackFramework {
        rawValue.hasPrefix("aak-") || isFixed ? .adAttributionKit : .skAdNetwork
    }

    /// Makes the body to post, with an id and, unless it is nil, another ad network.
    package func body(by standIn: AppleStandIn, id: String, network: String? = nil) throws -> [UInt8] {
        switch self {
        case .development:
            return try AppleSignedPostback(file: PackageResources.aak_development_reengagement_json).body
        case _ where framework == .adAttributionKit:
            return try standIn.sign(adAttributionKit(id, network ?? "example123.adattributionkit"))
        case .wrongKey:
            return try AppleStandIn().sign(draft(id, network))
        case .tampered:
            return try signed(standIn, id, network) { $0[.appID] = .integer(684_939) }
        case .zeroFilled:
            return try signed(standIn, id, network) {
                $0[.sourceAppID] = .integer(0)
                $0[.conversionValue] = .integer(0)
            }
        case .unknownVersion:
            return try signed(standIn, id, network) { $0[.version] = .string("9.0") }
        case .malformed:
            return try signed(standIn, id, network) { $0[.transactionID] = nil }
        case .notJSON:
            return Array("transaction-id=\(id)".utf8)
        default:
            return try standIn.sign(draft(id, network))
        }
    }

    // MARK: Drafts

    /// A genuine postback, changed after it was signed.
    private func signed(
        _ standIn: AppleStandIn, _ id: String, _ network: String?, change: (inout PostbackDraft) -> Void
    ) throws -> [UInt8] {
        let genuine = try SKAdNetworkPostback(reading: standIn.sign(draft(id, network)))
        var draft = PostbackDraft(genuine)
        change(&draft)
        return draft.body(signature: genuine.attributionSignature)
    }

    private func draft(_ id: String, _ network: String?) -> PostbackDraft {
        var draft = PostbackDraft([])
        draft[.version] = .string(version.rawValue)
        draft[.adNetworkID] = .string(network ?? "example123.skadnetwork")
        draft[.transactionID] = .string(id)
        draft[.appID] = .integer(525_463_029)
        guard version == .v4_0 else {
            draft[.campaignID] = .integer(42)
            if version > .v1_0 {
                draft[.redownload] = .bool(false)
                draft[.sourceAppID] = .integer(1_234_567_891)
                draft[.conversionValue] = .integer(20)
            }
            if version.hasFidelityType {
                draft[.fidelityType] = .integer(1)
            }
            if version >= .v3_0 {
                draft[.didWin] = .bool(true)
            }
            return draft
        }
        let isShort = [.window2, .window3, .loss, .lowTier, .zeroFilled].contains(self)
        draft[.sourceIdentifier] = .string(isShort ? "39" : "5239")
        draft[.redownload] = .bool(self == .redownload)
        draft[.fidelityType] = .integer(self == .viewThrough ? 0 : 1)
        draft[.didWin] = .bool(self != .loss)
        draft[.sequenceIndex] = .integer(self == .window2 ? 1 : self == .window3 ? 2 : 0)
        if self == .webAd {
            draft[.sourceDomain] = .string("example.com")
        } else if !isShort {
            draft[.sourceAppID] = .integer(self == .skanDevelopment ? 0 : 1_234_567_891)
        }
        switch self {
        case .window2, .window3: draft[.coarseConversionValue] = .string("high")
        case _ where !isShort: draft[.conversionValue] = .integer(20)
        default: break
        }
        return draft
    }

    private var version: SKAdNetworkVersion {
        switch self {
        case .skan10: .v1_0
        case .skan20: .v2_0
        case .skan22: .v2_2
        case .skan30: .v3_0
        default: .v4_0
        }
    }

    private func adAttributionKit(_ id: String, _ network: String) -> AdAttributionKitDraft {
        let isWindow2 = self == .aakWindow2
        let type: ConversionType =
            switch self {
            case .aakRedownload: .redownload
            case .aakReengagement: .reengagement
            default: .download
            }
        var draft = AdAttributionKitDraft(signed: [], unproven: [])
        draft[.postbackIdentifier] = .string(id)
        draft[.adNetworkIdentifier] = .string(network)
        draft[.advertisedItemIdentifier] = .integer(525_463_029)
        if !isWindow2, self != .aakLoss {
            draft[.publisherItemIdentifier] = .integer(self == .aakDevelopment ? 0 : 1_234_567_891)
        }
        draft[.sourceIdentifier] = .string(isWindow2 || self == .aakLoss ? "39" : "5239")
        draft[.conversionType] = .string(type.rawValue)
        draft[.impressionType] = .string("app-impression")
        draft[.marketplaceIdentifier] = .string("com.apple.AppStore")
        draft[.didWin] = .bool(self != .aakLoss)
        draft[.sequenceIndex] = .integer(isWindow2 ? 1 : 0)
        draft.unproven[.adInteractionType] = .string("click")
        if isWindow2 {
            draft.unproven[.coarseConversionValue] = .string("high")
        } else if self != .aakLoss {
            draft.unproven[.conversionValue] = .integer(20)
            draft.unproven[.countryCode] = .string("US")
        }
        return draft
    }
}

/// A postback that Apple signed once, changed so that nobody verifies it: it proves the way to a server without a key,
/// and never counts.
package struct ForgedDelivery: Sendable {
    /// The bytes to post.
    package let body: [UInt8]

    /// Makes one with a transaction id, by which it is found in the quarantine.
    package init(id: String) throws {
        guard let sample = try AppleSignedPostback.all().first(where: { $0.name == "skan-4.0-web-fine" }) else {
            throw PostbackRejection.unknownVersion("4.0")
        }
        let genuine = try SKAdNetworkPostback(reading: sample.body)
        var draft = PostbackDraft(genuine)
        draft[.transactionID] = .string(id)
        body = draft.body(signature: genuine.attributionSignature)
    }
}
