/// The one pass over the bytes behind ``JSONObject``.
///
/// It borrows its buffers for its lifetime and finds the ranges of names and values; it copies only strings with
/// escapes.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// The strings with escapes, decoded, one after the other.
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private var decodedCount = 0

    /// Lends a scanner to a piece of work.
    static func with<Value>(
        _ bytes: [UInt8], _ use: (inout JSONScanner) -> Value
    ) -> Value {
        bytes.withUnsafeBufferPointer { bytes in
            // Decoding makes no string longer, and text is copied eight bytes at a time.
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count + 8) { scratch in
                var scanner = JSONScanner(bytes: bytes, scratch: scratch)
                return use(&scanner)
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, scratch: UnsafeMutableBufferPointer<UInt8>) {
        self.bytes = bytes
        self.scratch = scratch
    }

    /// The strings with escapes, decoded.
    var decoded: [UInt8] {
        Array(scratch[..<decodedCount])
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
        var marks = JSONNameMarks()
        var names: JSONNameIndex?
        skipWhiteSpace()
        if take(UInt8(ascii: "}")) {
            return fields
        }
        while true {
            skipWhiteSpace()
            guard current == UInt8(ascii: "\"") else {
                throw .syntax(offset: position, expected: "a name in double quotes")
            }
            let name = try scanString()
            let isNew = withUTF8(of: name) { marks.insert($0) }
            if !isNew || names != nil {
                try insert(name, into: &names, after: fields)
            }
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
            return .string(try scanString())
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
            guard isAtNumber else {
                throw .syntax(offset: position, expected: "a value")
            }
            return try scanNumber()
        }
    }

    // MARK: Names

    /// Refuses a name that occurred before; of many names an index is made when it is first needed.
    private func insert(
        _ name: JSONStringPlace, into names: inout JSONNameIndex?, after fields: [JSONFieldPlace]
    ) throws(JSONError) {
        if names == nil, fields.count <= Self.fewFields {
            let isNew = withUTF8(of: name) { bytes in
                fields.allSatisfy { field in withUTF8(of: field.name) { !$0.hasSameBytes(as: bytes) } }
            }
            guard isNew else {
                throw duplicate(name)
            }
            return
        }
        var index = names ?? JSONNameIndex()
        if names == nil {
            for (number, field) in fields.enumerated() {
                _ = withUTF8(of: field.name) { index.insert(number, $0) { _ in false } }
            }
        }
        let isNew = withUTF8(of: name) { bytes in
            index.insert(fields.count, bytes) { number in
                withUTF8(of: fields[number].name) { $0.hasSameBytes(as: bytes) }
            }
        }
        guard isNew else {
            throw duplicate(name)
        }
        names = index
    }

    private func duplicate(_ name: JSONStringPlace) -> JSONError {
        .duplicateName(withUTF8(of: name) { String(decoding: $0.excerpt, as: UTF8.self) })
    }

    /// Up to so many names are compared one by one where they may be equal.
    private static let fewFields = 24

    @inline(__always)
    private func withUTF8<Value>(of place: JSONStringPlace, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        switch place {
        case .plain(let range): use(UnsafeBufferPointer(rebasing: bytes[range]))
        case .decoded(let range): use(UnsafeBufferPointer(rebasing: scratch[range]))
        }
    }

    // MARK: Strings

    /// Passes over a string; one with escapes is decoded.
    private mutating func scanString() throws(JSONError) -> JSONStringPlace {
        position += 1
        let start = position
        let firstDecoded = decodedCount
        var others: UInt64 = 0
        skipText(&others)
        if current == UInt8(ascii: "\\") {
            let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start..<position]))
            UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: scratch[decodedCount...]))
                .copyMemory(from: text)
            decodedCount += text.count
            repeat {
                repeat {
                    try decodeEscape()
                } while current == UInt8(ascii: "\\")
                copyText(&others)
            } while current == UInt8(ascii: "\\")
        }
        guard current == UInt8(ascii: "\"") else {
            throw .syntax(
                offset: position,
                expected: current == nil
                    ? "'\"' at the end of the string" : "no control character inside a string")
        }
        let range = start..<position
        position += 1
        if others & Self.highs != 0 {
            try validate(range)
        }
        return decodedCount == firstDecoded ? .plain(range) : .decoded(firstDecoded..<decodedCount)
    }

    private static let lows: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Passes over everything that means itself inside a string, eight bytes at a time.
    ///
    /// - Parameter others: Gets the bits of all bytes passed, so that the highest tell whether all is ASCII.
    @inline(__always)
    private mutating func skipText(_ others: inout UInt64) {
        while position + 8 <= bytes.count {
            let word = word(at: position)
            let count = Self.textCount(word)
            guard count == 8 else {
                others |= word & ~(UInt64.max << UInt64(8 * count))
                position += count
                return
            }
            others |= word
            position += 8
        }
        while let byte = current, Self.isText(byte) {
            others |= UInt64(byte)
            position += 1
        }
    }

    /// The same, into the decoded strings.
    @inline(__always)
    private mutating func copyText(_ others: inout UInt64) {
        while position + 8 <= bytes.count {
            let word = word(at: position)
            let count = Self.textCount(word)
            // All eight are stored: what is no text is overwritten by what comes next.
            UnsafeMutableRawBufferPointer(scratch)
                .storeBytes(of: word.littleEndian, toByteOffset: decodedCount, as: UInt64.self)
            position += count
            decodedCount += count
            guard count == 8 else {
                others |= word & ~(UInt64.max << UInt64(8 * count))
                return
            }
            others |= word
        }
        while let byte = current, Self.isText(byte) {
            others |= UInt64(byte)
            decode(byte)
            position += 1
        }
    }

    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// How many bytes of a word, from its first, mean themselves inside a string.
    @inline(__always)
    private static func textCount(_ word: UInt64) -> Int {
        // Subtracting borrows through the top bit of a byte that is too small; a borrow from a byte further down can mark
        // a byte wrongly, but never the lowest that is marked.
        let quotes = word ^ (lows &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (lows &* UInt64(UInt8(ascii: "\\")))
        let controls = (word &- lows &* 0x20) & ~word
        let ends = ((quotes &- lows) & ~quotes | (backslashes &- lows) & ~backslashes | controls) & highs
        return ends.trailingZeroBitCount / 8
    }

    @inline(__always)
    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    @inline(__always)
    private mutating func decode(_ byte: UInt8) {
        scratch[decodedCount] = byte
        decodedCount += 1
    }

    /// Checks text as it was received: escapes are ASCII, so they cannot mend what is wrong beside them.
    private func validate(_ range: Range<Int>) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(range).span)
        } catch {
            throw .notUTF8(offset: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }

    private mutating func decodeEscape() throws(JSONError) {
        position += 1
        guard let byte = current else {
            throw .syntax(offset: position, expected: "an escape after '\\'")
        }
        position += 1
        let meaning = Self.meaning(ofEscape: byte)
        if meaning != 0 {
            decode(meaning)
        } else if byte == UInt8(ascii: "u") {
            appendUTF8(try scanUnicodeEscape())
        } else {
            throw .syntax(offset: position - 1, expected: "one of \" \\ / b f n r t u after '\\'")
        }
    }

    /// The byte an escape of one letter stands for, 0 for any other.
    ///
    /// Constants make it a table: which escape comes next is nothing a processor can guess.
    private static func meaning(ofEscape byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "\""): 0x22
        case UInt8(ascii: "/"): 0x2F
        case UInt8(ascii: "\\"): 0x5C
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: 0
        }
    }

    private mutating func appendUTF8(_ scalar: UInt32) {
        func continuation(_ shift: UInt32) -> UInt8 {
            UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F)
        }
        switch scalar {
        case ..<0x80:
            decode(UInt8(truncatingIfNeeded: scalar))
        case ..<0x800:
            decode(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            decode(continuation(0))
        case ..<0x1_0000:
            decode(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            decode(continuation(6))
            decode(continuation(0))
        default:
            decode(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            decode(continuation(12))
            decode(continuation(6))
            decode(continuation(0))
        }
    }

    /// Decodes `XXXX`, and `XXXX\uXXXX` for a pair of surrogates; a lone surrogate is no character.
    private mutating func scanUnicodeEscape() throws(JSONError) -> UInt32 {
        let start = position
        let first = try scanHexQuad()
        guard (0xD800..<0xE000).contains(first) else {
            return first
        }
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw .syntax(offset: start, expected: "a pair of surrogates, not half of one")
        }
        let second = try scanHexQuad()
        guard (0xDC00..<0xE000).contains(second) else {
            throw .syntax(offset: start, expected: "a pair of surrogates, not half of one")
        }
        return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }

    private mutating func scanHexQuad() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = current.flatMap(Self.hexDigit) else {
                throw .syntax(offset: position, expected: "four hexadecimal digits")
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    // MARK: Numbers

    private mutating func scanNumber() throws(JSONError) -> JSONValuePlace {
        let start = position
        if try skipNumber() {
            let isNegative = bytes[start] == UInt8(ascii: "-")
            if let value = integer(isNegative: isNegative, digits: (isNegative ? start + 1 : start)..<position) {
                return .integer(value)
            }
        }
        return .number(start..<position)
    }

    /// Passes over a number.
    ///
    /// - Returns: Whether it has neither a fraction nor an exponent.
    @inline(__always)
    private mutating func skipNumber() throws(JSONError) -> Bool {
        if byte == UInt8(ascii: "-") {
            position += 1
        }
        let firstDigit = position
        try skipDigits()
        if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
            throw .syntax(offset: firstDigit, expected: "no leading zero in a number")
        }
        guard byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") else {
            return true
        }
        if take(UInt8(ascii: ".")) {
            try skipDigits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) {
                _ = take(UInt8(ascii: "-"))
            }
            try skipDigits()
        }
        return false
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

    @inline(__always)
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

    /// Passes over an array or object, checking it against the grammar; depth is bounded.
    private mutating func skipNested() throws(JSONError) {
        let firstDecoded = decodedCount
        // What contains the position, from the outermost to the innermost: a bit each, set for an object.
        var containers: UInt64 = 0
        var depth = 1
        value: while true {
            // At the beginning of a value.
            let first = byte
            if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
                depth += 1
                guard depth <= JSONObject.maximumDepth else {
                    throw .tooDeep(offset: position)
                }
                let isObject = first == UInt8(ascii: "{")
                containers = containers << 1 | (isObject ? 1 : 0)
                position += 1
                skipWhiteSpace()
                if byte != Self.end(of: containers) {
                    if isObject {
                        try skipName()
                    }
                    continue
                }
                position += 1
                depth -= 1
                containers >>= 1
            } else if first == UInt8(ascii: "\"") {
                _ = try scanString()
            } else if Self.isDigit(first) || first == UInt8(ascii: "-") {
                _ = try skipNumber()
            } else {
                _ = try scanValue()
            }
            // Behind a value: to the next one beside it, or past the ends of what contains it.
            while depth > 1 {
                skipWhiteSpace()
                if byte == UInt8(ascii: ",") {
                    position += 1
                    skipWhiteSpace()
                    if containers & 1 == 1 {
                        try skipName()
                    }
                    continue value
                }
                guard byte == Self.end(of: containers) else {
                    throw .syntax(offset: position, expected: containers & 1 == 1 ? "',' or '}'" : "',' or ']'")
                }
                position += 1
                depth -= 1
                containers >>= 1
            }
            break
        }
        // What was decoded on the way is not needed: the value is kept as its text.
        decodedCount = firstDecoded
    }

    /// What the innermost array or object ends with.
    @inline(__always)
    private static func end(of containers: UInt64) -> UInt8 {
        containers & 1 == 1 ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    private mutating func skipName() throws(JSONError) {
        guard byte == UInt8(ascii: "\"") else {
            throw .syntax(offset: position, expected: "a name in double quotes")
        }
        _ = try scanString()
        skipWhiteSpace()
        guard take(UInt8(ascii: ":")) else {
            throw .syntax(offset: position, expected: "':'")
        }
        skipWhiteSpace()
    }

    // MARK: Bytes

    private var isAtNumber: Bool {
        current == UInt8(ascii: "-") || current.map(Self.isDigit) == true
    }

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

    /// The byte here, 0 at the end: no text in JSON has a 0.
    private var byte: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }
}
