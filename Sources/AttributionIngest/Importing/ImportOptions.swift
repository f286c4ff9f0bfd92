package import Attribution
import StrictJSON

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
        given.map { [CSVHeader.normalized($0)] } ?? usual
    }

    /// The time a record gives, or the one that holds for all.
    func time(_ text: String?, name: String?) throws(ImportRecord.Problem) -> Int64 {
        if let received {
            return received
        }
        guard let text, let name, !text.isEmpty else {
            throw .noTime(names: names(receivedField, or: Self.receivedFields))
        }
        guard let time = ReceiptTime.milliseconds(text.utf8), time >= ReceiptTime.earliest, time <= latest else {
            throw .strangeTime(name: name, found: text.shortened(to: 40))
        }
        return time
    }

    /// Whose copy a request to a path brought.
    func recipient(path: some StringProtocol) -> Delivery.Recipient {
        // The one path that nobody chooses: Apple's devices send developers' copies there.
        path.contains("/report-attribution") ? .developer : recipient
    }
}
