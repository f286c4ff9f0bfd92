/// The one pass over the bytes behind ``JSONObject``.
///
/// It borrows the buffer for its lifetime and says where names and values stand; it makes only those strings that are
/// not their bytes.
struct JSONScanner {
    /// The strings with escapes, and those that are not ASCII.
    private(set) var decoded: [String] = []
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func scanWholeObject() throws(JSONError) -> [JSONFieldPlace] {
        skipWhiteSpace()
        guard let first = current else {
            throw .empty
        }
        guard first == UInt8(ascii: "{") else {
            throw .notAnObject(offset: position)
        }
        let fields = try scanFields()
        skipWhiteSpace()
        guard position == bytes.count else {
            throw .trailingBytes(offset: position)
        }
        return fields
    }

    mutating func scanWholeArray() throws(JSONError) -> [JSONValuePlace] {
        skipWhiteSpace()
        guard take(UInt8(ascii: "[")) else {
            throw .syntax(offset: position, expected: "'['")
        }
        var values: [JSONValuePlace] = []
        skipWhiteSpace()
        if !take(UInt8(ascii: "]")) {
            while true {
                skipWhiteSpace()
                values.append(try scanValue())
                skipWhiteSpace()
                if take(UInt8(ascii: ",")) {
                    continue
                }
                guard take(UInt8(ascii: "]")) else {
                    throw .syntax(offset: position, expected: "',' or ']'")
                }
                break
            }
        }
        skipWhiteSpace()
        guard position == bytes.count else {
            throw .trailingBytes(offset: position)
        }
        return values
    }

    private mutating func scanFields() throws(JSONError) -> [JSONFieldPlace] {
        position += 1
        var fields: [JSONFieldPlace] = []
        fields.reserveCapacity(16)
        // A bit for each kind of name seen, all bits after one that is not plain: most names need no comparison.
        var seen: UInt64 = 0
        skipWhiteSpace()
        if take(UInt8(ascii: "}")) {
            return fields
        }
        while true {
            skipWhiteSpace()
            guard current == UInt8(ascii: "\"") else {
                throw .syntax(offset: position, expected: "a name in double quotes")
            }
            let name = try scanStringPlace()
            let mark = mark(name)
            if seen & mark != 0 {
                for field in fields where areEqual(field.name, name) {
                    throw .duplicateName(string(name))
                }
            }
            seen |= mark
            guard fields.count < JSONObject.maximumFields else {
                throw .tooManyFields(limit: JSONObject.maximumFields)
            }
            skipWhiteSpace()
            guard take(UInt8(ascii: ":")) else {
                throw .syntax(offset: position, expected: "':'")
            }
            skipWhiteSpace()
            fields.append(JSONFieldPlace(name: name, value: try scanValue()))
            skipWhiteSpace()
            if take(UInt8(ascii: ",")) {
                continue
            }
            guard take(UInt8(ascii: "}")) else {
                throw .syntax(offset: position, expected: "',' or '}'")
            }
            return fields
        }
    }

