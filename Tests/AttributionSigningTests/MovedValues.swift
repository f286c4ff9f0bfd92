import Attribution
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

/// A value of a genuine postback moved to another field: the signed text joins values without names, so a reader that
/// accepts a value in the wrong field would count something that Apple did not sign.
struct MovedValue: CustomStringConvertible {
    enum Expectation {
        /// It must be rejected: a field is missing or of the wrong type, or the signature does not verify.
        case rejected
        /// It verifies with the same signed fields, because nothing signed was changed.
        case sameStatement
    }

    let field: PostbackField
    let change: String
    let body: [UInt8]
    let expectation: Expectation

    var description: String {
        "\(field.rawValue) \(change)"
    }

    /// Expects that a verifier detects every change and every moved value.
    static func expectDetected(_ original: ReceivedPostback, by verifier: PostbackVerifier) {
        for change in Tampering.changes(of: original) {
            #expect(change.isDetected(by: verifier.judge(change.body)), "\(change)")
        }
        let moves = moves(of: original)
        #expect(Set(moves.map(\.expectation)) == [.rejected, .sameStatement])
        for move in moves {
            switch verifier.judge(move.body) {
            case .rejected(.notUnderstood, _): Issue.record("\(move): kept as verified")
            case .rejected: #expect(move.expectation == .rejected, "\(move)")
            case .verified(let verified):
                #expect(
                    move.expectation == .sameStatement
                        && verified.postback.signedStatement == original.signedStatement, "\(move)")
            case .undecided(let reason, _): Issue.record("\(move): undecided: \(reason)")
            }
        }
    }

    /// The fields of an SKAdNetwork postback of any version.
    private static let skAdNetworkFields: [PostbackField] = [
        .version, .adNetworkID, .campaignID, .sourceIdentifier, .appID, .transactionID, .redownload, .sourceAppID,
        .sourceDomain, .fidelityType, .didWin, .sequenceIndex, .conversionValue, .coarseConversionValue, .countryCode,
        .attributionSignature,
    ]
    /// The signed and unsigned fields of an AdAttributionKit postback.
    private static let payloadFields: [PostbackField] = [
        .postbackIdentifier, .adNetworkIdentifier, .advertisedItemIdentifier, .publisherItemIdentifier,
        .sourceIdentifier, .conversionType, .impressionType, .marketplaceIdentifier, .didWin, .sequenceIndex,
    ]
    private static let siblingFields: [PostbackField] = [
        .conversionValue, .coarseConversionValue, .adInteractionType, .countryCode,
    ]

    /// Every value moved to every other field, swapped with it, or added under a new name.
    static func moves(of postback: ReceivedPostback) -> [MovedValue] {
        switch postback {
        case .skAdNetwork(let postback): moves(of: postback)
        case .adAttributionKit(let postback): moves(of: postback)
        }
    }

    // MARK: SKAdNetwork

    private static func moves(of postback: SKAdNetworkPostback) -> [MovedValue] {
        let fields = postback.fields
        let signed = Set(PostbackField.signed(in: postback.version) + [.attributionSignature])
        /// Whether a change is visible: `version` matters even in 1.0, which does not sign it.
        func decides(_ field: PostbackField, isTarget: Bool) -> Bool {
            signed.contains(field) || field == .version && isTarget
        }
        return variants(of: fields, among: skAdNetworkFields).map { variant in
            let isSigned =
                decides(variant.target, isTarget: true)
                || variant.source.map { decides($0, isTarget: variant.isSwap) } ?? false
            return MovedValue(
                field: variant.target, change: variant.change, body: variant.fields.body,
                expectation: isSigned ? .rejected : .sameStatement)
        }
    }

    // MARK: AdAttributionKit

    private static func moves(of postback: AdAttributionKitPostback) -> [MovedValue] {
        let draft = AdAttributionKitDraft(postback)
        let jws = postback.jws
        // Changes inside the payload.
        var moves = variants(of: draft.signed, among: payloadFields + siblingFields).map { variant in
            MovedValue(
                field: variant.target, change: variant.change + " inside the payload",
                body: AdAttributionKitDraft(
                    signed: variant.fields, unproven: draft.unproven, keyID: draft.keyID
                ).body(signature: jws.signature), expectation: .rejected)
        }
        // Signed names outside the payload, and values moved among unsigned fields.
        let text = String(decoding: jws.signedBytes, as: UTF8.self) + "." + Base64URL.encode(jws.signature)
        let whole = [JSONField(name: PostbackField.jwsString.rawValue, value: .string(text))] + draft.unproven
        moves += variants(of: whole, among: payloadFields + siblingFields + [.jwsString]).map { variant in
            let isSigned = variant.target == .jwsString || variant.source == .jwsString
            return MovedValue(
                field: variant.target, change: variant.change + " outside the payload",
                body: variant.fields.body, expectation: isSigned ? .rejected : .sameStatement)
        }
        // Moves across: a field outside the payload cannot replace one inside.
        func crossing(_ field: JSONField, _ change: String, _ draft: AdAttributionKitDraft) -> MovedValue {
            MovedValue(
                field: PostbackField(rawValue: field.name) ?? .jwsString, change: change,
                body: draft.body(signature: jws.signature), expectation: .rejected)
        }
        for field in draft.signed {
            var moved = draft
            moved.signed.removeAll { $0 == field }
            moved.unproven.append(field)
            moves.append(crossing(field, "moved outside the payload", moved))
        }
        for field in draft.unproven {
            var moved = draft
            moved.unproven.removeAll { $0 == field }
            moved.signed.append(field)
            moves.append(crossing(field, "moved into the payload", moved))
        }
        moves += draft.signed.map { field in
            MovedValue(
                field: PostbackField(rawValue: field.name) ?? .jwsString, change: "repeated outside the payload",
                body: (whole + [field]).body, expectation: .sameStatement)
        }
        return moves
    }

    // MARK: Variants

    /// Fields with one value moved.
    private struct Variant {
        /// The original fields.
        let original: [JSONField]
        /// A description of the change.
        let change: String
        /// The field the value came from, nil if it is new.
        let source: PostbackField?
        /// The field that has it now.
        let target: PostbackField
        /// The value there.
        let value: JSONValue
        /// The new value of the source; nil if none.
        var sourceValue: JSONValue?

        /// Whether the two fields were swapped.
        var isSwap: Bool {
            sourceValue != nil
        }

        /// The changed fields.
        var fields: [JSONField] {
            var fields = original
            if let source {
                fields[source] = sourceValue
            }
            fields[target] = value
            return fields
        }
    }

    private static func variants(of fields: [JSONField], among names: [PostbackField]) -> [Variant] {
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, fields[$0]) })
        var variants: [Variant] = []
        for target in names {
            let other = values[target] ?? nil
            for value in other == nil ? examples(of: target) : [] {
                variants.append(
                    Variant(
                        original: fields, change: "added as \(value.summary)", source: nil, target: target,
                        value: value))
            }
            for source in names where source != target {
                guard let value = values[source] ?? nil else {
                    continue
                }
                for spelling in spellings(of: value) where spelling != other {
                    variants.append(
                        Variant(
                            original: fields, change: "taken from \(source.rawValue) as \(spelling.summary)",
                            source: source, target: target, value: spelling))
                }
                if let other, other != value {
                    variants.append(
                        Variant(
                            original: fields, change: "swapped with \(source.rawValue)", source: source,
                            target: target, value: value, sourceValue: other))
                }
            }
        }
        return variants
    }

    /// A value as received, and in other types with the same signed text.
    private static func spellings(of value: JSONValue) -> [JSONValue] {
        switch value {
        case .integer(let number): [value, .string(String(number))]
        case .bool(let flag): [value, .string(flag ? "true" : "false")]
        case .string("true"): [value, .bool(true)]
        case .string("false"): [value, .bool(false)]
        case .string(let text):
            // JSON numbers have no leading zeros.
            Int64(text).map { String($0) == text ? [value, .integer($0)] : [value] } ?? [value]
        case .number, .null, .nested: [value]
        }
    }

    /// Valid values for a field.
    private static func examples(of field: PostbackField) -> [JSONValue] {
        switch field {
        case .version: [.string("2.0"), .string("4.0")]
        case .campaignID, .fidelityType, .sequenceIndex, .conversionValue: [.integer(0), .integer(1)]
        case .appID, .sourceAppID, .advertisedItemIdentifier, .publisherItemIdentifier: [.integer(0), .integer(1)]
        case .redownload, .didWin: [.bool(true), .bool(false)]
        case .sourceIdentifier: [.string("39")]
        case .sourceDomain: [.string("example.com"), .string("1234567891")]
        case .coarseConversionValue: [.string("high")]
        case .countryCode: [.string("US")]
        case .conversionType: [.string("redownload")]
        case .impressionType: [.string("app-impression")]
        case .adInteractionType: [.string("click")]
        case .adNetworkID, .adNetworkIdentifier: [.string("other.skadnetwork")]
        case .transactionID, .postbackIdentifier: [.string("6aafb7a5-0170-41b5-bbe4-fe71dedf1e28")]
        case .marketplaceIdentifier: [.string("com.example.market")]
        case .attributionSignature, .jwsString: [.string("AAAA")]
        }
    }
}

