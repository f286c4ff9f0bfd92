import Attribution
import StrictJSON

extension Fault {
    /// The copy with a changed body of AdAttributionKit.
    func copy(
        of draft: AdAttributionKitDraft,
        signedAs genuine: [UInt8],
        _ stranger: AppleStandIn
    ) throws -> FaultyCopy? {
        guard case .adAttributionKit(let postback) = try ReceivedPostback(reading: genuine) else {
            return nil
        }
        let signature = postback.jws.signature
        let forged = PlannedDelivery.Expectation.durable(.quarantined, .invalidSignature)
        let malformed = PlannedDelivery.Expectation.durable(.quarantined, .malformed)
        func changed(_ field: PostbackField, _ value: JSONValue?) -> [UInt8] {
            draft.replacing(field, with: value).body(signature: signature)
        }
        func underKey(_ name: String) -> [UInt8] {
            var draft = draft
            draft.keyID = name
            return draft.body(signature: signature)
        }
        switch self {
        case .raisedConversion:
            // The signed bytes are kept as they came: only what stands beside them may change.
            var fields = try JSONObject(reading: genuine).fields
            fields[.coarseConversionValue] = nil
            fields[.conversionValue] = .integer(postback.conversion == .fine(63) ? 62 : 63)
            return FaultyCopy(Self.body(fields), .durable(.conflict, nil))
        case .wrongKey:
            return FaultyCopy(try stranger.sign(draft), forged)
        case .versionUp:
            return FaultyCopy(underKey("apple-cas-identifier/1"), .durable(.quarantined, .unknownKey))
        case .versionDown:
            return FaultyCopy(underKey(PostbackKeyID.developmentFlow.rawValue), forged)
        case .letterCase:
            let id = postback.postbackIdentifier.text
            let other = id == id.uppercased() ? id.lowercased() : id.uppercased()
            return FaultyCopy(changed(.postbackIdentifier, .string(other)), forged)
        case .zeroFilled:
            guard postback.publisherItemID == nil else {
                return nil
            }
            return FaultyCopy(changed(.publisherItemIdentifier, .integer(0)), forged)
        case .retypedNumber:
            return FaultyCopy(changed(.advertisedItemIdentifier, .string("\(postback.advertisedItemID)")), malformed)
        case .retypedBoolean:
            return FaultyCopy(changed(.didWin, .integer(postback.didWin ? 1 : 0)), malformed)
        case .padding:
            return FaultyCopy(try Self.respelling(genuine) { $0 + "=" }, malformed)
        case .otherAlphabet:
            let text = Base64URL.encode(signature)
            guard text.contains(where: { $0 == "-" || $0 == "_" }) else {
                return nil
            }
            return FaultyCopy(
                try Self.respelling(genuine) { jws in
                    String(jws.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
                }, malformed)
        case .separator:
            return FaultyCopy(
                changed(.adNetworkIdentifier, .string(postback.adNetworkID.text + "\u{2063}" + "1")), malformed)
        default:
            return nil
        }
    }

    /// The body with its JWS spelled otherwise.
    private static func respelling(_ genuine: [UInt8], _ respell: (String) -> String) throws -> [UInt8] {
        var fields = try JSONObject(reading: genuine).fields
        if case .string(let jws) = fields[.jwsString] {
            fields[.jwsString] = .string(respell(jws))
        }
        return body(fields)
    }

    private static func body(_ fields: [JSONField]) -> [UInt8] {
        Array(JSONText.object(fields.map { ($0.name, $0.value.text) }).line.utf8)
    }
}
