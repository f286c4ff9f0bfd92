import Logging

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A log line: time, level, message, then the fields sorted by name.
struct LogLine {
    /// The longest line in bytes; a longer one is cut.
    static let limit = 8 * 1024

    /// The formatted line with its line feed.
    let bytes: [UInt8]

    init(time: timespec, level: Logger.Level, message: String, fields: Logger.Metadata, format: LogFormat) {
        let members = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        let time = Self.timestamp(time)
        bytes =
            switch format {
            case .text: Self.text(time, level, message, members)
            case .json: Self.json(time, level, message, members)
            }
    }

    // MARK: Text

    private static func text(
        _ time: String, _ level: Logger.Level, _ message: String, _ fields: [(name: String, value: String)]
    ) -> [UInt8] {
        var text = "\(time) \(level.rawValue) "
        append(message, to: &text, isQuoted: false)
        for (name, value) in fields {
            text += " \(name)="
            let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }
            if isPlain {
                text += value
            } else {
                text += "\""
                append(value, to: &text, isQuoted: true)
                text += "\""
            }
        }
        var bytes = Array(text.utf8)
        if bytes.count >= limit {
            bytes = Array(String(decoding: bytes.prefix(limit - 8), as: UTF8.self).utf8) + Array("…".utf8)
        }
        return bytes + [UInt8(ascii: "\n")]
    }

    /// Appends a text, escaped so that it stays on its line.
    private static func append(_ value: String, to text: inout String, isQuoted: Bool) {
        for scalar in value.unicodeScalars.prefix(limit) {
            switch scalar {
            case "\n": text += "\\n"
            case "\"" where isQuoted: text += "\\\""
            case "\\" where isQuoted: text += "\\\\"
            case " "..."~": text.unicodeScalars.append(scalar)
            default:
                if scalar.isShown {
                    text.unicodeScalars.append(scalar)
                } else {
                    text += "\\u{\(String(scalar.value, radix: 16))}"
                }
            }
        }
    }

    // MARK: JSON

    /// Reserved names that a field must not have.
    private static let ownNames: Set<String> = ["time", "level", "message"]

    /// One JSON object of strings; a value that would make it too long is cut, so that it stays valid.
    private static func json(
        _ time: String, _ level: Logger.Level, _ message: String, _ fields: [(name: String, value: String)]
    ) -> [UInt8] {
        var text = "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"message\":"
        appendJSON(message, to: &text, limit: limit / 2)
        for (name, value) in fields {
            // Room for the name, the punctuation and the end of the line.
            guard text.utf8.count + 6 * name.utf8.count + 32 < limit else {
                break
            }
            text += ","
            appendJSON(ownNames.contains(name) ? "field.\(name)" : name, to: &text, limit: limit)
            text += ":"
            appendJSON(value, to: &text, limit: limit - 8)
        }
        return Array((text + "}\n").utf8)
    }

    /// Appends a string, cut so that the text is not longer than the limit.
    private static func appendJSON(_ value: String, to text: inout String, limit: Int) {
        // Reserves two escapes, the ellipsis and the quotation mark.
        var remaining = limit - text.utf8.count - 17
        text += "\""
        for scalar in value.unicodeScalars {
            guard remaining > 0 else {
                text += "…"
                break
            }
            let piece: String
            switch scalar {
            case "\"", "\\": piece = "\\\(scalar)"
            case "\n": piece = "\\n"
            default:
                piece =
                    scalar.isShown
                    ? String(scalar)
                    : scalar.utf16.map { unit in
                        let digits = String(unit, radix: 16)
                        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    }.joined()
            }
            remaining -= piece.utf8.count
            text += piece
        }
        text += "\""
    }

    // MARK: Time

    /// The time in UTC: `2026-11-21T18:57:55.123Z`.
    private static func timestamp(_ time: timespec) -> String {
        var seconds = time.tv_sec
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let year = padded(Int(parts.tm_year) + 1900, 4)
        let day = [parts.tm_mon + 1, parts.tm_mday].map { "-" + padded(Int($0), 2) }.joined()
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }.joined(separator: ":")
        return "\(year)\(day)T\(clock).\(padded(Int(time.tv_nsec) / 1_000_000, 3))Z"
    }
}

extension String {
    /// The text with what a terminal does not show, but obeys, escaped; newlines and tabs are kept.
    package var shown: String {
        guard !unicodeScalars.allSatisfy({ $0.isShown || $0 == "\n" || $0 == "\t" }) else {
            return self
        }
        return unicodeScalars.map { scalar in
            scalar.isShown || scalar == "\n" || scalar == "\t"
                ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether it may be written as is: it does not move the cursor, hide text or change its direction.
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}

/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Time, level, message, then `key=value`: for people.
    case text
    /// One JSON object of strings per line: for programs.
    case json
}
