import Attribution
package import AttributionStore
import Foundation
import StrictJSON

/// A recorded postback as one row of an export.
///
/// Fields have the same names as in reports; a missing value is null in JSON and empty in CSV.
package struct ExportedPostback: Sendable {
    private let values: [String?]
    private let body: [UInt8]?

    package init(_ postback: RecordedPostback, at position: LedgerPosition) {
        body = postback.body
        let received = postback.body.flatMap { try? ReceivedPostback(reading: $0) }
        values =
            [
                position.description, Moment(milliseconds: postback.recordedAtMilliseconds).preciseText,
                Moment(milliseconds: postback.receivedAtMilliseconds).preciseText,
                postback.traffic.rawValue, postback.recipient.rawValue, postback.keyName,
                received?.key.transactionID.text, received.flatMap(\.didWin).map { String($0) },
            ]
            + Self.dimensions.map { dimension in
                received.map { dimension.value(of: $0) }.flatMap { $0.isEmpty ? nil : $0 }
            }
    }

    private static let dimensions = ReportDimension.allCases.filter { !$0.isTime && $0 != .recipient }

    package static let names =
        [
            "position", "recorded-at", "received-at", "provenance", "recipient", "verified-by", "transaction-id",
            "did-win",
        ] + dimensions.map(\.rawValue)

    /// The row as a line with its line break; a damaged body is null.
    package func line(as format: ExportFormat, hasBody: Bool) -> String {
        let body = body.map { String(decoding: $0, as: UTF8.self) }
        switch format {
        case .ndjson:
            let members = zip(Self.names, values).map { ($0, $1.map(JSONText.string) ?? .null) }
            return JSONText.object(members + (hasBody ? [("body", body.map(JSONText.string) ?? .null)] : [])).line
                + "\n"
        case .csv:
            let cells = values.map { $0 ?? "" } + (hasBody ? [body ?? ""] : [])
            return cells.map(\.csvCell).joined(separator: ",") + "\r\n"
        }
    }

    package static func header(as format: ExportFormat, hasBody: Bool) -> String {
        switch format {
        case .ndjson: ""
        case .csv: (names + (hasBody ? ["body"] : [])).joined(separator: ",") + "\r\n"
        }
    }
}

package enum ExportFormat: String, CaseIterable, Hashable, Sendable {
    /// One JSON object per line.
    case ndjson
    /// Rows with a header line, RFC 4180.
    case csv
}
