/// Writes a JSON document straight into bytes, with its names in the order given.
///
/// All JSON output is written through it, so that escaping and layout are the same everywhere. What is answered many
/// thousand times a second is written by its own type; for everything else there is ``JSONText``.
package struct JSONWriter: Sendable {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []
    /// Whether it is written over several lines, indented by two spaces.
    private let isPretty: Bool
    /// How many objects and arrays are not ended yet.
    private var depth = 0
    /// Whether the innermost of them has nothing in it yet.
    private var isEmpty = true
    /// Whether the innermost of them is an object.
    private var isInObject = false
    /// Whether the next value is that of a name.
    private var isAfterName = false

    /// Makes a writer that has written nothing.
    package init(isPretty: Bool = false) {
        self.isPretty = isPretty
        bytes.reserveCapacity(1024)
    }

    // MARK: Documents

    /// The bytes of a document on one line.
    package static func bytes(_ write: (inout JSONWriter) throws -> Void) rethrows -> [UInt8] {
        var json = JSONWriter()
        try write(&json)
        return json.bytes
    }

    /// The text of a document on one line, as NDJSON requires.
    package static func line(_ write: (inout JSONWriter) throws -> Void) rethrows -> String {
        String(decoding: try bytes(write), as: UTF8.self)
    }

    /// The bytes of a document on one line with its newline.
    package static func lineBytes(_ write: (inout JSONWriter) throws -> Void) rethrows -> [UInt8] {
        try bytes { json in
            try write(&json)
            json.endLine()
        }
    }

    /// The text of a document over several lines, indented by two spaces, without a final newline.
    package static func pretty(_ write: (inout JSONWriter) throws -> Void) rethrows -> String {
        var json = JSONWriter(isPretty: true)
        try write(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Ends the line of a document, after which another may follow.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    // MARK: Values

    package mutating func object(_ writeMembers: (inout JSONWriter) throws -> Void) rethrows {
        let outer = isInObject
        begin(UInt8(ascii: "{"), isObject: true)
        try writeMembers(&self)
        end(UInt8(ascii: "}"), isInObject: outer)
    }

    package mutating func array(_ writeElements: (inout JSONWriter) throws -> Void) rethrows {
        let outer = isInObject
        begin(UInt8(ascii: "["), isObject: false)
        try writeElements(&self)
        end(UInt8(ascii: "]"), isInObject: outer)
    }

    /// Writes a string.
    package mutating func string(_ text: String) {
        beginValue()
        append(quoted: text)
    }

    /// Writes a whole number.
    package mutating func integer(_ value: Int64) {
        beginValue()
        bytes.append(decimal: value)
    }

    /// Writes a number with at most `places` decimals.
    package mutating func decimal(_ value: Double, places: Int) {
        beginValue()
        bytes.append(utf8Of: value.fixed(places: places))
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        beginValue()
        bytes.append(utf8Of: value ? "true" : "false")
    }

    /// Writes `null`.
    package mutating func null() {
        beginValue()
        bytes.append(utf8Of: "null")
    }

    // MARK: Members

    /// Writes a name; its value is written next.
    package mutating func name(_ name: String) {
        assert(isInObject && !isAfterName, "\(name) is not in an object, or the name before it has no value")
        separate()
        append(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        isAfterName = true
    }

    /// Writes a name and a string.
    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        string(text)
    }

    /// Writes a name and a whole number.
    package mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    /// Writes a name and `true` or `false`.
    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    /// Writes names and values.
    package mutating func members(_ members: [(String, JSONText)]) {
        for (name, value) in members {
            self.name(name)
            value.write(to: &self)
        }
    }

    // MARK: Layout

    private mutating func begin(_ bracket: UInt8, isObject: Bool) {
        beginValue()
        bytes.append(bracket)
        depth += 1
        isInObject = isObject
        isEmpty = true
    }

    private mutating func end(_ bracket: UInt8, isInObject: Bool) {
        assert(!isAfterName, "the last name has no value")
        depth -= 1
        self.isInObject = isInObject
        if !isEmpty { breakLine() }
        bytes.append(bracket)
        isEmpty = false
    }

    private mutating func beginValue() {
        assert(isAfterName || !isInObject, "a value in an object has no name")
        separate()
    }

    /// Separates a name or a value from what is before it in the same object or array.
    private mutating func separate() {
        guard !isAfterName else {
            isAfterName = false
            return
        }
        guard depth > 0 else { return }
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        breakLine()
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    // MARK: Strings

    private mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Most strings need no escapes and are appended whole.
            if Self.needsEscapes(utf8) {
                append(escaping: utf8)
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscapes(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        // To the end without a branch, so that many bytes are compared at once.
        var found: UInt8 = 0
        for byte in utf8 {
            found |= byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F ? 1 : 0
        }
        return found != 0
    }

    private mutating func append(escaping utf8: UnsafeBufferPointer<UInt8>) {
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(utf8Of: "\\\"")
            case UInt8(ascii: "\\"): bytes.append(utf8Of: "\\\\")
            case UInt8(ascii: "\n"): bytes.append(utf8Of: "\\n")
            case UInt8(ascii: "\r"): bytes.append(utf8Of: "\\r")
            case UInt8(ascii: "\t"): bytes.append(utf8Of: "\\t")
            case 0..<0x20, 0x7F:
                let hex = String(byte, radix: 16)
                bytes.append(utf8Of: "\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
            default: bytes.append(byte)
            }
        }
    }
}

extension [UInt8] {
    package mutating func append(utf8Of text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// Appends the digits of a number, after a minus sign for a negative one.
    package mutating func append(decimal value: Int64) {
        if value < 0 {
            append(UInt8(ascii: "-"))
        }
        // From the last digit to the first; a 64-bit number has at most 20.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = digits.count
        var remaining = value.magnitude
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(remaining % 10)
            remaining /= 10
        } while remaining > 0
        for index in first..<digits.count {
            append(digits[index])
        }
    }
}
