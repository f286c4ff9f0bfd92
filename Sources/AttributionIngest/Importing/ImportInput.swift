import Attribution
import AttributionExplaining
import StrictJSON

/// The forms of files that postbacks are imported from.
package enum ImportInput: String, CaseIterable, Hashable, Sendable {
    /// An object a line.
    case ndjson
    /// Objects over several lines, or arrays of objects.
    case json
    /// Rows with a header, RFC 4180; also with semicolons or tabs.
    case csv
    /// An access log of a web server with the body of each request.
    case log

    /// Whether records are lines, whose numbers are those of an editor.
    var hasLines: Bool {
        self != .json
    }

    /// What one of its records is called in messages.
    var recordName: String {
        hasLines ? "line" : "record"
    }
}

extension ImportInput {
    /// Finds out what a file is.
    ///
    /// - Parameters:
    ///   - head: Its first bytes, without a byte order mark.
    ///   - name: Its name, for messages.
    /// - Throws: ``Refusal`` for what is none of the forms.
    init(of head: [UInt8], name: String) throws(Refusal) {
        let text = head.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard let first = text.first else {
            // Nothing in it is nothing to do.
            self = .ndjson
            return
        }
        let line = text.prefix { $0 != 0x0A }
        let hasTime = ReceiptTime.firstInBrackets(line) != nil
        if first == UInt8(ascii: "{") {
            self = (try? JSONObject(reading: line, limit: RawRecord.longest)) == nil ? .json : .ndjson
            return
        }
        let words = String(decoding: line, as: UTF8.self)
        guard first != UInt8(ascii: "[") || hasTime else {
            self = .json
            return
        }
        guard !words.contains(" HTTP/"), !hasTime else {
            self = .log
            return
        }
        let names = CSVHeader(Array(line)).names
        let known = Set(
            ImportOptions.bodyFields + ImportOptions.receivedFields + PostbackField.allCases.map(\.rawValue))
        guard names.contains(where: known.contains) || FieldNames(names).arePlausible else {
            throw Refusal(
                .malformedFile, "cannot tell what \(name) is: it begins with \(words.shortened(to: 40))",
                hint: "--input says it: one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = .csv
    }

    /// Refuses what has to be unpacked or converted first, whatever form was named.
    static func refuse(_ head: [UInt8], _ name: String) throws(Refusal) {
        // Without a byte order mark, every second byte of ASCII is 0.
        let zeros = head.prefix(4).enumerated().filter { $0.element == 0 }.map(\.offset)
        let isLittle = head.starts(with: [0xFF, 0xFE]) || zeros == [1, 3]
        if isLittle || head.starts(with: [0xFE, 0xFF]) || zeros == [0, 2] {
            throw Refusal(
                .malformedFile, "\(name) is in UTF-16, as Excel writes Unicode text",
                hint: "iconv -f UTF-16\(isLittle ? "LE" : "BE") -t UTF-8 \(name) > NEW")
        }
        if head.starts(with: "sep=".utf8), head.prefix(8).contains(0x0A) {
            throw Refusal(
                .malformedFile, "\(name) begins with the line sep=, which Excel reads, instead of a header",
                hint: "tail -n +2 \(name) > NEW")
        }
        if head.starts(with: [0x1F, 0x8B]) {
            throw Refusal(.malformedFile, "\(name) is compressed by gzip", hint: "gzip -dk \(name)")
        }
        if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            throw Refusal(.malformedFile, "\(name) is compressed by zstd", hint: "zstd -dk \(name)")
        }
        if head.starts(with: "PK\u{3}\u{4}".utf8) {
            throw Refusal(.malformedFile, "\(name) is a ZIP archive", hint: "unzip \(name)")
        }
        if head.starts(with: "SQLite format 3\0".utf8) {
            throw Refusal(
                .malformedFile, "\(name) is a database", hint: "skan export --store \(name) --bodies > postbacks.ndjson"
            )
        }
    }
}
