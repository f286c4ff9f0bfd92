import Attribution
import StrictJSON

/// A postback of either framework before it is signed.
enum TrafficDraft {
    case skAdNetwork(PostbackDraft)
    case adAttributionKit(AdAttributionKitDraft)
}

extension AppleStandIn {
    /// Signs a draft of either framework.
    func sign(_ draft: TrafficDraft, escapesSlashes: Bool) throws -> [UInt8] {
        switch draft {
        case .skAdNetwork(let draft): try sign(draft, escapesSlashes: escapesSlashes)
        case .adAttributionKit(let draft): try sign(draft)
        }
    }
}

extension TrafficDraft {
    /// Makes a draft of a postback.
    init(_ postback: ReceivedPostback) {
        switch postback {
        case .skAdNetwork(let postback): self = .skAdNetwork(PostbackDraft(postback))
        case .adAttributionKit(let postback): self = .adAttributionKit(AdAttributionKitDraft(postback))
        }
    }

    /// The body with a signature made for another body.
    func body(signature: [UInt8]) -> [UInt8] {
        switch self {
        case .skAdNetwork(let draft): draft.body(signature: signature)
        case .adAttributionKit(let draft): draft.body(signature: signature)
        }
    }

    /// A copy with another fine conversion value, which is not signed.
    func withConversionValue(_ value: Int64) -> TrafficDraft {
        switch self {
        case .skAdNetwork(var draft):
            draft[.coarseConversionValue] = nil
            draft[.conversionValue] = .integer(value)
            return .skAdNetwork(draft)
        case .adAttributionKit(var draft):
            draft.unproven[.coarseConversionValue] = nil
            draft.unproven[.conversionValue] = .integer(value)
            return .adAttributionKit(draft)
        }
    }
}
