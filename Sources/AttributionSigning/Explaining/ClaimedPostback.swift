import Attribution
import StrictJSON

/// A body as it claims to be, to be put right field by field; what is made of it proves nothing until it verifies.
struct ClaimedPostback {
    /// The fields of the body.
    var fields: [JSONField]
    /// The signed part, of AdAttributionKit.
    var jws: ClaimedJWS?

    /// Takes the fields as they are; the framework is decided as by ``Attribution/ReceivedPostback``.
    init(_ object: JSONObject) {
        self.init(object.fields)
    }

    init(_ fields: [JSONField]) {
        self.fields = fields
        if fields[.attributionSignature] == nil, case .string(let text) = fields[.jwsString] {
            jws = ClaimedJWS(text)
        }
    }

    /// Whether there is a signature, however encoded.
    var hasSignature: Bool {
        fields[.attributionSignature].map { $0 != .null && $0 != .string("") } ?? (jws != nil)
    }

    /// Whether it is a postback of AdAttributionKit.
    var isAdAttributionKit: Bool {
        fields[.attributionSignature] == nil && fields[.jwsString] != nil
    }

    /// The fields that are signed, among others: those of the payload, or of the body.
    var statement: [JSONField] {
        get { jws?.payload ?? fields }
        set {
            if jws == nil {
                fields = newValue
            } else {
                jws?.payload = newValue
            }
        }
    }

    /// The version, also as a number; nil for one that is unknown, and for AdAttributionKit.
    var version: SKAdNetworkVersion? {
        guard !isAdAttributionKit else {
            return nil
        }
        return switch fields[.version] {
        case nil: .v1_0
        case let value?:
            WireType.version.convert(value).flatMap { value in
                if case .string(let text) = value { SKAdNetworkVersion(rawValue: text) } else { nil }
            }
        }
    }

    /// The fields that may be signed, in order.
    var signedFields: [PostbackField] {
        isAdAttributionKit
            ? [
                .postbackIdentifier, .adNetworkIdentifier, .advertisedItemIdentifier, .publisherItemIdentifier,
                .sourceIdentifier, .conversionType, .impressionType, .marketplaceIdentifier, .didWin, .sequenceIndex,
            ] : PostbackField.signed(in: version ?? .v4_0)
    }

    /// How many bytes of names and values a repair has to look at.
    var size: Int {
        (fields + (jws?.payload ?? [])).reduce(jws?.header?.utf8.count ?? 0) { size, field in
            switch field.value {
            case .string(let text), .number(let text), .nested(let text):
                size + field.name.utf8.count + text.utf8.count
            default: size + field.name.utf8.count + 8
            }
        }
    }

    /// What it says, in whatever order: two repairs that make the same of it are one.
    var statements: Set<JSONField> {
        Set(statement).union(
            jws.map {
                [
                    JSONField(name: "header", value: .string($0.header ?? "")),
                    JSONField(name: "signature", value: .string(Base64.encode($0.signature ?? []))),
                ]
            } ?? [])
    }

    /// The body to verify.
    var body: [UInt8] {
        var fields = fields
        if let jws {
            fields[.jwsString] = .string(jws.text)
        }
        return Array(JSONText.object(fields.map { ($0.name, $0.value.text) }).line.utf8)
    }

    /// The same with one signed field changed; nil removes it.
    func with(_ field: PostbackField, _ value: JSONValue?) -> ClaimedPostback {
        var copy = self
        var statement = statement
        statement[field] = value
        copy.statement = statement
        return copy
    }
}
