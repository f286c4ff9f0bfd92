import Attribution
import AttributionSigning
import StrictJSON

extension SimulatedPostback {
    /// The body as a device sends it, signed by the stand-in.
    package func body(in scenario: Scenario, signedBy standIn: AppleStandIn) throws -> [UInt8] {
        let values = values(in: scenario)
        return version == .adAttributionKit
            ? try standIn.sign(adAttributionKitDraft(values)) : try skAdNetworkBody(values, standIn)
    }

    private func skAdNetworkBody(_ values: Values, _ standIn: AppleStandIn) throws -> [UInt8] {
        var draft = PostbackDraft([])
        var signed: [String] = []
        func add(_ field: PostbackField, _ value: JSONValue?, isSigned: Bool = true) {
            draft[field] = value
            guard isSigned else {
                return
            }
            switch value {
            case .string(let text): signed.append(text)
            case .integer(let number): signed.append(String(number))
            case .bool(let isTrue): signed.append(String(isTrue))
            default: break
            }
        }
        let isAfter1 = version > .v1_0
        if isAfter1 || flags.contains(.namesVersion) {
            add(.version, .string(version.name), isSigned: isAfter1)
        }
        add(.adNetworkID, .string(values.adNetworkID))
        add(.campaignID, values.campaignID.map { .integer(Int64($0)) })
        add(.sourceIdentifier, values.sourceIdentifier.map { .string($0) })
        add(.appID, .integer(values.appID))
        add(.transactionID, .string(id))
        add(.redownload, values.redownload.map { .bool($0) }, isSigned: isAfter1)
        add(.sourceAppID, values.sourceApp.map { .integer($0) })
        add(.sourceDomain, values.sourceDomain.map { .string($0) })
        add(.fidelityType, values.fidelity.map { .integer(Int64($0)) })
        add(.didWin, values.didWin.map { .bool($0) })
        add(.sequenceIndex, values.sequenceIndex.map { .integer(Int64($0)) })
        addConversion(to: &draft.fields)
        // The text that is signed is put together here, and not by the reader that will verify it.
        let text = Array(signed.joined(separator: "\u{2063}").utf8)
        return draft.body(signature: try standIn.signature(over: text, version < .v2_1 ? .p192 : .p256))
    }

    private func adAttributionKitDraft(_ values: Values) -> AdAttributionKitDraft {
        var draft = AdAttributionKitDraft(signed: [], unproven: [])
        draft[.postbackIdentifier] = .string(id)
        draft[.adNetworkIdentifier] = .string(values.adNetworkID)
        draft[.advertisedItemIdentifier] = .integer(values.appID)
        draft[.publisherItemIdentifier] = values.sourceApp.map { .integer($0) }
        draft[.sourceIdentifier] = .string(values.sourceIdentifier ?? "")
        draft[.conversionType] = .string(values.conversionType ?? "")
        draft[.impressionType] = .string("app-impression")
        draft[.marketplaceIdentifier] = values.marketplace.map { .string($0) }
        draft[.didWin] = .bool(values.didWin ?? false)
        draft[.sequenceIndex] = .integer(Int64(values.sequenceIndex ?? 0))
        draft.unproven[.adInteractionType] = .string(values.interaction ?? "")
        addConversion(to: &draft.unproven)
        draft.unproven[.countryCode] = values.country.map { .string($0) }
        return draft
    }
    private func addConversion(to fields: inout [JSONField]) {
        switch conversion {
        case .absent: break
        case .fine(let value): fields[.conversionValue] = .integer(Int64(value))
        case .coarse(let value): fields[.coarseConversionValue] = .string(value.rawValue)
        }
    }
}
