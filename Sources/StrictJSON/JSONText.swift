/// A JSON document to write, with its names in the order given.
///
/// All JSON output is written through it, so that escaping and order are the same everywhere.
package indirect enum JSONText: Sendable, Hashable {
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
        var output = ""
        output.reserveCapacity(1024)
        write(to: &output, indent: nil)
        return output
    }

    /// The text over several lines, indented by two spaces, without a final newline.
    package var pretty: String {
        var output = ""
        write(to: &output, indent: 0)
        return output
    }

    private func write(to output: inout String, indent: Int?) {
        switch self {
        case .object(let members):
            writeList(members, open: "{", close: "}", to: &output, indent: indent) { member, inner, output in
                Self.writeString(member.name, to: &output)
                output += indent == nil ? ":" : ": "
                member.value.write(to: &output, indent: inner)
            }
        case .array(let values):
            writeList(values, open: "[", close: "]", to: &output, indent: indent) { value, inner, output in
                value.write(to: &output, indent: inner)
            }
        case .string(let text): Self.writeString(text, to: &output)
        case .integer(let value): output += String(value)
        case .decimal(let value, let places): output += value.fixed(places: places)
        case .bool(let value): output += value ? "true" : "false"
        case .null: output += "null"
        }
    }

    private func writeList<Element>(
        _ elements: [Element],
        open: String,
        close: String,
        to output: inout String,
        indent: Int?,
        each: (Element, Int?, inout String) -> Void
    ) {
        output += open
        let inner = indent.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 {
                output += ","
            }
            if let inner {
                output += "\n" + String(repeating: " ", count: inner)
            }
            each(element, inner, &output)
        }
        if let indent, !elements.isEmpty {
            output += "\n" + String(repeating: " ", count: indent)
        }
        output += close
    }

    private static func writeString(_ text: String, to output: inout String) {
        output += "\""
        defer { output += "\"" }
        // Most strings need no escapes and are appended whole.
        guard !text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) else {
            output += text
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "\u{0}"..<" ", "\u{7F}":
                let hex = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: output.unicodeScalars.append(scalar)
            }
        }
    }
}
