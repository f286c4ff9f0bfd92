package import Attribution
package import StrictJSON

/// What a text may mean that exports, databases and programs made of a typed value, the likeliest first.
extension WireType {
    /// The values of the type that a text may stand for.
    func readings(of text: String) -> [JSONValue] {
        let word = text.trimmed.trimmingPair(of: "\"").trimmingPair(of: "'")
        switch self {
        case .string: return [.string(word)]
        case .version: return Self.version(word).map { [.string($0)] } ?? [.string(text)]
        // The App Store writes id525463029.
        case .integer:
            let number = Self.integer(word) ?? (word.hasPrefix("id") ? Int64(word.dropFirst(2)) : nil)
            return number.map { [.integer($0)] } ?? []
        case .boolean: return Self.words[word.lowercased()].map { [.bool($0)] } ?? []
        case .digits:
            let isWhole = !word.isEmpty && word.allSatisfy { $0.isASCII && $0.isNumber }
            let digits = isWhole ? word : Self.integer(word).map { String($0) }
            return digits.map { Self.spellings($0).map(JSONValue.string) } ?? []
        }
    }

    /// The digits with the zeros that a number loses.
    static func spellings(_ digits: String) -> [String] {
        guard digits.utf8.count <= 4 else {
            return [digits]
        }
        return (max(2, digits.utf8.count)...4).map { String(repeating: "0", count: $0 - digits.utf8.count) + digits }
    }

    /// The whole number that a text means, also with a fraction of zeros, an exponent, or commas between thousands.
    static func integer(_ text: String) -> Int64? {
        var whole = text
        if let point = text.firstIndex(of: "."), text[point...].dropFirst().allSatisfy({ $0 == "0" }) {
            // Above 2⁵³ a Double would be another number.
            whole = String(text[..<point])
        }
        let groups = whole.split(separator: ",", omittingEmptySubsequences: false)
        if groups.count > 1, groups.dropFirst().allSatisfy({ $0.utf8.count == 3 }), !groups[0].isEmpty {
            whole = groups.joined()
        }
        return Int64(whole) ?? Double(text).flatMap { Int64(exactly: $0) }
    }

    /// The version that a text means, as `3`, `v3.0` or `3.00`.
    private static func version(_ text: String) -> String? {
        let number = text.lowercased().hasPrefix("v") ? String(text.dropFirst()) : text
        return Double(number).flatMap { found in
            SKAdNetworkVersion.allCases.first { Double($0.rawValue) == found }?.rawValue
        }
    }

    private static let words: [String: Bool] = [
        "true": true, "t": true, "yes": true, "y": true, "on": true, "1": true, "1.0": true,
        "false": false, "f": false, "no": false, "n": false, "off": false, "0": false, "0.0": false,
    ]
}

/// The values that a cell of CSV may stand for, where nothing has a type.
package enum CellReading {
    /// How databases and programs write that there is no value.
    private static let nothing: Set = [
        "null", "none", "nil", "nan", "<na>", "n/a", "na", "-", "\\n", "(null)", "<null>", "undefined", "[null]",
    ]

    /// The readings of a cell of a signed field; nil among them is an absent field.
    ///
    /// - Returns: One or a few, the likeliest first.
    package static func signed(_ text: String, as field: PostbackField) -> [JSONValue?] {
        guard let type = field.wireType else {
            return signatures(text, as: field)
        }
        let isOptional =
            [.sourceAppID, .sourceDomain, .publisherItemIdentifier, .marketplaceIdentifier].contains(field)
        guard !nothing.contains(text.trimmed.lowercased()) else {
            return [nil]
        }
        var readings: [JSONValue?] = type.readings(of: text)
        if field == .transactionID || field == .postbackIdentifier, case .string(let id)? = readings.first ?? nil {
            // Databases with a type for UUIDs write all of them in one case.
            readings += Set([id.lowercased(), id.uppercased()]).subtracting([id]).sorted().map { .string($0) }
        }
        // Programs fill in 0 where there was nothing.
        return (readings.isEmpty ? [.string(text)] : readings)
            + (isOptional && WireType.integer(text.trimmed) == 0 ? [nil] : [])
    }

    /// The encodings that a signature may have been in, as explanations try them.
    private static func signatures(_ text: String, as field: PostbackField) -> [JSONValue?] {
        let text = text.trimmed
        // The parts of a JWS as Apple encodes them have no other reading, and its payload is not read for nothing.
        if let last = text.utf8.split(separator: UInt8(ascii: ".")).last, field == .jwsString, last.count == 86,
            text.utf8.allSatisfy({ !"+/= \n\r\t%".utf8.contains($0) })
        {
            return [.string(text)]
        }
        let claim = ClaimedPostback([JSONField(name: field.rawValue, value: .string(text))])
        let readings = claim.withSignatureRespelled.map { repair in
            repair.claim.jws.map { JSONValue.string($0.text) } ?? repair.claim.fields[field]
        }
        return readings.isEmpty ? [.string(text)] : readings
    }

    /// The reading of a cell of a field that is not signed: there is no proof, so there is one rule.
    package static func unsigned(_ text: String, as field: PostbackField) -> JSONValue? {
        guard !nothing.contains(text.trimmed.lowercased()) else {
            return nil
        }
        return switch field {
        case .conversionValue: WireType.integer(text.trimmed).map(JSONValue.integer) ?? .string(text)
        case .redownload: WireType.boolean.readings(of: text).first ?? .string(text)
        case .coarseConversionValue, .adInteractionType: .string(text.trimmed.lowercased())
        case .countryCode: .string(text.trimmed.uppercased())
        default: .string(text)
        }
    }
}

extension String {
    /// The text without the quotes around it.
    fileprivate func trimmingPair(of quote: Character) -> String {
        count >= 2 && first == quote && last == quote ? String(dropFirst().dropLast()) : self
    }
}
