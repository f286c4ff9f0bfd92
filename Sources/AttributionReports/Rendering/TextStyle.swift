import Attribution
import StrictJSON

/// What a text for a person may use: how wide its lines are, and whether its characters may go beyond ASCII.
package struct TextStyle: Hashable, Sendable {
    /// The widths there can be; narrower ones have no room for a table.
    package static let widths = 40...10_000

    /// The most columns of characters in a line.
    package let width: Int
    /// Whether rules, bars and dashes are made of ASCII alone.
    package let isASCII: Bool

    /// Makes a style.
    ///
    /// - Parameters:
    ///   - width: The most columns of characters in a line; the nearest of ``widths`` is taken.
    ///   - isASCII: Whether rules, bars and dashes are made of ASCII alone.
    package init(width: Int, isASCII: Bool = false) {
        self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
        self.isASCII = isASCII
    }

    /// For a reader of whom nothing is known: a file, a pipe, an answer over HTTP.
    package static let document = TextStyle(width: 120)

    var rule: String { isASCII ? "-" : "─" }
    var bar: String { isASCII ? "#" : "█" }
    /// Stands for a value that postbacks do not carry.
    var none: String { isASCII ? "-" : "–" }
    var ellipsis: String { isASCII ? "..." : "…" }
    /// Between the parts of a title.
    var separator: String { isASCII ? " | " : " · " }
    var unequal: String { isASCII ? "!=" : "≠" }

    /// A text in lines no wider than the style's, those after the first indented by two spaces.
    func wrapped(_ text: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = String(word)
            if !line.isEmpty {
                guard line.displayWidth + 1 + word.displayWidth > width else {
                    line += " " + word
                    continue
                }
                lines.append(line)
            }
            var indent = lines.isEmpty ? "" : "  "
            // A word alone may be wider than a line.
            while indent.count + word.displayWidth > width {
                let (head, tail) = word.split(atWidth: width - indent.count)
                lines.append(indent + head)
                (word, indent) = (tail, "  ")
            }
            line = indent + word
        }
        return (lines + (line.isEmpty ? [] : [line])).joined(separator: "\n")
    }

    /// A text no wider than `limit`, with an ellipsis where something was cut off.
    func shortened(_ text: String, to limit: Int) -> String {
        text.displayWidth <= limit
            ? text : text.split(atWidth: max(0, limit - ellipsis.count)).head + ellipsis
    }

    /// A value as a cell of a table: nothing that could steer a terminal, and not much longer than an id.
    func cell(_ value: String, limit: Int) -> String {
        let visible = value.isEmpty ? none : value.shortened(to: 200)
        let printable = isASCII ? visible.escapingBeyondASCII : visible
        return shortened(printable, to: limit)
    }
}

extension String {
    fileprivate var escapingBeyondASCII: String {
        unicodeScalars.map { $0.isASCII ? String($0) : $0 == "…" ? "..." : "\\u{\(String($0.value, radix: 16))}" }
            .joined()
    }
}
