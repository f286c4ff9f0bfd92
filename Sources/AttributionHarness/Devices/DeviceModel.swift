import Attribution
import StrictJSON

/// Makes postbacks like those of devices: frameworks, versions, tiers, windows, winners and losers in realistic shares.
struct DeviceModel {
    private var generator: SeededGenerator
    /// Postbacks of later windows for installs made earlier.
    private var laterPostbacks: [TrafficDraft] = []

    private static let networks = ["example123.skadnetwork", "example123.skadnetwork", "EXAMPLE777.SKAdNetwork"]
    private static let apps: [Int64] = [525_463_029, 1_234_567_890, 10_738_027_756, 684_939]
    private static let sources: [Int64] = [1_234_567_891, 5_838_492, 6_448_311_069, 0]
    private static let domains = ["example.com", "news.example.org"]

    init(generator: SeededGenerator) {
        self.generator = generator
    }

    mutating func nextPostback() -> TrafficDraft {
        if !laterPostbacks.isEmpty, generator.chance(0.5) {
            return laterPostbacks.removeFirst()
        }
        return generator.chance(0.25) ? .adAttributionKit(adAttributionKit()) : .skAdNetwork(skAdNetwork())
    }

    private mutating func skAdNetwork() -> PostbackDraft {
        let version: SKAdNetworkVersion = generator.pick([
            .v1_0: 2, .v2_0: 5, .v2_1: 3, .v2_2: 10, .v3_0: 30, .v4_0: 50,
        ])
        return version == .v4_0 ? hierarchical() : flat(version)
    }

    /// Up to 3.0: below the privacy threshold the source app and the conversion value are missing together.
    private mutating func flat(_ version: SKAdNetworkVersion) -> PostbackDraft {
        var draft = PostbackDraft([])
        // A 1.0 body may or may not have its version.
        if version > .v1_0 || generator.chance(0.5) {
            draft[.version] = .string(version.rawValue)
        }
        start(&draft)
        draft[.campaignID] = .integer(Int64.random(in: 1...20, using: &generator))
        guard version > .v1_0 else {
            if generator.chance(0.5) {
                draft[.redownload] = .bool(generator.chance(0.25))
            }
            return draft
        }
        draft[.redownload] = .bool(generator.chance(0.25))
        let isWinner = version < .v3_0 || generator.chance(0.7)
        if isWinner, generator.chance(0.6) {
            draft[.sourceAppID] = .integer(Self.sources.randomElement(using: &generator) ?? 0)
            draft[.conversionValue] = conversionValue()
        } else if isWinner, generator.chance(0.05) {
            // Some forwarders write missing values as null.
            draft[.conversionValue] = .null
        }
        if version.hasFidelityType {
            draft[.fidelityType] = .integer(generator.chance(0.3) ? 0 : 1)
        }
        if version >= .v3_0 {
            draft[.didWin] = .bool(isWinner)
        }
        return draft
    }

    /// 4.0: the fields of a postback depend on its data tier and window.
    private mutating func hierarchical() -> PostbackDraft {
        let tier = generator.pick([0: 20, 1: 30, 2: 25, 3: 25])
        let isWinner = generator.chance(0.7)
        let identifier = sourceIdentifier(isWinner: isWinner, tier: tier)

        var draft = PostbackDraft([])
        draft[.version] = .string("4.0")
        start(&draft)
        draft[.sourceIdentifier] = .string(identifier)
        draft[.redownload] = .bool(generator.chance(0.25))
        let isWeb = generator.chance(0.1)
        if isWinner, tier == 3 {
            if isWeb {
                draft[.sourceDomain] = .string(Self.domains.randomElement(using: &generator) ?? "example.com")
            } else {
                draft[.sourceAppID] = .integer(Self.sources.randomElement(using: &generator) ?? 0)
            }
        }
        draft[.fidelityType] = .integer(isWeb || generator.chance(0.7) ? 1 : 0)
        draft[.didWin] = .bool(isWinner)
        draft[.sequenceIndex] = .integer(0)
        guard isWinner else {
            return draft
        }
        if tier > 0 {
            planLaterWindows(of: draft, identifier: String(identifier.suffix(2)))
        }
        if tier >= 2, generator.chance(0.7) {
            draft[.conversionValue] = conversionValue()
        } else if tier == 1, generator.chance(0.7) {
            draft[.coarseConversionValue] = coarseValue()
        }
        return draft
    }

