package import Attribution

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

/// How files are to be read.
package struct ImportOptions: Sendable {
    /// The form of the files; found out from their beginning when nil.
    package var input: ImportInput?
    /// When everything was received, in Unix milliseconds; nil when each record says it.
    package var received: Int64?
    /// The member or column with the time of receipt, when it has none of the usual names.
    package var receivedField: String?
    /// The member or column with the body, when it has none of the usual names.
    package var bodyField: String?
    /// Whose copies they are, where a record does not say it.
    package var recipient: Delivery.Recipient
    /// Times after it are refused, in Unix milliseconds.
    package var latest: Int64

    /// Makes options.
    package init(recipient: Delivery.Recipient = .network, latest: Int64) {
        self.recipient = recipient
        self.latest = latest
    }

    /// The usual names of the time of receipt, the most telling first.
    package static let receivedFields = [
        "received-at", "received", "receivedat", "arrival-time", "timestamp", "@timestamp", "time-iso8601",
        "time-local", "msec", "time", "datetime", "ts", "date",
    ]

    /// The usual names of the body.
    package static let bodyFields = ["body", "postback", "request-body", "raw-body", "payload", "raw"]

    /// The usual names of the path a request was sent to.
    static let pathFields = ["uri", "request-uri", "path", "request"]

    /// Names to look for: the one that was given, or the usual ones.
    func names(_ given: String?, or usual: [String]) -> [String] {
        given.map { [Self.normalized($0)] } ?? usual
    }

    /// A name without regard to letter case, spaces around it, and `_` for `-`.
    static func normalized(_ name: some StringProtocol) -> String {
        // By bytes: a file of a million records has ten million names.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        for byte in name.utf8 where byte != UInt8(ascii: " ") {
            switch byte {
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "-"))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
