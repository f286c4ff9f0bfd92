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
    }

    /// An object from names and values.
    package static func object(_ members: KeyValuePairs<String, JSONText>) -> JSONText {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }

    /// An object from a list of names and values.
    package static func object(_ members: [(String, JSONText)]) -> JSONText {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    /// The text on one line, as NDJSON requires.
    package var line: String {
        String(decoding: lineBytes, as: UTF8.self)
    }

    /// The text on one line as UTF-8, without its end.
    package var lineBytes: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(1024)
        write(to: &output)
        return output
    }

    /// The text over several lines, indented by two spaces, without a final newline.
    package var pretty: String {
        var output: [UInt8] = []
        write(to: &output, indent: 0)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the text on one line as UTF-8.
    package func write(to output: inout [UInt8]) {
        write(to: &output, indent: nil)
    }

    private func write(to output: inout [UInt8], indent: Int?) {
        switch self {
        case .object(let members):
            Self.writeList(members, "{", "}", to: &output, indent: indent) { member, inner, output in
                Self.writeString(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                if indent != nil {
                    output.append(UInt8(ascii: " "))
                }
                member.value.write(to: &output, indent: inner)
            }
        case .array(let values):
            Self.writeList(values, "[", "]", to: &output, indent: indent) { value, inner, output in
                value.write(to: &output, indent: inner)
            }
        case .string(let text): Self.writeString(text, to: &output)
        case .integer(let value): output += String(value).utf8
        case .decimal(let value, let places): output += value.fixed(places: places).utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .null: output += "null".utf8
        }
    }

    private static func writeList<Element>(
        _ elements: [Element],
        _ open: Unicode.Scalar,
        _ close: Unicode.Scalar,
        to output: inout [UInt8],
        indent: Int?,
        each: (Element, Int?, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: open))
        let inner = indent.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 {
                output.append(UInt8(ascii: ","))
            }
            if let inner {
                writeBreak(to: &output, indent: inner)
            }
            each(element, inner, &output)
        }
        if let indent, !elements.isEmpty {
            writeBreak(to: &output, indent: indent)
        }
        output.append(UInt8(ascii: close))
    }

    private static func writeBreak(to output: inout [UInt8], indent: Int) {
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
    }

    private static func writeString(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            // Most strings need no escapes and are appended whole.
            var start = 0
            for index in bytes.indices where needsEscape(bytes[index]) {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                writeEscape(of: bytes[index], to: &output)
                start = index + 1
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether a byte is a quotation mark, a backslash or a control character; other characters are written as they are.
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private static func writeEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        case UInt8(ascii: "\n"): output.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): output.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): output.append(UInt8(ascii: "t"))
        default:
            let hex = String(byte, radix: 16)
            output += ("u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex).utf8
        }
    }
}
