import Attribution

/// Takes lines of access logs apart: with the time in brackets and the body in quotes, as nginx and Apache escape it.
///
/// Read are nginx' `$request_body` with its default escaping (`\x22`) and with `escape=none`, and Apache's (`\"`). With
/// `escape=json` a log is NDJSON.
struct LogRecords: Sendable {
    let options: ImportOptions

    func read(_ line: [UInt8]) throws(ImportRecord.Problem) -> ImportRecord {
        let quoted = Self.quoted(line)
        let request = quoted.lazy.map { Self.request(line[$0]) }.first { $0 != nil }.flatMap(\.self)
        guard request.map({ $0.method == "POST" }) ?? true else {
            return .withoutBody
        }
        guard let body = Self.body(line, quoted) else {
            guard !Self.beginsBody(line) else {
                throw .malformed("the body begins and does not end: the line was cut off, or its quoting was")
            }
            return .withoutBody
        }
        let time = Self.time(line)
        return .delivery(
            body: body, receivedAtMilliseconds: try options.time(time, name: time == nil ? nil : "the time"),
            recipient: options.recipient(path: request?.path ?? ""))
    }

    // MARK: Parts of a line

    /// What is between quotes; a backslash hides the byte after it.
    private static func quoted(_ line: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start: Int?
        var index = 0
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\\") where start != nil:
                index += 1
            case UInt8(ascii: "\""):
                if let begun = start {
                    ranges.append(begun..<index)
                    start = nil
                } else {
                    start = index + 1
                }
            default: break
            }
            index += 1
        }
        return ranges
    }

    /// The method and path of `POST /path HTTP/1.1`; nil for anything else.
    private static func request(_ bytes: ArraySlice<UInt8>) -> (method: String, path: String)? {
        let words = bytes.split(separator: UInt8(ascii: " "))
        guard words.count == 3, words[2].starts(with: "HTTP/".utf8) else {
            return nil
        }
        return (String(decoding: words[0], as: UTF8.self), String(decoding: words[1], as: UTF8.self))
    }

    /// The body; nil for a line that has none.
    private static func body(_ line: [UInt8], _ quoted: [Range<Int>]) -> [UInt8]? {
        for range in quoted {
            let isObject = line[range].starts(with: "{".utf8) || line[range].starts(with: "\\x7B".utf8)
            if isObject, let text = unescaped(line[range]), text.last == UInt8(ascii: "}") {
                return text
            }
        }
        // Without escaping, quotes do not tell where it ends.
        guard let start = line.indices.first(where: { line[$0...].starts(with: "{\"".utf8) }),
            let end = line.lastIndex(of: UInt8(ascii: "}")), end > start
        else {
            return nil
        }
        return Array(line[start...end])
    }

    /// Whether a JSON object begins on the line.
    private static func beginsBody(_ line: [UInt8]) -> Bool {
        ["{\"", "{\\\"", "{\\x22", "\\x7B\\x22"].contains { beginning in
            line.indices.contains { line[$0...].starts(with: beginning.utf8) }
        }
    }

    /// A text with its escapes decoded, without white space at its end; nil for an escape that is none.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            guard index < bytes.endIndex else {
                return nil
            }
            let sign = bytes[index]
            index += 1
            switch sign {
            case UInt8(ascii: "x"):
                guard index + 1 < bytes.endIndex, let high = digit(bytes[index]), let low = digit(bytes[index + 1])
                else {
                    return nil
                }
                result.append(high << 4 | low)
                index += 2
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            default: result.append(sign)
            }
        }
        while let last = result.last, last == 0x20 || last == 0x09 || last == 0x0A || last == 0x0D {
            result.removeLast()
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The first time in brackets, or the line's first word when it is one.
    private static func time(_ line: [UInt8]) -> String? {
        if let time = ReceiptTime.firstInBrackets(line[...]) {
            return String(decoding: time, as: UTF8.self)
        }
        let word = line.prefix { $0 != UInt8(ascii: " ") }
        return ReceiptTime.milliseconds(word) == nil ? nil : String(decoding: word, as: UTF8.self)
    }
}
