import StrictJSON

/// Reads typed values from a JSON object and collects every problem.
struct PostbackFieldReader {
    private let source: JSONSource
    private let fields: PostbackFieldIndex
    private(set) var problems: [FieldProblem] = []

    init(_ object: JSONObject) {
        source = object.source
        fields = PostbackFieldIndex(object)
    }

    /// Whether a field is present, even if it is `null`.
    func has(_ field: PostbackField) -> Bool {
        self[field] != nil
    }

    /// Whether it is a postback of AdAttributionKit: a forwarder may have added `jws-string` to one of SKAdNetwork.
    var isAdAttributionKit: Bool {
        !has(.attributionSignature)
            && (has(.jwsString) || has(.postbackIdentifier) || has(.adInteractionType) || hasMisnamedJWS)
    }

    /// Whether a body with nothing of SKAdNetwork has a JWS under another name; looked for where there is no signature.
    private var hasMisnamedJWS: Bool {
        !has(.version) && !has(.adNetworkID) && !has(.transactionID)
            && fields.scannedFields.contains { field in
                guard case .string(let string) = field.value else {
                    return false
                }
                return source.withUTF8(of: string) { text in
                    text.starts(with: "eyJ".utf8) && text.count { $0 == UInt8(ascii: ".") } == 2
                }
            }
    }

    /// The version; 1.0 if absent, because Apple sends 1.0 postbacks with and without it.
    func version() throws(PostbackRejection) -> SKAdNetworkVersion {
        switch self[.version] {
        case nil:
            return .v1_0
        case .string(let string):
            guard let version = source.word(string, of: SKAdNetworkVersion.self) else {
                // Without a signature, no later release can verify it.
                guard case .string(let signature) = self[.attributionSignature],
                    source.withUTF8(of: signature, { !$0.isEmpty })
                else {
                    throw .malformed([
                        FieldProblem(
                            field: "version", found: "\"\(source.excerpt(string))\"",
                            expected: "one of \(SKAdNetworkVersion.list)"),
                        FieldProblem(
                            field: PostbackField.attributionSignature.rawValue,
                            found: self[.attributionSignature].map(source.summary) ?? "nothing",
                            expected: Self.signatureRule),
                    ])
                }
                throw .unknownVersion("\"\(source.excerpt(string))\"")
            }
            return version
        case .some(let other):
            throw .malformed([
                FieldProblem(
                    field: "version", found: source.value(other).summary, expected: "a string, or nothing in 1.0")
            ])
        }
    }

