import Attribution
package import AttributionStore
import Foundation
import StrictJSON

/// A recorded postback as one row of an export.
///
/// Fields have the same names as in reports, and types: identifiers are strings, also where they have digits alone, a
/// missing value is null in JSON and empty in CSV. As a value may be absent or null, and fine or coarse, `conversion-kind`
/// says which, and the values have columns of their own.
package struct ExportedPostback: Sendable {
    fileprivate let values: [JSONText]
    fileprivate let body: [UInt8]?
    private let received: ReceivedPostback?
    private let receivedAtMilliseconds: Int64
    private let recipient: Delivery.Recipient

    package init(_ postback: RecordedPostback, at position: LedgerPosition) {
        body = postback.body
        let received = postback.body.flatMap { try? ReceivedPostback(reading: $0) }
        self.received = received
        receivedAtMilliseconds = postback.receivedAtMilliseconds
        recipient = postback.recipient
        values =
            [
                .string(position.description),
                .string(Moment(milliseconds: postback.recordedAtMilliseconds).preciseText),
                .string(Moment(milliseconds: postback.receivedAtMilliseconds).preciseText),
                .string(postback.traffic.rawValue), .string(postback.recipient.rawValue), .string(postback.keyName),
                (received?.key.transactionID.text).map(JSONText.string) ?? .null,
                received.flatMap(\.didWin).map(JSONText.bool) ?? .null,
            ]
            + Self.dimensions.flatMap { dimension in
                dimension == .conversionValue
                    ? Self.cells(received?.conversion) : [received.map { Self.cell(dimension, $0) } ?? .null]
            }
    }

    private static let dimensions = ReportDimension.allCases.filter { !$0.isTime && $0 != .recipient }

    fileprivate static let names =
        [
            "position", "recorded-at", "received-at", "provenance", "recipient", "verified-by", "transaction-id",
            "did-win",
        ]
        + dimensions.flatMap { dimension in
            dimension == .conversionValue
                ? [
                    "conversion-kind", PostbackField.conversionValue.rawValue,
                    PostbackField.coarseConversionValue.rawValue,
                ]
                : [dimension.rawValue]
        }

    private static func cell(_ dimension: ReportDimension, _ postback: ReceivedPostback) -> JSONText {
        let text = dimension.value(of: postback)
        return switch dimension {
        case .redownload: Bool(text).map(JSONText.bool) ?? .null
        case .fidelity, .sequenceIndex: Int64(text).map(JSONText.integer) ?? .null
        default: text.isEmpty ? .null : .string(text)
        }
    }

    /// The kind of a conversion, its fine value and its coarse one; without a kind, the bytes are damaged.
    private static func cells(_ conversion: Conversion?) -> [JSONText] {
        switch conversion {
        case nil: [.null, .null, .null]
        case .fine(let value): [.string("fine"), .integer(Int64(value)), .null]
        case .coarse(let value): [.string("coarse"), .null, .string(value.rawValue)]
        case .absent, .null, .invalid: [.string(conversion?.description ?? ""), .null, .null]
        }
    }
}

extension ExportedPostback {
    /// Whether it was received on the days of a request, and meets its conditions; nil if the bytes that would tell are
    /// damaged.
    package func isSelected(by request: ReportRequest) -> Bool? {
        guard request.received?.contains(receivedAtMilliseconds) ?? true else {
            return false
        }
        var isUnknown = false
        for condition in request.conditions {
            guard let value = value(of: condition.dimension) else {
                isUnknown = true
                continue
            }
            guard condition.values.contains(value) != condition.isExcluded else {
                return false
            }
        }
        return isUnknown ? nil : true
    }

    private func value(of dimension: ReportDimension) -> String? {
        dimension == .recipient ? recipient.rawValue : received.map { dimension.value(of: $0) }
    }
}

package enum ExportFormat: String, CaseIterable, Hashable, Sendable {
    /// One JSON object per line.
    case ndjson
    /// Rows with a header line, RFC 4180.
    case csv
}

/// How the rows of an export are written.
package struct ExportLayout: Sendable {
    private let format: ExportFormat
    private let hasBody: Bool
    private let names: [String]

    /// Creates a layout; names in snake case, such as `received_at`, need no quotes in SQL.
    package init(_ format: ExportFormat, hasBody: Bool, isSnakeCase: Bool = false) {
        self.format = format
        self.hasBody = hasBody
        names = (ExportedPostback.names + (hasBody ? ["body"] : [])).map {
            isSnakeCase ? $0.replacing("-", with: "_") : $0
        }
    }

    /// The line before the rows, with its line break; empty in a format without one.
    package var header: String {
        switch format {
        case .ndjson: ""
        case .csv: names.joined(separator: ",") + "\r\n"
        }
    }

    /// The row of a postback, with its line break; a damaged body is null.
    package func line(of postback: ExportedPostback) -> String {
        let body = postback.body.map { JSONText.string(String(decoding: $0, as: UTF8.self)) } ?? .null
        let values = postback.values + (hasBody ? [body] : [])
        switch format {
        case .ndjson: return JSONText.object(zip(names, values).map { ($0, $1) }).line + "\n"
        case .csv: return values.map(\.csvCell).joined(separator: ",") + "\r\n"
        }
    }
}

extension JSONText {
    /// The value as a CSV cell; empty for null.
    fileprivate var csvCell: String {
        switch self {
        case .string(let text): text.csvCell
        case .integer(let number): String(number)
        case .bool(let value): value ? "true" : "false"
        default: ""
        }
    }
}
