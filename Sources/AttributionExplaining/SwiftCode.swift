import StrictJSON

/// Values in Swift code, as `skan sign --format swift` prints it and apps have it.
enum SwiftCode {
    /// Every name that has a literal: the keys of a dictionary, assigned properties, labels of arguments.
    ///
    /// A literal may be inside a call with one argument, such as `NSUUID(uuidString: "…")`; comments are skipped.
    static func literals(in text: String) -> [JSONField] {
        var scanner = Scanner(bytes: Array(text.utf8))
        var fields: [JSONField] = []
        while scanner.skipToWord() {
            guard let name = scanner.word() else {
                _ = scanner.literal()
                continue
            }
            guard scanner.take(":") || scanner.take("=") else {
                continue
            }
            let start = scanner.index
            if scanner.word() != nil, scanner.take("(") {
                let argument = scanner.index
                if scanner.word() == nil || !scanner.take(":") {
                    scanner.index = argument
                }
            }
            if let value = scanner.literal() {
                fields.append(JSONField(name: name, value: value))
            } else {
                scanner.index = start
            }
        }
        return fields
    }

    private struct Scanner {
        let bytes: [UInt8]
        var index = 0

        private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

        /// Skips to a word, a number or a string; false at the end.
        mutating func skipToWord() -> Bool {
            while let byte = next {
                if byte == UInt8(ascii: "/"), bytes[(index + 1)...].first == byte {
                    index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                } else if Self.isWord(byte) || byte == UInt8(ascii: "\"") {
                    return true
                } else {
                    index += 1
                }
            }
            return false
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard next == UInt8(ascii: character) else {
                return false
            }
            index += 1
            return true
        }

        /// An identifier; nil for anything else.
        mutating func word() -> String? {
            skipSpace()
            guard let first = next, Self.isWord(first), !Self.isDigit(first) else {
                return nil
            }
            return String(decoding: run(Self.isWord), as: UTF8.self)
        }

        /// A string or an integer that is not negative; nil for anything else, of which one byte is skipped.
        mutating func literal() -> JSONValue? {
            skipSpace()
            guard let first = next else {
                return nil
            }
            if Self.isDigit(first) {
                let digits = String(decoding: run(Self.isWord).filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
                return Int64(digits).map(JSONValue.integer)
            }
            index += 1
            guard first == UInt8(ascii: "\"") else {
                return nil
            }
            let start = index
            while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
                // The values of impressions need no escapes, so a text that has some is no such value.
                index += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            index = min(index, bytes.count)
            defer { index += 1 }
            return .string(String(decoding: bytes[start..<index], as: UTF8.self))
        }

        private mutating func run(_ isMember: (UInt8) -> Bool) -> ArraySlice<UInt8> {
            let start = index
            while let byte = next, isMember(byte) { index += 1 }
            return bytes[start..<index]
        }

        private mutating func skipSpace() {
            _ = run { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
        }
    }
}
