import Attribution
import StrictJSON

/// The width of lines, and whether they may have characters beyond ASCII.
package struct TextStyle: Hashable, Sendable {
    /// The supported widths; a table does not fit into less.
    package static let widths = 40...10_000

    /// The maximum width of a line, in terminal columns.
    package let width: Int
    /// Whether only ASCII is used.
    package let isASCII: Bool

    /// Creates a style.
    ///
    /// - Parameters:
    ///   - width: The maximum width of a line, in terminal columns; clamped to ``widths``.
    ///   - isASCII: Whether to use only ASCII.
    package init(width: Int, isASCII: Bool = false) {
        self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
        self.isASCII = isASCII
    }

    /// The style for anything but a terminal: a file, a pipe, an answer over HTTP.
    package static let document = TextStyle(width: 120)

    var rule: String { isASCII ? "-" : "─" }
    var bar: String { isASCII ? "#" : "█" }
    /// Shown for a missing value.
    var none: String { isASCII ? "-" : "–" }
    var ellipsis: String { isASCII ? "..." : "…" }
    /// Between the parts of a title.
    var separator: String { isASCII ? " | " : " · " }
    var unequal: String { isASCII ? "!=" : "≠" }

    /// Wraps a text at the style's width, with a hanging indent of two spaces.
    package func wrapped(_ text: String) -> String {
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
            // A single word may be wider than a line.
            while indent.count + word.displayWidth > width {
                let (head, tail) = word.split(atWidth: width - indent.count)
                lines.append(indent + head)
                (word, indent) = (tail, "  ")
            }
            line = indent + word
        }
        return (lines + (line.isEmpty ? [] : [line])).joined(separator: "\n")
    }

    /// Truncates a text to a width, with an ellipsis.
    func shortened(_ text: String, to limit: Int) -> String {
        text.displayWidth <= limit
            ? text : text.split(atWidth: max(0, limit - ellipsis.count)).head + ellipsis
    }

    /// A value as a table cell, without control characters and shortened.
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