    private mutating func scanValue() throws(JSONError) -> JSONValuePlace {
        switch current {
        case UInt8(ascii: "\""):
            return .string(try scanStringPlace())
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let start = position
            try skipNested()
            return .nested(start..<position)
        case UInt8(ascii: "t"):
            try expect("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        default:
            guard current == UInt8(ascii: "-") || current.map(Self.isDigit) == true else {
                throw .syntax(offset: position, expected: "a value")
            }
            return try scanNumber()
        }
    }

    // MARK: Strings

    /// One bit that equal plain names share, from their length and their ends; all bits for a name that is not plain.
    private func mark(_ name: JSONStringPlace) -> UInt64 {
        guard case .plain(let range) = name else { return .max }
        guard !range.isEmpty else { return 1 }
        let kind = range.count &* 7 &+ Int(bytes[range.lowerBound]) &* 5 &+ Int(bytes[range.upperBound - 1]) &* 3
        return 1 << UInt64(kind & 63)
    }

    private func areEqual(_ first: JSONStringPlace, _ second: JSONStringPlace) -> Bool {
        if case .plain(let first) = first, case .plain(let second) = second {
            bytes[first].elementsEqual(bytes[second])
        } else {
            string(first) == string(second)
        }
    }

    private func string(_ place: JSONStringPlace) -> String {
        switch place {
        case .plain(let range): String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        case .decoded(let number): decoded[number]
        }
    }

    private mutating func scanStringPlace() throws(JSONError) -> JSONStringPlace {
        let start = position + 1
        guard let text = try scanString() else {
            return .plain(start..<(position - 1))
        }
        decoded.append(text)
        return .decoded(decoded.count - 1)
    }

    /// Passes over a string; nil for one that is ASCII without escapes, so that its bytes are its characters.
    private mutating func scanString() throws(JSONError) -> String? {
        position += 1
        let start = position
        var isASCII = true
        while true {
            skipPlainBytes()
            switch current {
            case UInt8(ascii: "\""):
                let span = UnsafeBufferPointer(rebasing: bytes[start..<position])
                position += 1
                return isASCII ? nil : try validated(span, at: start)
            case UInt8(ascii: "\\"):
                return try scanEscapedString(from: start)
            case .some(0x80...):
                isASCII = false
                position += 1
            case .some:
                throw .syntax(offset: position, expected: "no control character inside a string")
            case nil:
                throw .syntax(offset: position, expected: "'\"' at the end of the string")
            }
        }
    }

    /// Passes over ASCII that stands for itself inside a string, eight bytes at a time.
    private mutating func skipPlainBytes() {
        let lows: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while position + 8 <= bytes.count {
            let word = UInt64(
                littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position, as: UInt64.self))
            // Subtracting borrows through the top bit of a byte that is too small; a borrow from a byte further down
            // can mark a byte wrongly, but never the lowest that is marked.
            let quotes = word ^ (lows &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (lows &* UInt64(UInt8(ascii: "\\")))
            let controls = (word &- lows &* 0x20) & ~word
            let ends = (quotes &- lows) & ~quotes | (backslashes &- lows) & ~backslashes | controls | word
            guard ends & highs == 0 else {
                position += (ends & highs).trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while let byte = current, byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            position += 1
        }
    }

    private func validated(_ span: some Collection<UInt8>, at start: Int) throws(JSONError) -> String {
        guard let text = String(validating: span, as: UTF8.self) else {
            throw .notUTF8(offset: start)
        }
        return text
    }

    /// Copies the string while decoding its escapes; some systems escape each slash of a signature.
    private mutating func scanEscapedString(from start: Int) throws(JSONError) -> String {
        var decoded = Array(bytes[start..<position])
        while true {
            let run = position
            skipPlainBytes()
            decoded.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[run..<position]))
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                return try validated(decoded, at: start)
            case UInt8(ascii: "\\"):
                position += 1
                try appendEscape(to: &decoded)
            case .some(let byte) where byte >= 0x80:
                decoded.append(byte)
                position += 1
            case .some:
                throw .syntax(offset: position, expected: "no control character inside a string")
            case nil:
                throw .syntax(offset: position, expected: "'\"' at the end of the string")
            }
        }
    }

    private mutating func appendEscape(to decoded: inout [UInt8]) throws(JSONError) {
        guard let byte = current else {
            throw .syntax(offset: position, expected: "an escape after '\\'")
        }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            decoded.append(contentsOf: String(Character(try scanUnicodeEscape())).utf8)
        default:
            throw .syntax(offset: position - 1, expected: "one of \" \\ / b f n r t u after '\\'")
        }
    }

    /// Decodes `XXXX`, and `XXXX\uXXXX` for a pair of surrogates; a lone surrogate is no character.
    private mutating func scanUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        let first = try scanHexQuad()
        if let scalar = Unicode.Scalar(first) {
            return scalar
        }
        guard (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw .syntax(offset: start, expected: "a pair of surrogates, not half of one")
        }
        let second = try scanHexQuad()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else {
            throw .syntax(offset: start, expected: "a pair of surrogates, not half of one")
        }
        return scalar
    }

    private mutating func scanHexQuad() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw .syntax(offset: position, expected: "four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    // MARK: Numbers

    private mutating func scanNumber() throws(JSONError) -> JSONValuePlace {
        let start = position
        let isNegative = take(UInt8(ascii: "-"))
        let firstDigit = position
        try skipDigits()
        if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
            throw .syntax(offset: firstDigit, expected: "no leading zero in a number")
        }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try skipDigits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) {
                _ = take(UInt8(ascii: "-"))
            }
            try skipDigits()
        }
        if isWhole, let value = integer(isNegative: isNegative, digits: firstDigit..<position) {
            return .integer(value)
        }
        return .number(start..<position)
    }

    /// The exact value, or nil for `-0` and for what does not fit 64 bits.
    private func integer(isNegative: Bool, digits: Range<Int>) -> Int64? {
        // Summed as a negative number, for the most negative one has no positive twin.
        var value: Int64 = 0
        for index in digits {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, underflow) = tenfold.subtractingReportingOverflow(Int64(bytes[index] - UInt8(ascii: "0")))
            if overflow || underflow {
                return nil
            }
            value = sum
        }
        if isNegative {
            return value == 0 ? nil : value
        }
        return value == .min ? nil : -value
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = position
        while let byte = current, Self.isDigit(byte) {
            position += 1
        }
        guard position > start else {
            throw .syntax(offset: position, expected: "a digit")
        }
    }

    // MARK: Nested values

    /// Passes over an array or object, checking it against the grammar; depth is bounded, so is the recursion.
    private mutating func skipNested(depth: Int = 2) throws(JSONError) {
        guard depth <= JSONObject.maximumDepth else {
            throw .tooDeep(offset: position)
        }
        let isObject = current == UInt8(ascii: "{")
        let closing = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        position += 1
        skipWhiteSpace()
        if take(closing) {
            return
        }
        while true {
            skipWhiteSpace()
            if isObject {
                guard current == UInt8(ascii: "\"") else {
                    throw .syntax(offset: position, expected: "a name in double quotes")
                }
                _ = try scanString()
                skipWhiteSpace()
                guard take(UInt8(ascii: ":")) else {
                    throw .syntax(offset: position, expected: "':'")
                }
                skipWhiteSpace()
            }
            switch current {
            case UInt8(ascii: "{"), UInt8(ascii: "["): try skipNested(depth: depth + 1)
            case UInt8(ascii: "\""): _ = try scanString()
            default: _ = try scanValue()
            }
            skipWhiteSpace()
            if take(UInt8(ascii: ",")) {
                continue
            }
            guard take(closing) else {
                throw .syntax(offset: position, expected: isObject ? "',' or '}'" : "',' or ']'")
            }
            return
        }
    }

    // MARK: Bytes

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    private var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else {
            return false
        }
        position += 1
        return true
    }

    private mutating func expect(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount where !take(word.utf8Start[index]) {
            throw .syntax(offset: position, expected: "'\(word)'")
        }
    }

    private mutating func skipWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }
}
