/// Takes typed values out of a JSON object and notes every problem on the way, so that one answer names them all.
struct PostbackFieldReader {
    private let object: JSONObject
    private(set) var problems: [FieldProblem] = []

    init(_ object: JSONObject) {
        self.object = object
    }

    /// The version; a body without one is 1.0, whose postbacks Apple sends both ways.
    func version() throws(PostbackRejection) -> SKAdNetworkVersion {
        switch object[PostbackField.version.rawValue] {
        case nil:
            return .v1_0
        case .string(let text):
            guard let version = SKAdNetworkVersion(rawValue: text) else {
                throw .unknownVersion("\"\(text)\"")
            }
            return version
        case .some(let other):
            throw .malformed([
                FieldProblem(field: "version", found: other.summary, expected: "a string, or nothing in 1.0")
            ])
        }
    }

    mutating func identifier<Identifier>(
        _ field: PostbackField,
        _ make: (String) -> Identifier?
    ) -> Identifier? {
        guard let text = string(field, expected: "a string") else {
            return nil
        }
        guard let identifier = make(text) else {
            return note(field, .string(text), "1 to 255 bytes of text without U+2063 and control characters")
        }
        return identifier
    }

    mutating func optionalIdentifier<Identifier>(
        _ field: PostbackField,
        _ make: (String) -> Identifier?
    ) -> Identifier? {
        object[field.rawValue] == nil ? nil : identifier(field, make)
    }

    /// One of a closed set of words.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ field: PostbackField) -> Word? {
        let expected = Word.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = string(field, expected: "one of \(expected)") else {
            return nil
        }
        return Word(rawValue: text) ?? note(field, .string(text), "one of \(expected)")
    }

    /// A word nobody signs; one not known here says nothing, for a genuine postback shall not be lost over it.
    func unprovenWord<Word: RawRepresentable<String>>(_ field: PostbackField) -> Word? {
        if case .string(let text) = object[field.rawValue] { Word(rawValue: text) } else { nil }
    }

    /// The country nobody signs; what is no country code says nothing.
    ///
    /// It arrived with genuine postbacks before it was looked at, and forwarders spell it as they like.
    func countryCode() -> CountryCode? {
        if case .string(let text) = object[PostbackField.countryCode.rawValue] { CountryCode(text) } else { nil }
    }

    mutating func sourceIdentifier() -> SourceIdentifier? {
        let expected = "a string of two, three or four digits"
        guard let text = string(.sourceIdentifier, expected: expected) else {
            return nil
        }
        guard let identifier = SourceIdentifier(text) else {
            return note(.sourceIdentifier, .string(text), expected)
        }
        return identifier
    }

    mutating func integer(_ field: PostbackField, in range: ClosedRange<Int64>? = nil) -> Int64? {
        let expected =
            range.map { "a whole number from \($0.lowerBound) to \($0.upperBound)" }
            ?? "a whole number within 64 bits"
        guard let value = required(field, expected) else {
            return nil
        }
        guard case .integer(let number) = value, range?.contains(number) ?? true else {
            return note(field, value, expected)
        }
        return number
    }

    mutating func optionalInteger(_ field: PostbackField) -> Int64? {
        object[field.rawValue] == nil ? nil : integer(field)
    }

    mutating func boolean(_ field: PostbackField) -> Bool? {
        required(field, "true or false") == nil ? nil : optionalBoolean(field)
    }

    mutating func optionalBoolean(_ field: PostbackField) -> Bool? {
        switch object[field.rawValue] {
        case nil: nil
        case .bool(let value): value
        case .some(let other): note(field, other, "true or false, a JSON boolean")
        }
    }

    /// The source the postback carries: only what its version signs counts as one.
    mutating func source(_ version: SKAdNetworkVersion) -> PostbackSource? {
        guard version >= .v2_0 else {
            return nil
        }
        let app = object[PostbackField.sourceAppID.rawValue]
        let domain = version >= .v4_0 ? object[PostbackField.sourceDomain.rawValue] : nil
        switch (app, domain) {
        case (nil, nil):
            return nil
        case (.some, .some):
            return note(.sourceDomain, .string("source-domain beside source-app-id"), "at most one of the two")
        case (.some, nil):
            return integer(.sourceAppID).map { .app(AppStoreItemID($0)) }
        case (nil, .some):
            return identifier(.sourceDomain, SourceDomain.init).map(PostbackSource.domain)
        }
    }

    /// The conversion as it stands: absent, `null`, fine or coarse, and never two of them.
    mutating func conversion() -> Conversion {
        let fine = object[PostbackField.conversionValue.rawValue]
        let coarse = object[PostbackField.coarseConversionValue.rawValue]
        switch (fine, coarse) {
        case (nil, nil):
            return .absent
        case (.null, nil), (nil, .null), (.null, .null):
            return .null
        case (.integer(let value), nil), (.integer(let value), .null):
            guard Conversion.fineRange.contains(value) else {
                return note(.conversionValue, .integer(value), "a whole number from 0 to 63") ?? .absent
            }
            return .fine(UInt8(value))
        case (nil, .string(let text)), (.null, .string(let text)):
            guard let value = CoarseConversionValue(rawValue: text) else {
                return note(.coarseConversionValue, .string(text), "low, medium or high, in lower case") ?? .absent
            }
            return .coarse(value)
        case (.integer, .string):
            return note(
                .coarseConversionValue, .string("coarse-conversion-value beside conversion-value"),
                "at most one of the two") ?? .absent
        case (.some(let value), _) where !value.isIntegerOrNull:
            return note(.conversionValue, value, "a whole number from 0 to 63, or nothing") ?? .absent
        case (_, .some(let value)):
            return note(.coarseConversionValue, value, "low, medium or high, or nothing") ?? .absent
        case (.some(let value), nil):
            return note(.conversionValue, value, "a whole number from 0 to 63, or nothing") ?? .absent
        }
    }

    mutating func signature() -> [UInt8]? {
        let expected = "a string in standard base64 with padding"
        guard let text = string(.attributionSignature, expected: expected) else {
            return nil
        }
        guard let bytes = Base64.decode(text), !bytes.isEmpty else {
            return note(.attributionSignature, .string(text), expected)
        }
        return bytes
    }

    /// The one field that carries an AdAttributionKit postback's signed part.
    mutating func compactJWS() -> CompactJWS? {
        guard let text = string(.jwsString, expected: "a compact JWS") else {
            return nil
        }
        do {
            return try CompactJWS(text)
        } catch {
            problems.append(error)
            return nil
        }
    }

    // MARK: Steps

    private mutating func string(_ field: PostbackField, expected: String) -> String? {
        guard let value = required(field, expected) else {
            return nil
        }
        guard case .string(let text) = value else {
            return note(field, value, expected)
        }
        return text
    }

    private mutating func required(_ field: PostbackField, _ expected: String) -> JSONValue? {
        guard let value = object[field.rawValue] else {
            problems.append(FieldProblem(field: field.rawValue, found: "nothing", expected: expected))
            return nil
        }
        return value
    }

    private mutating func note<Value>(_ field: PostbackField, _ found: JSONValue, _ expected: String) -> Value? {
        problems.append(FieldProblem(field: field.rawValue, found: found.summary, expected: expected))
        return nil
    }
}

extension JSONValue {
    fileprivate var isIntegerOrNull: Bool {
        switch self {
        case .integer, .null: true
        default: false
        }
    }
}
