import Attribution
import AttributionSigning
import StrictJSON

/// Repairs of the values of signed fields.
extension ClaimedPostback {
    /// The signed fields that are strings.
    private var texts: [(field: PostbackField, text: String)] {
        strings.filter { $0.field.wireType == .string }
    }

    /// The signed fields that are strings, of digits too.
    private var strings: [(field: PostbackField, text: String)] {
        let statement = statement
        return signedFields.compactMap { field in
            if case .string(let text) = statement[field], [.string, .digits].contains(field.wireType) {
                (field, text)
            } else {
                nil
            }
        }
    }

    /// With an id in other letters.
    func inOtherLetterCase(_ networks: [String]) -> [Repair] {
        texts.flatMap { field, text in
            let known = networks.filter { $0.lowercased() == text.lowercased() }
            var others: [String] = []
            // Ids were also registered as ABC123.skadnetwork.
            let label = text.lastIndex(of: ".").map { text[..<$0].uppercased() + text[$0...].lowercased() }
            let spellings = [text.lowercased(), text.uppercased()] + [label].compactMap(\.self) + known
            for other in spellings where other != text && !others.contains(other) {
                others.append(other)
            }
            return others.map { repair(.letterCase, field, .string($0)) }
        }
    }

    /// With every value in the type in which Apple sends it.
    var inWireTypes: [Repair] {
        let statement = statement
        var names: [String] = []
        var copies = [(conditions: [String](), claim: self)]
        for field in signedFields {
            guard let value = statement[field], let type = field.wireType else {
                continue
            }
            let values = type.others(than: value)
            guard !values.isEmpty else {
                continue
            }
            names.append(field.rawValue)
            copies = copies.flatMap { copy in
                values.map { value in
                    (copy.conditions + ["\(field.rawValue) were \(value.summary)"], copy.claim.with(field, value))
                }
            }
        }
        return names.isEmpty
            ? []
            : copies.map { copy in
                Repair(
                    .retyped, names.joined(separator: ", "), copy.conditions.joined(separator: " and "), copy.claim)
            }
    }

    /// With the rules and keys of the other versions.
    var inOtherVersions: [Repair] {
        guard !isAdAttributionKit, let found = fields[.version] else {
            return []
        }
        return SKAdNetworkVersion.allCases.filter { .string($0.rawValue) != found }.map { version in
            repair(.versionChanged, .version, .string(version.rawValue))
        }
    }

    /// Without white space around values.
    var withoutWhiteSpace: [Repair] {
        let changed = strings.filter { $0.text.trimmed != $0.text }
        guard !changed.isEmpty else {
            return []
        }
        let names = changed.map(\.field.rawValue).joined(separator: ", ")
        let copy = changed.reduce(self) { $0.with($1.field, .string($1.text.trimmed)) }
        return [Repair(.valueChanged, names, "there were no white space around \(names)", copy)]
    }

    /// Without U+2063, and without what is on either side of it.
    var withoutSeparators: [Repair] {
        let separator = Character(SignedTextSeparator.scalar)
        return strings.flatMap { field, text -> [Repair] in
            let parts = text.unicodeScalars.split(
                separator: SignedTextSeparator.scalar, omittingEmptySubsequences: true
            ).map { String($0) }
            guard text.unicodeScalars.contains(SignedTextSeparator.scalar) else {
                return []
            }
            return ([parts.joined()] + parts).filter { !$0.contains(separator) }.map {
                repair(.separatorInValue, field, .string($0))
            }
        }
    }

    /// With booleans inverted, numbers as they were before an overflow or one off, and words replaced by others.
    func withValuesFlipped(_ networks: [String]) -> [Repair] {
        let statement = statement
        return signedFields.flatMap { field in
            statement[field].map { value in
                Self.others(than: value, in: field, networks).map { repair(.valueChanged, field, $0) }
            } ?? []
        }
    }

    private static func others(than value: JSONValue, in field: PostbackField, _ networks: [String]) -> [JSONValue] {
        switch (field, value) {
        case (_, .bool(let flag)): [.bool(!flag)]
        case (.fidelityType, .integer(let number)): [0, 1].filter { $0 != number }.map(JSONValue.integer)
        case (.sequenceIndex, .integer(let number)): [0, 1, 2].filter { $0 != number }.map(JSONValue.integer)
        case (.conversionType, _): ConversionType.allCases.map { .string($0.rawValue) }.filter { $0 != value }
        case (.adNetworkID, .string(let text)), (.adNetworkIdentifier, .string(let text)):
            networks.filter { $0 != text }.map(JSONValue.string)
        case (_, .integer(let number)) where number.magnitude < 1 << 40:
            // Ids above 32 bits occur; three overflows reach past the largest.
            [number ^ 1, number + 1, number - 1].map(JSONValue.integer)
                + (field == .campaignID ? [] : (1...3).map { .integer(number + $0 << 32) })
        default: []
        }
    }

    /// With another last character, or one that was cut off.
    var withLastCharacterReplaced: [Repair] {
        texts.flatMap { field, text -> [Repair] in
            let isIdentifier = field == .transactionID || field == .postbackIdentifier
            let letters = isIdentifier ? "0123456789abcdef" : "abcdefghijklmnopqrstuvwxyz0123456789"
            let alphabet = text == text.uppercased() ? letters.uppercased() : letters
            let stem = isIdentifier && text.utf8.count < 36 ? text[...] : text.dropLast()
            return alphabet.map { String(stem) + String($0) }.filter { $0 != text }.map {
                repair(.valueChanged, field, .string($0))
            }
        } + withLastDigitReplaced
    }

    private var withLastDigitReplaced: [Repair] {
        guard case .string(let digits) = statement[.sourceIdentifier] else {
            return []
        }
        return "0123456789".map { String(digits.dropLast()) + String($0) }.filter { $0 != digits }.map {
            repair(.valueChanged, .sourceIdentifier, .string($0))
        }
    }
}

extension WireType {
    /// The values of the type that a value of another one may stand for; none for a value of the type.
    fileprivate func others(than value: JSONValue) -> [JSONValue] {
        switch (self, value) {
        case (.digits, .integer(let number)): Self.spellings(String(number)).map(JSONValue.string)
        case (.digits, .number(let text)): readings(of: text)
        // The only strings that are another type's: "3" and "39.0".
        case (.version, .string(let text)): readings(of: text).filter { $0 != value }
        case (.digits, .string(let text)) where Int64(text) == nil && text.trimmed == text: readings(of: text)
        case _ where admits(value): []
        default: convert(value).map { [$0] } ?? []
        }
    }
}

extension String {
    /// The text without white space at either end.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace {
            text.removeFirst()
        }
        while let last = text.last, last.isWhitespace {
            text.removeLast()
        }
        return String(text)
    }
}
