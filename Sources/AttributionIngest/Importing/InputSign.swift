import Attribution
import StrictJSON

/// What tells the form of a file, at its beginning.
enum InputSign {
    /// Finds out what a file is.
    ///
    /// - Parameters:
    ///   - head: Its first bytes, without a byte order mark.
    ///   - name: Its name, for messages.
    /// - Returns: Its form.
    /// - Throws: ``ImportFailure`` for what is none of the forms.
    static func input(of head: [UInt8], name: String) throws(ImportFailure) -> ImportInput {
        try refuse(head, name)
        let text = head.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard let first = text.first else {
            // Nothing in it is nothing to do.
            return .ndjson
        }
        let line = text.prefix { $0 != 0x0A }
        switch first {
        case UInt8(ascii: "{"):
            let isWhole = (try? JSONObject(reading: line, limit: RawRecord.longest)) != nil
            return isWhole ? .ndjson : .json
        case UInt8(ascii: "[") where !isTime(line):
            return .json
        default:
            break
        }
        let words = String(decoding: line, as: UTF8.self)
        if words.contains(" HTTP/") || isTime(line) {
            return .log
        }
        let names = CSVHeader(Array(line)).names
        let known = Set(
            ImportOptions.bodyFields + ImportOptions.receivedFields + PostbackField.allCases.map(\.rawValue))
        guard names.contains(where: known.contains) else {
            throw ImportFailure(
                "cannot tell what \(name) is: it begins with \(words.shortened(to: 40))",
                hint: "--input says it: one of \(ImportInput.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return .csv
    }

    /// Whether a line has a time of an access log in brackets.
    private static func isTime(_ line: ArraySlice<UInt8>) -> Bool {
        var rest = line
        while let open = rest.firstIndex(of: UInt8(ascii: "[")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: "]"))
        {
            if close - open <= 41, ReceiptTime.milliseconds(rest[(open + 1)..<close]) != nil {
                return true
            }
            rest = rest[(open + 1)...]
        }
        return false
    }

    private static func refuse(_ head: [UInt8], _ name: String) throws(ImportFailure) {
        if head.starts(with: [0x1F, 0x8B]) {
            throw ImportFailure("\(name) is compressed by gzip", hint: "gzip -dk \(name)")
        }
        if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            throw ImportFailure("\(name) is compressed by zstd", hint: "zstd -dk \(name)")
        }
        if head.starts(with: "PK\u{3}\u{4}".utf8) {
            throw ImportFailure("\(name) is a ZIP archive", hint: "unzip \(name)")
        }
        if head.starts(with: "SQLite format 3\0".utf8) {
            throw ImportFailure(
                "\(name) is a database", hint: "skan export --store \(name) --bodies > postbacks.ndjson")
        }
    }
}