extension ReceivedPostback {
    /// All signed fields by name, in which two postbacks with the same signed text must not differ.
    var signedStatement: [String: String] {
        var statement: [PostbackField: String?] =
            switch self {
            case .skAdNetwork(let postback): postback.signedValues
            case .adAttributionKit(let postback): postback.signedValues
            }
        statement[.didWin] = didWin.map { "\($0)" }
        return Dictionary(
            uniqueKeysWithValues: statement.compactMap { field, value in
                value.map { (field.rawValue, $0) }
            })
    }
}

extension SKAdNetworkPostback {
    fileprivate var signedValues: [PostbackField: String?] {
        var values: [PostbackField: String?] = [
            .version: version.rawValue, .adNetworkID: adNetworkID.text, .appID: "\(appID)",
            .transactionID: transactionID.text, .fidelityType: fidelityType.map { "\($0.rawValue)" },
            .sequenceIndex: sequenceIndex.map { "\($0)" },
            .redownload: version > .v1_0 ? isRedownload.map { "\($0)" } : nil,
        ]
        switch campaign {
        case .campaignID(let number): values[.campaignID] = "\(number)"
        case .sourceIdentifier(let identifier): values[.sourceIdentifier] = identifier.digits
        }
        switch source {
        case .app(let id): values[.sourceAppID] = "\(id)"
        case .domain(let domain): values[.sourceDomain] = domain.text
        case nil: break
        }
        return values
    }
}

extension AdAttributionKitPostback {
    fileprivate var signedValues: [PostbackField: String?] {
        [
            .postbackIdentifier: postbackIdentifier.text, .adNetworkIdentifier: adNetworkID.text,
            .advertisedItemIdentifier: "\(advertisedItemID)",
            .publisherItemIdentifier: publisherItemID.map { "\($0)" },
            .sourceIdentifier: sourceIdentifier.digits, .conversionType: conversionType.rawValue,
            .impressionType: impressionType.text, .marketplaceIdentifier: marketplaceIdentifier?.text,
            .sequenceIndex: "\(sequenceIndex)",
        ]
    }
}
