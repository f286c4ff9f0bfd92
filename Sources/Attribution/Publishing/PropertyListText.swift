/// An Apple property list to write as XML, with its keys in the order given.
///
/// - SeeAlso: [PropertyList-1.0.dtd](http://www.apple.com/DTDs/PropertyList-1.0.dtd)
package indirect enum PropertyListText: Sendable, Hashable {
    /// Keys and values in the order they are written.
    case dictionary([Member])
    /// Values in the order they are written.
    case array([PropertyListText])
    case string(String)
    case integer(Int)
    case boolean(Bool)

    /// One key and its value.
    package struct Member: Sendable, Hashable {
        let key: String
        let value: PropertyListText

        package init(_ key: String, _ value: PropertyListText) {
            self.key = key
            self.value = value
        }
    }

    package static func dictionary(_ members: KeyValuePairs<String, PropertyListText>) -> PropertyListText {
        .dictionary(members.map { Member($0.key, $0.value) })
    }

    /// The whole document, with a final newline.
    package var document: String {
        var output = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        write(to: &output, indent: "")
        return output + "</plist>\n"
    }

    private func write(to output: inout String, indent: String) {
        let inner = indent + "    "
        switch self {
        case .string(let text):
            output += "\(indent)<string>\(Self.escaped(text))</string>\n"
        case .integer(let number):
            output += "\(indent)<integer>\(number)</integer>\n"
        case .boolean(let value):
            output += "\(indent)<\(value)/>\n"
        case .array(let values):
            output += "\(indent)<array>\n"
            values.forEach { $0.write(to: &output, indent: inner) }
            output += "\(indent)</array>\n"
        case .dictionary(let members):
            output += "\(indent)<dict>\n"
            for member in members {
                output += "\(inner)<key>\(Self.escaped(member.key))</key>\n"
                member.value.write(to: &output, indent: inner)
            }
            output += "\(indent)</dict>\n"
        }
    }

    /// Escapes the text of an element; characters that XML 1.0 does not allow become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            // Required only after "]]".
            case ">": output += "&gt;"
            // Parsers read an unescaped one as a line feed.
            case "\r": output += "&#13;"
            case "\t", "\n", " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                output.unicodeScalars.append(scalar)
            default: output += "\u{FFFD}"
            }
        }
        return output
    }
}

extension String {
    /// The text for use between tags and in quoted attributes of HTML.
    ///
    /// Control characters other than line breaks and tabs become U+FFFD: parsers drop or change them.
    package var escapedHTML: String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
