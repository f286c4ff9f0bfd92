import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Returns deliveries in the quarantine, in ascending order of ids.
    package func quarantine(_ query: QuarantineQuery) async throws -> [QuarantinedDelivery] {
        try await read { try query.deliveries($0) }
    }

    /// Returns the number and size of the bodies of each class.
    package func quarantineTotals() async throws -> [QuarantineTotal] {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT class, count, bytes FROM quarantine_total ORDER BY class")
            return rows.compactMap { row in
                try? QuarantineTotal(kind: row.word(0), count: row.integer(1), bytes: row.integer(2))
            }
        }
    }
}

extension QuarantineQuery {
    /// The matching deliveries.
    func deliveries(_ db: Database) throws -> [QuarantinedDelivery] {
        try rows(db).compactMap { try? QuarantinedDelivery($0) }
    }

    /// The rows of the matching deliveries, of which some may be damaged.
    func rows(_ db: Database) throws -> [Row] {
        let (condition, arguments) = condition
        return try Row.fetchAll(
            db,
            sql: """
                SELECT id, class, received_at, recipient, client, reason, detail, postback_id, body FROM quarantine
                WHERE \(condition) ORDER BY id LIMIT ?
                """, arguments: arguments + [limit])
    }

    /// The conditions as SQL.
    private var condition: (sql: String, arguments: StatementArguments) {
        var conditions = ["id > ?"]
        var arguments: StatementArguments = [after]
        func add(_ sql: String, _ value: (any DatabaseValueConvertible)?) {
            if let value {
                conditions.append(sql)
                arguments += [value]
            }
        }
        add("class = ?", kind?.rawValue)
        add("reason = ?", reason)
        add("id = ?", id)
        add("received_at < ?", before)
        return (conditions.joined(separator: " AND "), arguments)
    }
}

extension QuarantinedDelivery {
    /// Reads a row.
    init(_ row: Row) throws {
        self.init(
            id: try row.integer(0), kind: try row.word(1), receivedAtMilliseconds: try row.integer(2),
            recipient: try row.word(3),
            client: try row.text(4), reason: try row.text(5), detail: try row.text(6), postbackID: try row.optional(7),
            body: try row.bytes(at: 8))
    }
}
