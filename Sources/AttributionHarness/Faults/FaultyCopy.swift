import Attribution
import StrictJSON

/// A further copy of a genuine postback, and the answer a server must give it.
package struct FaultyCopy: Sendable {
    /// The bytes.
    package let body: [UInt8]
    /// What a server must answer.
    package let expectation: PlannedDelivery.Expectation
    package let transport: PlannedDelivery.Transport

    init(_ body: [UInt8], _ expectation: PlannedDelivery.Expectation, transport: PlannedDelivery.Transport = .whole) {
        self.body = body
        self.expectation = expectation
        self.transport = transport
    }
}

extension Fault {
    /// Makes the copy that a fault sends in addition to a genuine postback; nil for a delay, and for a fault that such a
    /// postback cannot have.
    ///
    /// The stranger signs with untrusted keys.
    package func copy(
        of genuine: [UInt8], stranger: AppleStandIn, using generator: inout SeededGenerator
    ) throws -> FaultyCopy? {
        switch self {
        case .reordered, .delayed:
            return nil
        case .repeated:
            return FaultyCopy(genuine, .durable(.duplicate, nil))
        case .slowBody:
            return FaultyCopy(genuine, .durable(.duplicate, nil), transport: .inPieces)
        case .cutConnection:
            return FaultyCopy(genuine, .none, transport: .cut)
        case .byteOrderMark:
            return FaultyCopy([0xEF, 0xBB, 0xBF] + genuine, .refused)
        case .truncated:
            return FaultyCopy(Array(genuine.dropLast(Int.random(in: 1..<20, using: &generator))), .refused)
        case .duplicateName:
            // Kept, because choosing one of the two would be a guess, and it may be a spoiled postback.
            let twice = Array("{\"conversion-value\":0,\"conversion-value\":63,".utf8)
            return FaultyCopy(twice + genuine.dropFirst(), .durable(.quarantined, .malformed))
        case .escapedSlashes:
            let escaped = genuine.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
            return FaultyCopy(escaped, .durable(.duplicate, nil))
        case .development:
            let sample = try AppleSignedPostback.all().first { $0.name.contains("development") }
            return sample.map { FaultyCopy($0.body, .durable(.recorded, nil)) }
        case .tampered:
            let tampering = Tampering.changes(of: try ReceivedPostback(reading: genuine))
                .randomElement(using: &generator)
            return tampering.map { FaultyCopy($0.body, .durable(.quarantined, .invalidSignature)) }
        default:
            return try changedCopy(of: genuine, stranger)
        }
    }

    /// The copy with one field changed.
    private func changedCopy(of genuine: [UInt8], _ stranger: AppleStandIn) throws -> FaultyCopy? {
        let postback = try ReceivedPostback(reading: genuine)
        let draft = postback.draft
        let names = Names(postback)
        func changed(
            _ values: KeyValuePairs<PostbackField, JSONValue?>, _ reason: PostbackRejection.Code
        ) -> FaultyCopy {
            let changed = values.reduce(draft) { $0.replacing($1.key, with: $1.value) }
            return FaultyCopy(changed.body(signature: postback.signature), .durable(.quarantined, reason))
        }
        switch self {
        case .raisedConversion:
            var fields = try JSONObject(reading: genuine).fields
            fields[.coarseConversionValue] = nil
            fields[.conversionValue] = .integer(postback.conversion == .fine(63) ? 62 : 63)
            return FaultyCopy(fields.body, .durable(.conflict, nil))
        case .wrongKey:
            let body =
                switch postback {
                case .skAdNetwork(let postback): try stranger.sign(PostbackDraft(postback))
                case .adAttributionKit(let postback): try stranger.sign(AdAttributionKitDraft(postback))
                }
            return FaultyCopy(body, .durable(.quarantined, .invalidSignature))
        case .versionUp, .versionDown:
            return otherVersion(of: postback)
        case .movedValue:
            return changed([names.network: draft[names.id], names.id: draft[names.network]], .invalidSignature)
        case .letterCase:
            guard case .string(let id) = draft[names.id] else {
                return nil
            }
            let other = id == id.uppercased() ? id.lowercased() : id.uppercased()
            return changed([names.id: .string(other)], .invalidSignature)
        case .zeroFilled:
            let isAbsent = draft[names.sourceApp] == nil && draft[.sourceDomain] == nil
            return names.isVersion1 || !isAbsent ? nil : changed([names.sourceApp: .integer(0)], .invalidSignature)
        case .retypedNumber:
            guard case .integer(let app) = draft[names.app] else {
                return nil
            }
            return changed([names.app: .string(String(app))], .malformed)
        case .retypedBoolean:
            guard !names.isVersion1, case .bool(let value) = draft[names.flag] else {
                return nil
            }
            return changed([names.flag: .integer(value ? 1 : 0)], .malformed)
        case .padding:
            return try respelled(genuine, names.signature) { $0 + "=" }
        case .otherAlphabet:
            let other: [Character: Character] = ["+": "-", "/": "_", "-": "+", "_": "/"]
            return try respelled(genuine, names.signature) { text in String(text.map { other[$0] ?? $0 }) }
        case .separator:
            guard case .string(let network) = draft[names.network] else {
                return nil
            }
            return changed([names.network: .string(network + "\u{2063}1")], .malformed)
        default:
            return nil
        }
    }

