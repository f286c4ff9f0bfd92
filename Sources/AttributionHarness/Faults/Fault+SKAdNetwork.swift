import Attribution
import StrictJSON

extension Fault {
    /// The copy with a changed body of SKAdNetwork.
    func copy(of draft: PostbackDraft, signedAs genuine: [UInt8], _ stranger: AppleStandIn) throws -> FaultyCopy? {
        let postback = try SKAdNetworkPostback(reading: genuine)
        let signature = postback.attributionSignature
        let version = postback.version
        func changed(_ field: PostbackField, _ value: JSONValue?) -> [UInt8] {
            draft.replacing(field, with: value).body(signature: signature)
        }
        switch self {
        case .raisedConversion:
            let raised = TrafficDraft.skAdNetwork(draft).withRaisedConversion(postback.conversion)
            return FaultyCopy(raised.body(signature: signature), .durable(.conflict, nil))
        case .wrongKey:
            return FaultyCopy(try stranger.sign(draft), .durable(.quarantined, .invalidSignature))
        case .versionUp:
            let (next, reason) = Self.above(version, saysRedownload: draft[.redownload] != nil)
            return FaultyCopy(changed(.version, .string(next)), .durable(.quarantined, reason))
        case .versionDown:
            let (previous, reason) = Self.below(version)
            return FaultyCopy(changed(.version, .string(previous)), .durable(.quarantined, reason))
        case .letterCase:
            let id = postback.transactionID.text
            let other = id == id.uppercased() ? id.lowercased() : id.uppercased()
            return FaultyCopy(changed(.transactionID, .string(other)), .durable(.quarantined, .invalidSignature))
        case .zeroFilled:
            guard version > .v1_0, postback.source == nil else {
                return nil
            }
            return FaultyCopy(changed(.sourceAppID, .integer(0)), .durable(.quarantined, .invalidSignature))
        case .retypedNumber:
            return FaultyCopy(
                changed(.appID, .string("\(postback.appID)")), .durable(.quarantined, .malformed))
        case .retypedBoolean:
            guard version > .v1_0, let isRedownload = postback.isRedownload else {
                return nil
            }
            return FaultyCopy(changed(.redownload, .integer(isRedownload ? 1 : 0)), .durable(.quarantined, .malformed))
        case .padding:
            return FaultyCopy(
                Self.respelling(signature, draft) { $0 + "=" }, .durable(.quarantined, .malformed))
        case .otherAlphabet:
            let text = Base64.encode(signature)
            guard text.contains(where: { $0 == "+" || $0 == "/" }) else {
                return nil
            }
            return FaultyCopy(
                Self.respelling(signature, draft) { text in
                    String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
                }, .durable(.quarantined, .malformed))
        case .separator:
            return FaultyCopy(
                changed(.adNetworkID, .string(postback.adNetworkID.text + "\u{2063}" + "1")),
                .durable(.quarantined, .malformed))
        default:
            return nil
        }
    }

    /// The body with its signature spelled otherwise.
    private static func respelling(
        _ signature: [UInt8],
        _ draft: PostbackDraft,
        _ respell: (String) -> String
    ) -> [UInt8] {
        let field = JSONField(
            name: PostbackField.attributionSignature.rawValue, value: .string(respell(Base64.encode(signature))))
        return Array(JSONText.object((draft.fields + [field]).map { ($0.name, $0.value.text) }).line.utf8)
    }

    /// The next version, and what a body that only names it lacks.
    private static func above(
        _ version: SKAdNetworkVersion,
        saysRedownload: Bool
    ) -> (String, PostbackRejection.Code) {
        switch version {
        case .v1_0: ("2.0", saysRedownload ? .invalidSignature : .malformed)
        case .v2_0: ("2.1", .invalidSignature)
        case .v2_1: ("2.2", .malformed)
        case .v2_2: ("3.0", .malformed)
        case .v3_0: ("4.0", .malformed)
        case .v4_0: ("5.0", .unknownVersion)
        }
    }

    /// The version before, and what a body that only names it lacks.
    private static func below(_ version: SKAdNetworkVersion) -> (String, PostbackRejection.Code) {
        switch version {
        case .v1_0: ("0.9", .unknownVersion)
        case .v2_0: ("1.0", .invalidSignature)
        case .v2_1: ("2.0", .invalidSignature)
        case .v2_2: ("2.1", .invalidSignature)
        case .v3_0: ("2.2", .invalidSignature)
        case .v4_0: ("3.0", .malformed)
        }
    }
}

extension TrafficDraft {
    /// The same with the highest conversion value there is, or with the one below where that was sent.
    func withRaisedConversion(_ conversion: Conversion) -> TrafficDraft {
        withConversionValue(conversion == .fine(63) ? 62 : 63)
    }
}
