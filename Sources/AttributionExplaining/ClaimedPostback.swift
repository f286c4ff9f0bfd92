import Attribution
import AttributionSigning
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
        switch fields[.attributionSignature] {
        case .string(let text): text != ""
        case nil: jws != nil
        case .integer, .number, .bool, .null, .nested: false
        }
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
                guard case .string(let text) = value,
                    case .string(let name)? = WireType.version.readings(of: text).first
                else {
                    return nil
                }
                return SKAdNetworkVersion(rawValue: name)
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

extension ClaimedPostback {
    /// The text that the values give when U+2063 in them is not refused, with the field that has it.
    ///
    /// If a key verifies it, another postback's values were joined to read as this one.
    var textWithSeparators: (bytes: [UInt8], signature: [UInt8], field: String)? {
        guard let version, case .string(let text) = fields[.attributionSignature],
            let signature = Base64.decode(text)
        else {
            return nil
        }
        var offender: String?
        var values: [[UInt8]] = []
        for field in PostbackField.signed(in: version) {
            switch fields[field] {
            case .string(let text):
                if offender == nil, text.unicodeScalars.contains(SignedTextSeparator.scalar) {
                    offender = field.rawValue
                }
                values.append(Array(text.utf8))
            case .integer(let number): values.append(Array(String(number).utf8))
            case .bool(let flag): values.append(Array((flag ? "true" : "false").utf8))
            default: break
            }
        }
        return offender.map { (Array(values.joined(separator: SignedTextSeparator.utf8)), signature, $0) }
    }
}

/// The JSON type in which Apple sends a field.
enum WireType {
    case version, string, digits, integer, boolean

    /// Whether a value has the type.
    func admits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.version, .string), (.string, .string), (.digits, .string), (.integer, .integer), (.boolean, .bool): true
        default: false
        }
    }

    /// A value of another type that a forwarder may have made of one of this type, turned back; nil if it cannot be.
    func convert(_ value: JSONValue) -> JSONValue? {
        switch (self, value) {
        case _ where admits(value): value
        case (.version, .integer(let number)): .string("\(number).0")
        case (.version, .number(let text)), (.string, .number(let text)): .string(text)
        case (.string, .integer(let number)), (.digits, .integer(let number)): .string(String(number))
        case (.integer, .string(let text)), (.boolean, .string(let text)): readings(of: text).first
        case (.integer, .number(let text)): Self.integer(text).map(JSONValue.integer)
        case (.digits, .number(let text)): Self.integer(text).map { .string(String($0)) }
        case (.integer, .bool(let flag)): .integer(flag ? 1 : 0)
        case (.boolean, .integer(0)): .bool(false)
        case (.boolean, .integer(1)): .bool(true)
        case (.boolean, .number(let text)): readings(of: text).first
        default: nil
        }
    }
}

extension PostbackField {
    /// The type in which Apple sends the field; nil for fields that are not signed.
    var wireType: WireType? {
        switch self {
        case .version: .version
        case .adNetworkID, .transactionID, .sourceDomain, .postbackIdentifier, .adNetworkIdentifier, .conversionType,
            .impressionType, .marketplaceIdentifier:
            .string
        case .sourceIdentifier: .digits
        case .campaignID, .appID, .sourceAppID, .fidelityType, .sequenceIndex, .advertisedItemIdentifier,
            .publisherItemIdentifier:
            .integer
        case .redownload, .didWin: .boolean
        case .conversionValue, .coarseConversionValue, .countryCode, .attributionSignature, .jwsString,
            .adInteractionType:
            nil
        }
    }

    /// Whether a signature depends on the field, or is in it.
    package var decides: Bool {
        wireType != nil || self == .attributionSignature || self == .jwsString
    }

    /// Fields that only AdAttributionKit has.
    static let ofAdAttributionKit: [PostbackField] = [
        .postbackIdentifier, .adNetworkIdentifier, .advertisedItemIdentifier, .publisherItemIdentifier,
        .marketplaceIdentifier, .impressionType, .conversionType, .adInteractionType,
    ]
}