    /// The names of fields that both frameworks have.
    private struct Names {
        let id, network, app, sourceApp, flag, signature: PostbackField
        /// SKAdNetwork 1.0 signs neither a source app nor a boolean.
        let isVersion1: Bool

        init(_ postback: ReceivedPostback) {
            switch postback {
            case .skAdNetwork(let postback):
                (id, network, app) = (.transactionID, .adNetworkID, .appID)
                (sourceApp, flag, signature) = (.sourceAppID, .redownload, .attributionSignature)
                isVersion1 = postback.version == .v1_0
            case .adAttributionKit:
                (id, network, app) = (.postbackIdentifier, .adNetworkIdentifier, .advertisedItemIdentifier)
                (sourceApp, flag, signature) = (.publisherItemIdentifier, .didWin, .jwsString)
                isVersion1 = false
            }
        }
    }

    /// The copy with its signature spelled otherwise; nil if that changes nothing.
    private func respelled(
        _ genuine: [UInt8], _ field: PostbackField, _ respell: (String) -> String
    ) throws -> FaultyCopy? {
        var fields = try JSONObject(reading: genuine).fields
        guard case .string(let text) = fields[field], case let other = respell(text), other != text else {
            return nil
        }
        fields[field] = .string(other)
        return FaultyCopy(fields.body, .durable(.quarantined, .malformed))
    }

    /// The copy that names the next version or the one before, and is rejected for what it lacks.
    private func otherVersion(of postback: ReceivedPostback) -> FaultyCopy {
        let isUp = self == .versionUp
        let (body, reason): ([UInt8], PostbackRejection.Code)
        switch postback {
        case .skAdNetwork(let postback):
            var draft = PostbackDraft(postback)
            let version: String
            (version, reason) =
                isUp
                ? Self.above(postback.version, saysRedownload: draft[.redownload] != nil)
                : Self.below(postback.version)
            draft[.version] = .string(version)
            body = draft.body(signature: postback.attributionSignature)
        case .adAttributionKit(let postback):
            var draft = AdAttributionKitDraft(postback)
            draft.keyID = isUp ? "apple-cas-identifier/1" : PostbackKeyID.developmentFlow.rawValue
            reason = isUp ? .unknownKey : .invalidSignature
            body = draft.body(signature: postback.jws.signature)
        }
        return FaultyCopy(body, .durable(.quarantined, reason))
    }

    private static func above(_ version: SKAdNetworkVersion, saysRedownload: Bool) -> (String, PostbackRejection.Code) {
        switch version {
        case .v1_0: ("2.0", saysRedownload ? .invalidSignature : .malformed)
        case .v2_0: ("2.1", .invalidSignature)
        case .v2_1: ("2.2", .malformed)
        case .v2_2: ("3.0", .malformed)
        case .v3_0: ("4.0", .malformed)
        case .v4_0: ("5.0", .unknownVersion)
        }
    }

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