    mutating func identifier<Identifier>(_ field: PostbackField, _ make: (String) -> Identifier?) -> Identifier? {
        guard let value = required(field, "a string") else {
            return nil
        }
        guard case .string(let string) = value else {
            return note(field, value, "a string")
        }
        // Avoids creating a long string that cannot be an identifier.
        let isShort = source.withUTF8(of: string) { $0.count <= SignedTextSeparator.longestValue }
        guard isShort, let identifier = make(source.string(string)) else {
            return note(field, value, SignedTextSeparator.rule)
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
        guard let value = required(field, expected()) else {
            return nil
        }
        guard case .string(let string) = value, let word = source.word(string, of: Word.self) else {
            return note(field, value, expected())
        }
        return word
    }

    /// The unsigned interaction; an unknown one rejects nothing.
    func adInteractionType() -> AdInteractionType? {
        switch self[.adInteractionType] {
        case nil, .null: nil
        case .string(let string): source.word(string, of: AdInteractionType.self) ?? .other
        default: .other
        }
    }

    /// An unsigned boolean; any other value is treated as absent.
    func unprovenBoolean(_ field: PostbackField) -> Bool? {
        if case .bool(let value) = self[field] { value } else { nil }
    }

    /// The unsigned country code; one that is none rejects nothing, because forwarders spell it in many ways.
    func countryCode() -> CountryCode? {
        switch self[.countryCode] {
        case nil, .null: nil
        case .string(let string) where source.withUTF8(of: string, { $0.count == 2 }):
            CountryCode(source.string(string)) ?? .invalid
        default: .invalid
        }
    }

    mutating func conversionType() -> ConversionType? {
        if case .string(let string) = self[.conversionType],
            source.isString(string, ConversionType.unhyphenatedReengagement)
        {
            return .reengagement
        }
        return word(.conversionType)
    }

    mutating func sourceIdentifier() -> SourceIdentifier? {
        let expected = "a string of one to four digits"
        guard let value = required(.sourceIdentifier, expected) else {
            return nil
        }
        guard case .string(let string) = value,
            source.withUTF8(of: string, { SourceIdentifier.lengths.contains($0.count) }),
            let identifier = SourceIdentifier(source.string(string))
        else {
            return note(.sourceIdentifier, value, expected)
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

    private mutating func boolean(_ field: PostbackField, _ value: ScannedJSONValue) -> Bool? {
        if case .bool(let value) = value { value } else { note(field, value, "true or false, a JSON boolean") }
    }

    /// A domain that cannot be mistaken for an app id, whose signed text would be the same.
    private mutating func sourceDomain() -> SourceDomain? {
        guard let domain = identifier(.sourceDomain, SourceDomain.init) else {
            return nil
        }
        guard domain.isDomainName else {
            return note(.sourceDomain, domain.text, "a domain, with a dot and a letter")
        }
        return domain
    }

    /// The source; only fields that the version signs are used.
    mutating func source(_ version: SKAdNetworkVersion) -> PostbackSource? {
        guard version >= .v2_0 else {
            return nil
        }
        switch (has(.sourceAppID), version >= .v4_0 && has(.sourceDomain)) {
        case (false, false):
            return nil
        case (true, true):
            return note(.sourceDomain, summary: "both source-domain and source-app-id", "at most one of the two")
        case (true, false):
            return integer(.sourceAppID).map { .app(AppStoreItemID($0)) }
        case (false, true):
            return sourceDomain().map(PostbackSource.domain)
        }
    }

    /// The conversion value; as it is not signed, an invalid one becomes ``Conversion/invalid`` and rejects nothing.
    func conversion() -> Conversion {
        switch (self[.conversionValue], self[.coarseConversionValue]) {
        case (nil, nil): .absent
        case (.null, nil), (nil, .null), (.null, .null): .null
        case (.integer(let value), nil), (.integer(let value), .null): Conversion(fine: value) ?? .invalid
        case (nil, .string(let string)), (.null, .string(let string)):
            source.word(string, of: CoarseConversionValue.self).map(Conversion.coarse) ?? .invalid
        default: .invalid
        }
    }

    private static let signatureRule = "a string in standard base64 with padding"

    mutating func signature() -> [UInt8]? {
        let expected = Self.signatureRule
        guard let value = required(.attributionSignature, expected) else {
            return nil
        }
        guard case .string(let string) = value, let bytes = source.withUTF8(of: string, Base64.decode(utf8:)),
            !bytes.isEmpty
        else {
            return note(.attributionSignature, value, expected)
        }
        return bytes
    }

    /// The signed part of an AdAttributionKit postback.
    mutating func compactJWS() -> CompactJWS? {
        guard let value = required(.jwsString, "a compact JWS") else {
            return nil
        }
        guard case .string(let string) = value else {
            return note(.jwsString, value, "a compact JWS")
        }
        do {
            return try CompactJWS(utf8: source.withUTF8(of: string) { Array($0) })
        } catch {
            problems.append(error)
            return nil
        }
    }

    /// The key of an AdAttributionKit postback that this release cannot verify; nil if there is none.
    func unknownKey() -> String? {
        guard case .string(let string) = self[.jwsString] else {
            return nil
        }
        return source.withUTF8(of: string) { CompactJWS.unknownKey($0) }
    }

    // MARK: Helpers

    private subscript(field: PostbackField) -> ScannedJSONValue? {
        fields[field]
    }

    private mutating func required(
        _ field: PostbackField, _ expected: @autoclosure () -> String
    ) -> ScannedJSONValue? {
        guard let value = self[field] else {
            problems.append(FieldProblem(field: field.rawValue, found: "nothing", expected: expected()))
            return nil
        }
        return value
    }

    private mutating func note<Value>(
        _ field: PostbackField, _ found: ScannedJSONValue, _ expected: String
    ) -> Value? {
        note(field, summary: source.summary(found), expected)
    }

    private mutating func note<Value>(_ field: PostbackField, _ found: String, _ expected: String) -> Value? {
        note(field, summary: JSONValue.string(found).summary, expected)
    }

    private mutating func note<Value>(
        _ field: PostbackField, summary: String, _ expected: String
    ) -> Value? {
        problems.append(FieldProblem(field: field.rawValue, found: summary, expected: expected))
        return nil
    }
}
