import Attribution
import Foundation
import StrictJSON

/// The width of lines, and whether they may have characters beyond ASCII.
package struct TextStyle: Hashable, Sendable {
    /// The supported widths; a table does not fit into less.
    package static let widths = 40...10_000

    /// The maximum width of a line, in terminal columns.
    package let width: Int
    package let isASCII: Bool

    /// Creates a style; the width, in terminal columns, is clamped to ``widths``.
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

    /// Wraps lines, in the characters of the style.
    func wrapped(_ lines: [String?]) -> [String] {
        lines.compactMap(\.self).map { wrapped($0.inCharacters(of: self)) }
    }

    /// Truncates a text to a width, with an ellipsis.
    func shortened(_ text: String, to limit: Int) -> String {
        text.displayWidth <= limit
            ? text : text.split(atWidth: max(0, limit - ellipsis.count)).head + ellipsis
    }

    /// Different values as table cells of at most a width, no two of which look the same.
    func distinct(_ values: [String], limit: Int) -> [String] {
        let whole = values.map { cell($0, limit: .max) }
        // What is told apart by its end alone is shortened in the middle.
        for shorten in [shortened(_:to:), shortenedInside(_:to:)] {
            let texts = whole.map { shorten($0, limit) }
            if Set(texts).count == texts.count {
                return texts
            }
        }
        var used: Set<String> = []
        return whole.map { text in
            var (short, number) = (shortened(text, to: limit), 1)
            while !used.insert(short).inserted {
                number += 1
                let mark = "#\(number)"
                short = shortened(text, to: max(1, limit - mark.count)) + mark
            }
            return short
        }
    }

    /// Shortens a text to a width in its middle.
    private func shortenedInside(_ text: String, to limit: Int) -> String {
        guard text.displayWidth > limit, limit > ellipsis.count else {
            return text
        }
        let width = limit - ellipsis.count
        let tail = String(String(text.reversed()).split(atWidth: width / 2).head.reversed())
        return text.split(atWidth: width - width / 2).head + ellipsis + tail
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

extension TextStyle {
    /// Chooses width and characters from the terminal and `COLUMNS`, `LC_ALL`, `LC_CTYPE` and `LANG`.
    package init(columns: Int?, isInteractive: Bool, environment: [String: String]) {
        let named = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        let width = named ?? (isInteractive ? columns ?? 80 : TextStyle.document.width)
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let characters = locale.lowercased().filter { $0 != "-" }
        self.init(width: width, isASCII: !characters.contains("utf8"))
    }
}

extension String {
    /// The width in terminal columns.
    var displayWidth: Int {
        // Nearly all texts are ASCII, with one column per byte.
        utf8.allSatisfy({ $0 < 0x80 }) ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.displayWidth }
    }

    /// The longest prefix that fits into a width, and the rest.
    func split(atWidth width: Int) -> (head: String, tail: String) {
        var (index, used) = (startIndex, 0)
        while index < endIndex {
            let next = self.index(after: index)
            used += String(self[index..<next]).displayWidth
            guard used <= width else {
                break
            }
            index = next
        }
        return (String(self[..<index]), String(self[index...]))
    }
}

extension Unicode.Scalar {
    /// 2 for ideographs and emoji, 0 for combining marks.
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
        ]
        return wide.contains { $0.contains(value) } ? 2 : 1
    }
}
