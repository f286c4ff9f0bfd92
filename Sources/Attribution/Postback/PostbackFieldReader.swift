/// Takes typed values out of a JSON object and notes every problem on the way, so that one answer names them all.
struct PostbackFieldReader {
    private let source: JSONSource
    private let places: PostbackFieldPlaces
    private(set) var problems: [FieldProblem] = []

    init(_ object: JSONObject) {
        source = object.source
        places = PostbackFieldPlaces(object)
    }

    /// Whether a field is there, whatever its value.
    func has(_ field: PostbackField) -> Bool {
        self[field] != nil
    }

    /// The version; a body without one is 1.0, whose postbacks Apple sends both ways.
    func version() throws(PostbackRejection) -> SKAdNetworkVersion {
        switch self[.version] {
        case nil:
            return .v1_0
        case .string(let place):
            let text = source.string(place)
            guard let version = SKAdNetworkVersion(rawValue: text) else {
                throw .unknownVersion("\"\(text)\"")
            }
            return version
        case .some(let other):
            throw .malformed([
                FieldProblem(
                    field: "version", found: source.value(other).summary, expected: "a string, or nothing in 1.0")
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
            return note(field, text, "1 to 255 bytes of text without U+2063 and control characters")
        }
        return identifier
    }

    mutating func optionalIdentifier<Identifier>(
        _ field: PostbackField,
        _ make: (String) -> Identifier?
    ) -> Identifier? {
        has(field) ? identifier(field, make) : nil
    }

    /// One of a closed set of words.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ field: PostbackField) -> Word? {
        func expected() -> String {
            "one of " + Word.allCases.map(\.rawValue).joined(separator: ", ")
        }
        guard let text = string(field, expected: expected()) else {
            return nil
        }
        return Word(rawValue: text) ?? note(field, text, expected())
    }

    /// A word nobody signs; one not known here says nothing, for a genuine postback shall not be lost over it.
    func unprovenWord<Word: RawRepresentable<String>>(_ field: PostbackField) -> Word? {
        if case .string(let place) = self[field] { Word(rawValue: source.string(place)) } else { nil }
    }

    /// The country nobody signs; what is no country code says nothing.
    ///
    /// It arrived with genuine postbacks before it was looked at, and forwarders spell it as they like.
    func countryCode() -> CountryCode? {
        if case .string(let place) = self[.countryCode] { CountryCode(source.string(place)) } else { nil }
    }

    mutating func sourceIdentifier() -> SourceIdentifier? {
        let expected = "a string of two, three or four digits"
        guard let text = string(.sourceIdentifier, expected: expected) else {
            return nil
        }
        guard let identifier = SourceIdentifier(text) else {
            return note(.sourceIdentifier, text, expected)
        }
        return identifier
    }

    mutating func integer(_ field: PostbackField, in range: ClosedRange<Int64>? = nil) -> Int64? {
        func expected() -> String {
            range.map { "a whole number from \($0.lowerBound) to \($0.upperBound)" }
                ?? "a whole number within 64 bits"
        }
        guard let value = required(field, expected()) else {
            return nil
        }
        guard case .integer(let number) = value, range?.contains(number) ?? true else {
            return note(field, value, expected())
        }
        return number
    }

    mutating func optionalInteger(_ field: PostbackField) -> Int64? {
        has(field) ? integer(field) : nil
    }

    mutating func boolean(_ field: PostbackField) -> Bool? {
        required(field, "true or false").flatMap { boolean(field, $0) }
    }

    mutating func optionalBoolean(_ field: PostbackField) -> Bool? {
        self[field].flatMap { boolean(field, $0) }
    }

    private mutating func boolean(_ field: PostbackField, _ value: JSONValuePlace) -> Bool? {
        if case .bool(let value) = value { value } else { note(field, value, "true or false, a JSON boolean") }
    }

    /// The source the postback carries: only what its version signs counts as one.
    mutating func source(_ version: SKAdNetworkVersion) -> PostbackSource? {
        guard version >= .v2_0 else {
            return nil
        }
        switch (has(.sourceAppID), version >= .v4_0 && has(.sourceDomain)) {
        case (false, false):
            return nil
        case (true, true):
            return note(.sourceDomain, "source-domain beside source-app-id", "at most one of the two")
        case (true, false):
            return integer(.sourceAppID).map { .app(AppStoreItemID($0)) }
        case (false, true):
            return identifier(.sourceDomain, SourceDomain.init).map(PostbackSource.domain)
        }
    }

    /// The conversion as it stands: absent, `null`, fine or coarse, and never two of them.
    mutating func conversion() -> Conversion {
        switch (self[.conversionValue], self[.coarseConversionValue]) {
        case (nil, nil):
            return .absent
        case (.null, nil), (nil, .null), (.null, .null):
            return .null
        case (.integer(let value), nil), (.integer(let value), .null):
            guard Conversion.fineRange.contains(value) else {
                return note(.conversionValue, JSONValue.integer(value), "a whole number from 0 to 63") ?? .absent
            }
            return .fine(UInt8(value))
        case (nil, .string(let place)), (.null, .string(let place)):
            let text = source.string(place)
            guard let value = CoarseConversionValue(rawValue: text) else {
                return note(.coarseConversionValue, text, "low, medium or high, in lower case") ?? .absent
            }
            return .coarse(value)
        case (.integer, .string):
            return note(
                .coarseConversionValue, "coarse-conversion-value beside conversion-value",
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
        guard let value = required(.attributionSignature, expected) else {
            return nil
        }
        guard case .string(let place) = value, let bytes = source.withUTF8(of: place, Base64.decode(utf8:)),
            !bytes.isEmpty
        else {
            return note(.attributionSignature, value, expected)
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

    private subscript(field: PostbackField) -> JSONValuePlace? {
        places[field]
    }

    private mutating func string(_ field: PostbackField, expected: @autoclosure () -> String) -> String? {
        guard let value = required(field, expected()) else {
            return nil
        }
        guard case .string(let place) = value else {
            return note(field, value, expected())
        }
        return source.string(place)
    }

    private mutating func required(
        _ field: PostbackField, _ expected: @autoclosure () -> String
    ) -> JSONValuePlace? {
        guard let value = self[field] else {
            problems.append(FieldProblem(field: field.rawValue, found: "nothing", expected: expected()))
            return nil
        }
        return value
    }

    private mutating func note<Value>(
        _ field: PostbackField, _ found: JSONValuePlace, _ expected: String
    ) -> Value? {
        note(field, source.value(found), expected)
    }

    private mutating func note<Value>(_ field: PostbackField, _ found: String, _ expected: String) -> Value? {
        note(field, .string(found), expected)
    }

    private mutating func note<Value>(_ field: PostbackField, _ found: JSONValue, _ expected: String) -> Value? {
        problems.append(FieldProblem(field: field.rawValue, found: found.summary, expected: expected))
        return nil
    }
}

extension JSONValuePlace {
    fileprivate var isIntegerOrNull: Bool {
        switch self {
        case .integer, .null: true
        default: false
        }
    }
}