    /// The second and third window: two digits, coarse values, no source.
    ///
    /// Apple does not document whether they share the transaction id, so both occur.
    private mutating func planLaterWindows(of first: PostbackDraft, identifier: String) {
        let sharesID = generator.chance(0.5)
        for index: Int64 in 1...2 where generator.chance(0.5) {
            var later = first
            later[.sourceIdentifier] = .string(identifier)
            later[.sourceAppID] = nil
            later[.sourceDomain] = nil
            later[.sequenceIndex] = .integer(index)
            if !sharesID {
                later[.transactionID] = .string(generator.uuid())
            }
            if generator.chance(0.6) {
                later[.coarseConversionValue] = coarseValue()
            }
            laterPostbacks.append(.skAdNetwork(later))
        }
    }

    /// AdAttributionKit: windows and tiers as in 4.0; re-engagements have no non-winners.
    private mutating func adAttributionKit() -> AdAttributionKitDraft {
        let tier = generator.pick([0: 20, 1: 30, 2: 25, 3: 25])
        let type: ConversionType = generator.pick([.download: 55, .redownload: 20, .reengagement: 25])
        let isWinner = type == .reengagement || generator.chance(0.7)
        var draft = AdAttributionKitDraft(signed: [], unproven: [])
        draft[.postbackIdentifier] = .string(generator.uuid().uppercased())
        draft[.adNetworkIdentifier] = .string(
            ["example123.adattributionkit", "example123.skadnetwork"].randomElement(using: &generator) ?? "")
        draft[.advertisedItemIdentifier] = .integer(Self.apps.randomElement(using: &generator) ?? Self.apps[0])
        if isWinner, tier == 3 {
            draft[.publisherItemIdentifier] = .integer(Self.sources.randomElement(using: &generator) ?? 0)
        }
        let identifier = sourceIdentifier(isWinner: isWinner, tier: tier)
        draft[.sourceIdentifier] = .string(identifier)
        draft[.conversionType] = .string(type.rawValue)
        draft[.impressionType] = .string("app-impression")
        if tier > 0 {
            draft[.marketplaceIdentifier] = .string(
                generator.pick(["com.apple.AppStore": 9, "com.example.marketplace": 1]))
        }
        draft[.didWin] = .bool(isWinner)
        draft[.sequenceIndex] = .integer(0)
        let isClick = type == .reengagement || generator.chance(0.7)
        draft.unproven[.adInteractionType] = .string((isClick ? AdInteractionType.click : .view).rawValue)
        guard isWinner else {
            return draft
        }
        if tier > 0 {
            planLaterWindows(of: draft, identifier: String(identifier.suffix(2)))
        }
        if tier == 3 {
            draft.unproven[.countryCode] = .string(generator.pick(["US": 5, "DE": 2, "JP": 2, "BR": 1]))
        }
        if tier >= 2, generator.chance(0.7) {
            draft.unproven[.conversionValue] = conversionValue()
        } else if tier == 1, generator.chance(0.7) {
            draft.unproven[.coarseConversionValue] = coarseValue()
        }
        return draft
    }

    private mutating func planLaterWindows(of first: AdAttributionKitDraft, identifier: String) {
        let sharesID = generator.chance(0.5)
        for index: Int64 in 1...2 where generator.chance(0.5) {
            var later = first
            later[.sourceIdentifier] = .string(identifier)
            later[.publisherItemIdentifier] = nil
            later[.sequenceIndex] = .integer(index)
            if !sharesID {
                later[.postbackIdentifier] = .string(generator.uuid().uppercased())
            }
            if generator.chance(0.6) {
                later.unproven[.coarseConversionValue] = coarseValue()
            }
            laterPostbacks.append(.adAttributionKit(later))
        }
    }

    /// Two to four digits, as the tier allows, shortened from the left.
    private mutating func sourceIdentifier(isWinner: Bool, tier: Int) -> String {
        let campaign = Int64.random(in: 0...9999, using: &generator) % 40 * 101 % 10_000
        let digits = String(repeating: "0", count: 4 - String(campaign).count) + String(campaign)
        return String(digits.suffix(isWinner && tier >= 2 ? generator.pick([2: 1, 3: 1, 4: 2]) : 2))
    }

    private mutating func start(_ draft: inout PostbackDraft) {
        draft[.adNetworkID] = .string(Self.networks.randomElement(using: &generator) ?? Self.networks[0])
        let id = generator.uuid()
        draft[.transactionID] = .string(generator.chance(0.5) ? id.uppercased() : id)
        draft[.appID] = .integer(Self.apps.randomElement(using: &generator) ?? Self.apps[0])
    }

    /// Mostly small values, rarely large ones, and sometimes 0.
    private mutating func conversionValue() -> JSONValue {
        let value = Double.random(in: 0..<1, using: &generator)
        return .integer(Int64(value * value * value * 64))
    }

    private mutating func coarseValue() -> JSONValue {
        .string(generator.pick([CoarseConversionValue.low: 5, .medium: 3, .high: 2]).rawValue)
    }
}
