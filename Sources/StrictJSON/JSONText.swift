/// A JSON document to write, with its names in the order given.
///
/// All JSON output is written through it, so that escaping and order are the same everywhere.
package enum JSONText: Sendable, Hashable {
    /// Names and values in the order they are written.
    case object([Member])
    /// Values in the order they are written.
    case array([JSONText])
    /// A string.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number with at most `places` decimals, for rates and means.
    case decimal(Double, places: Int)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// One name and its value.
    package struct Member: Sendable, Hashable {
        let name: String
        let value: JSONText

        /// Makes a member.
        package init(_ name: String, _ value: JSONText) {
            self.name = name
            self.value = value
        }
    }

    /// An object from names and values.
    package static func object(_ members: KeyValuePairs<String, JSONText>) -> JSONText {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// An object from a list of names and values.
    package static func object(_ members: [(String, JSONText)]) -> JSONText {
        .object(members.map { Member($0.0, $0.1) })
    }

    /// The text on one line, as NDJSON requires.
    package var line: String {
        String(decoding: bytes(endingLine: false), as: UTF8.self)
    }

    /// The bytes of a line with its newline.
    package var lineBytes: [UInt8] {
        bytes(endingLine: true)
    }

    /// The text over several lines, indented by two spaces, without a final newline.
    package var pretty: String {
        var output: [UInt8] = []
        write(to: &output, indent: 0)
        return String(decoding: output, as: UTF8.self)
    }

    private func bytes(endingLine: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(1024)
        write(to: &output, indent: nil)
        if endingLine { output.append(UInt8(ascii: "\n")) }
        return output
    }

    private func write(to output: inout [UInt8], indent: Int?) {
        switch self {
        case .object(let members):
            let inner = indent.map { $0 + 2 }
            output.append(UInt8(ascii: "{"))
            for index in members.indices {
                Self.writeSeparator(before: index, to: &output, indent: inner)
                Self.writeString(members[index].name, to: &output)
                output.append(UInt8(ascii: ":"))
                if indent != nil { output.append(UInt8(ascii: " ")) }
                members[index].value.write(to: &output, indent: inner)
            }
            if !members.isEmpty { Self.writeLineBreak(to: &output, indent: indent) }
            output.append(UInt8(ascii: "}"))
        case .array(let values):
            let inner = indent.map { $0 + 2 }
            output.append(UInt8(ascii: "["))
            for index in values.indices {
                Self.writeSeparator(before: index, to: &output, indent: inner)
                values[index].write(to: &output, indent: inner)
            }
            if !values.isEmpty { Self.writeLineBreak(to: &output, indent: indent) }
            output.append(UInt8(ascii: "]"))
        case .string(let text): Self.writeString(text, to: &output)
        case .integer(let value): output.append(utf8Of: String(value))
        case .decimal(let value, let places): output.append(utf8Of: value.fixed(places: places))
        case .bool(let value): output.append(utf8Of: value ? "true" : "false")
        case .null: output.append(utf8Of: "null")
        }
    }

    private static func writeSeparator(before index: Int, to output: inout [UInt8], indent: Int?) {
        if index > 0 {
            output.append(UInt8(ascii: ","))
        }
        writeLineBreak(to: &output, indent: indent)
    }

    private static func writeLineBreak(to output: inout [UInt8], indent: Int?) {
        if let indent {
            output.append(UInt8(ascii: "\n"))
            output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
        }
    }

    private static func writeString(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            // Most strings need no escapes and are appended whole.
            if bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) {
                output.append(contentsOf: bytes)
            } else {
                writeEscaped(bytes, to: &output)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func writeEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""): output.append(utf8Of: "\\\"")
            case UInt8(ascii: "\\"): output.append(utf8Of: "\\\\")
            case UInt8(ascii: "\n"): output.append(utf8Of: "\\n")
            case UInt8(ascii: "\r"): output.append(utf8Of: "\\r")
            case UInt8(ascii: "\t"): output.append(utf8Of: "\\t")
            case 0..<0x20, 0x7F:
                let hex = String(byte, radix: 16)
                output.append(utf8Of: "\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
            default: output.append(byte)
            }
        }
    }
}

extension [UInt8] {
    /// Appends the bytes of a text.
    fileprivate mutating func append(utf8Of text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}
