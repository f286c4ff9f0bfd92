import Logging

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// One line of the log: time, level, message, then the fields in the order of their names.
struct LogLine {
    /// The longest line in bytes; a longer one is cut.
    static let limit = 8 * 1024

    /// The line as it is written, with its line feed.
    let bytes: [UInt8]

    /// Writes a line.
    ///
    /// - Parameters:
    ///   - time: When it was logged, since 1970.
    ///   - level: Its level.
    ///   - message: What happened.
    ///   - fields: What else is known.
    init(time: timespec, level: Logger.Level, message: String, fields: Logger.Metadata) {
        var text = Self.timestamp(time)
        text += " \(level.rawValue) "
        Self.append(message, to: &text, isQuoted: false)
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            text += " \(name)="
            let value = value.description
            let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }
            if isPlain {
                text += value
            } else {
                text += "\""
                Self.append(value, to: &text, isQuoted: true)
                text += "\""
            }
        }
        var bytes = Array(text.utf8)
        if bytes.count >= Self.limit {
            bytes = Array(String(decoding: bytes.prefix(Self.limit - 8), as: UTF8.self).utf8) + Array("…".utf8)
        }
        self.bytes = bytes + [UInt8(ascii: "\n")]
    }

    /// Appends a text so that it stays on its line and cannot pass for another one.
    private static func append(_ value: String, to text: inout String, isQuoted: Bool) {
        for scalar in value.unicodeScalars.prefix(limit) {
            switch scalar {
            case "\n": text += "\\n"
            case "\"" where isQuoted: text += "\\\""
            case "\\" where isQuoted: text += "\\\\"
            case " "..."~": text.unicodeScalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                    text += "\\u{\(String(scalar.value, radix: 16))}"
                default:
                    text.unicodeScalars.append(scalar)
                }
            }
        }
    }

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
