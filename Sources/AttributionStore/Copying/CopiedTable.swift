import Attribution

/// A table with the same columns in both kinds of store, whose rows are copied as they are.
package struct CopiedTable: Sendable {
    /// How the values of a column are copied.
    package enum Kind: Sendable {
        case integer, text, recipient, bytes
        /// A count; PostgreSQL has several rows of them, to be added up.
        case count
        /// 16 bytes, or none for NULL.
        case digest
        /// The id of a postback, which the key of the postback replaces on its way; no bytes for NULL.
        case postback
    }

    package let name: String
    package let columns: [(name: String, kind: Kind)]
    /// Whether it has a column `id`, in whose order the rows are copied.
    package let hasID: Bool

    init(_ name: String, _ columns: KeyValuePairs<String, Kind>, hasID: Bool = false) {
        self.name = name
        self.columns = columns.map { (name: $0.key, kind: $0.value) }
        self.hasID = hasID
    }

    /// Copied before the postbacks by every run; rows that the target has stay.
    package static let first = [
        CopiedTable("known_id", ["digest": .digest]), CopiedTable("own_network", ["ad_network_id": .text]), appleKeys,
    ]

    /// First copies for other recipients than the recorded one, copied after the postbacks once the source has stopped.
    package static let otherRecipients = CopiedTable(
        "recipient_copy", ["id": .postback, "recipient": .recipient, "received_at": .integer], hasID: true)

    /// Copied once the source has stopped; they replace those of the target.
    package static let sums = [
        CopiedTable("own_network", ["ad_network_id": .text]), appleKeys,
        CopiedTable("imported_file", ["digest": .bytes, "bytes": .integer, "records": .integer]),
        CopiedTable(
            "delivery",
            [
                "quarter": .integer, "status": .text, "traffic": .text, "reason": .text,
                "recipient": .recipient, "count": .count, "kept": .count,
            ]),
        CopiedTable("repeat_delay", ["quarter": .integer, "delay": .integer, "count": .count]),
        quarantine, signedImpressions, spend,
    ]

    private static let quarantine = CopiedTable(
        "quarantine",
        [
            "class": .text, "received_at": .integer, "recipient": .recipient, "client": .text, "reason": .text,
            "detail": .text, "postback_id": .postback, "content": .digest, "traffic": .text, "body": .bytes,
        ], hasID: true)

    private static let signedImpressions = CopiedTable(
        "signed_impressions",
        [
            "ads": .text, "writer": .text, "sequence": .integer, "day": .integer, "network": .text, "app": .integer,
            "campaign_id": .integer, "source_identifier": .text, "count": .integer,
        ])

    private static let spend = CopiedTable(
        "spend",
        [
            "ads": .text, "day": .integer, "network": .text, "app": .integer, "campaign_id": .integer,
            "source_identifier": .text, "currency": .text, "micros": .integer,
        ])
}

/// A value on its way from one store to the other.
package enum CopiedValue: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    package var number: Int64 {
        if case .integer(let number) = self { number } else { 0 }
    }

    package var string: String {
        if case .text(let text) = self { text } else { "" }
    }

    package var data: [UInt8] {
        if case .bytes(let bytes) = self { bytes } else { [] }
    }
}

/// Rows of a table.
package struct CopiedPage: Sendable {
    package let table: CopiedTable
    /// The values of each row, in the order of the table's columns.
    package let rows: [[CopiedValue]]

    package init(_ table: CopiedTable, _ rows: [[CopiedValue]]) {
        self.table = table
        self.rows = rows
    }

    /// Replaces the keys of postbacks by the ids that they have in the target; 0 stands for NULL.
    ///
    /// Rows of postbacks that the target does not have are left out.
    package func resolved(_ ids: ([Digest16]) throws -> [Digest16: Int64]) rethrows -> [[CopiedValue]] {
        guard let column = table.columns.firstIndex(where: { $0.kind == .postback }) else {
            return rows
        }
        let keys = rows.map { $0[column].data.withUnsafeBytes { Digest16($0) } }
        let found = try ids(Array(Set(keys.compactMap(\.self))))
        let detail = table.columns.firstIndex { $0.name == "detail" }
        return zip(rows, keys).compactMap { row, key in
            var row = row
            guard let key else {
                row[column] = .integer(0)
                return row
            }
            guard let id = found[key] else {
                return nil
            }
            row[column] = .integer(id)
            if let detail {
                row[detail] = .text(QuarantinedBody.detail(ofConflictWith: id))
            }
            return row
        }
    }
}
