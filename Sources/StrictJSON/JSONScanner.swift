/// Scans a JSON text in one pass and finds the ranges of its names and values; only strings with escapes are copied.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// How deep arrays and objects may nest; at most 64.
    private let maximumDepth: Int
    private var position: Int
    /// The decoded strings with escapes, back to back.
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private var decodedCount = 0

    /// Calls a closure with a scanner that borrows the bytes and scans a range of them.
    ///
    /// The range is all of the bytes, or that of a value that was found in the same bytes before, so it is within them.
    static func with<Value>(
        _ bytes: [UInt8], in range: Range<Int>, depth: Int, _ use: (inout JSONScanner) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            // Decoding never makes a string longer, and text is copied eight bytes at a time.
            try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: range.count + 8) { scratch throws(JSONError) in
                var scanner = JSONScanner(bytes: bytes, range: range, scratch: scratch, maximumDepth: depth)
                return try use(&scanner)
            }
        }
    }

    private init(
        bytes: UnsafeBufferPointer<UInt8>, range: Range<Int>, scratch: UnsafeMutableBufferPointer<UInt8>,
        maximumDepth: Int
    ) {
        // From the first byte on, so that what is found has its offsets among all bytes.
        self.bytes = UnsafeBufferPointer(rebasing: bytes[..<range.upperBound])
        self.maximumDepth = maximumDepth
        self.scratch = scratch
        position = range.lowerBound
    }

    /// The decoded strings with escapes.
    var decoded: [UInt8] {
        Array(scratch[..<decodedCount])
    }

    mutating func scanWholeObject() throws(JSONError) -> [ScannedJSONField] {
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

    mutating func scanWholeArray() throws(JSONError) -> [ScannedJSONValue] {
        skipWhiteSpace()
        guard take(UInt8(ascii: "[")) else {
            throw .syntax(offset: position, expected: "'['")
        }
        var values: [ScannedJSONValue] = []
        skipWhiteSpace()
        if !take(UInt8(ascii: "]")) {
            repeat {
                skipWhiteSpace()
                values.append(try scanValue())
                skipWhiteSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "]")) else {
                throw .syntax(offset: position, expected: "',' or ']'")
            }
        }
        skipWhiteSpace()
        guard position == bytes.count else {
            throw .trailingBytes(offset: position)
        }
        return values
    }

    private mutating func scanFields() throws(JSONError) -> [ScannedJSONField] {
        position += 1
        var fields: [ScannedJSONField] = []
        fields.reserveCapacity(16)
        // The bits of the names so far: while each name sets a new one, none is repeated.
        var marks: UInt64 = 0
        var mayRepeat = false
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
            let bit: UInt64 = 1 &<< mark(of: name)
            if marks & bit != 0 {
                if fields.count < Self.fewFields {
                    try refuse(name, in: fields)
                } else {
                    mayRepeat = true
                }
            }
            marks |= bit
            guard fields.count < JSONObject.maximumFields else {
                throw .tooManyFields(limit: JSONObject.maximumFields)
            }
            skipWhiteSpace()
            guard take(UInt8(ascii: ":")) else {
                throw .syntax(offset: position, expected: "':'")
            }
            skipWhiteSpace()
            fields.append(ScannedJSONField(name: name, value: try scanValue()))
            skipWhiteSpace()
            if take(UInt8(ascii: ",")) {
                continue
            }
            guard take(UInt8(ascii: "}")) else {
                throw .syntax(offset: position, expected: "',' or '}'")
            }
            if mayRepeat {
                try refuseDuplicates(fields)
            }
            return fields
        }
    }

    private mutating func scanValue() throws(JSONError) -> ScannedJSONValue {
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

    /// Up to this many names are compared one by one.
    private static let fewFields = 24

    /// Refuses a name that one of the fields has.
    private func refuse(_ name: ScannedJSONString, in fields: some Sequence<ScannedJSONField>) throws(JSONError) {
        let isRepeated = withUTF8(of: name) { bytes in
            fields.contains { withUTF8(of: $0.name) { $0.hasSameBytes(as: bytes) } }
        }
        guard !isRepeated else {
            throw .duplicateName(withUTF8(of: name) { String(decoding: $0.excerpt, as: UTF8.self) })
        }
    }

    /// Refuses a duplicate name among many.
    ///
    /// The standard library seeds the hash, so an attacker cannot construct names that collide.
    private func refuseDuplicates(_ fields: [ScannedJSONField]) throws(JSONError) {
        var hashes = Set<Int>(minimumCapacity: fields.count)
        for (index, field) in fields.enumerated() {
            let hash = withUTF8(of: field.name) { name in
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(name))
                return hasher.finalize()
            }
            if !hashes.insert(hash).inserted {
                try refuse(field.name, in: fields[..<index])
            }
        }
    }

    /// A number below 64 in which names rarely agree.
    @inline(__always)
    private func mark(of name: ScannedJSONString) -> UInt64 {
        withUTF8(of: name) { name in
            let sum = name.isEmpty ? 0 : name.count &* 7 &+ Int(name[0]) &* 5 &+ Int(name[name.count - 1]) &* 3
            return UInt64(sum & 63)
        }
    }

    @inline(__always)
    private func withUTF8<Value>(of string: ScannedJSONString, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        switch string {
        case .plain(let range): use(UnsafeBufferPointer(rebasing: bytes[range]))
        case .decoded(let range): use(UnsafeBufferPointer(rebasing: scratch[range]))
        }
    }

    // MARK: Strings

    /// Scans a string and decodes its escapes, if any.
    private mutating func scanString() throws(JSONError) -> ScannedJSONString {
        position += 1
        let start = position
        let firstDecoded = decodedCount
        var seenBits: UInt64 = 0
        skipText(&seenBits)
        if current == UInt8(ascii: "\\") {
            let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start..<position]))
            UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: scratch[decodedCount...]))
                .copyMemory(from: text)
            decodedCount += text.count
            repeat {
                repeat {
                    try decodeEscape()
                } while current == UInt8(ascii: "\\")
                copyText(&seenBits)
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
        if seenBits & Self.highBits != 0 {
            try validate(range)
        }
        return decodedCount == firstDecoded ? .plain(range) : .decoded(firstDecoded..<decodedCount)
    }

    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Skips literal text inside a string, eight bytes at a time.
    @inline(__always)
    private mutating func skipText(_ seenBits: inout UInt64) {
        while position + 8 <= bytes.count {
            let word = word(at: position)
            let count = Self.textCount(word)
            guard count == 8 else {
                seenBits |= word & ~(UInt64.max << UInt64(8 * count))
                position += count
                return
            }
            seenBits |= word
            position += 8
        }
        while let byte = current, Self.isText(byte) {
            seenBits |= UInt64(byte)
            position += 1
        }
    }

    /// Like ``skipText(_:)``, but copies the text to the decoded strings.
    @inline(__always)
    private mutating func copyText(_ seenBits: inout UInt64) {
        while position + 8 <= bytes.count {
            let word = word(at: position)
            let count = Self.textCount(word)
            // All eight are stored: any that are not text are overwritten next.
            UnsafeMutableRawBufferPointer(scratch)
                .storeBytes(of: word.littleEndian, toByteOffset: decodedCount, as: UInt64.self)
            position += count
            decodedCount += count
            guard count == 8 else {
                seenBits |= word & ~(UInt64.max << UInt64(8 * count))
                return
            }
            seenBits |= word
        }
        while let byte = current, Self.isText(byte) {
            seenBits |= UInt64(byte)
            decode(byte)
            position += 1
        }
    }

    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// How many leading bytes of a word are literal text inside a string.
    @inline(__always)
    private static func textCount(_ word: UInt64) -> Int {
        // Subtraction borrows from the high bit of a byte that is too small. A borrow from a lower byte can mark a byte
        // wrongly, but never the lowest marked one.
        let quotes = word ^ (lowBits &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (lowBits &* UInt64(UInt8(ascii: "\\")))
        let controls = (word &- lowBits &* 0x20) & ~word
        let ends = ((quotes &- lowBits) & ~quotes | (backslashes &- lowBits) & ~backslashes | controls) & highBits
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

    /// Checks that text is UTF-8, before its escapes are decoded; escapes are ASCII.
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
        let unescaped = Self.unescaped(byte)
        if unescaped != 0 {
            decode(unescaped)
        } else if byte == UInt8(ascii: "u") {
            appendUTF8(try scanUnicodeEscape())
        } else {
            throw .syntax(offset: position - 1, expected: "one of \" \\ / b f n r t u after '\\'")
        }
    }

    /// The byte that a one-letter escape represents; 0 for any other escape.
    ///
    /// The compiler turns these constants into a table, which avoids mispredicted branches.
    private static func unescaped(_ byte: UInt8) -> UInt8 {
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

    /// Decodes `XXXX`, or `XXXX\uXXXX` for a surrogate pair; a lone surrogate is an error.
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

    private mutating func scanNumber() throws(JSONError) -> ScannedJSONValue {
        let start = position
        if try skipNumber() {
            let isNegative = bytes[start] == UInt8(ascii: "-")
            if let value = integer(isNegative: isNegative, digits: (isNegative ? start + 1 : start)..<position) {
                return .integer(value)
            }
        }
        return .number(start..<position)
    }

    /// Skips a number.
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

    /// The exact value, or nil for `-0` and for integers that do not fit in 64 bits.
    private func integer(isNegative: Bool, digits: Range<Int>) -> Int64? {
        // Accumulated as a negative number, because `Int64.min` has no positive counterpart.
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

    /// Skips an array or object, checking it against the grammar; depth is limited.
    private mutating func skipNested() throws(JSONError) {
        let firstDecoded = decodedCount
        // The enclosing containers, innermost in the lowest bit: 1 for an object, 0 for an array.
        var containers: UInt64 = 0
        var depth = 1
        value: while true {
            let first = byte
            if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
                depth += 1
                guard depth <= maximumDepth else {
                    throw .tooDeep(offset: position, limit: maximumDepth)
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
            // After a value: go on to its next sibling, or past the ends of its containers.
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
        // The value is kept as text, so the strings decoded inside it are not needed.
        decodedCount = firstDecoded
    }

    /// The byte that ends the innermost array or object.
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

    /// The current byte, or 0 at the end; JSON never contains a 0 byte.
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
