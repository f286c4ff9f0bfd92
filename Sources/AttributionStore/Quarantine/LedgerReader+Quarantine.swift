import Attribution
import GRDB

extension LedgerReader {
    /// Deliveries in the quarantine, in the order of their ids.
    ///
    /// - Throws: ``StoreError``.
    public func quarantine(_ query: QuarantineQuery) async throws -> [QuarantinedDelivery] {
        try await read { try query.deliveries($0) }
    }

    /// How much there is of each class.
    ///
    /// - Throws: ``StoreError``.
    public func quarantineTotals() async throws -> [QuarantineTotal] {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT class, count, bytes FROM quarantine_total ORDER BY class")
            return rows.compactMap { row in
                QuarantineClass(rawValue: row[0]).map { QuarantineTotal(kind: $0, count: row[1], bytes: row[2]) }
            }
        }
    }
}

extension QuarantineQuery {
    /// The deliveries asked for.
    func deliveries(_ db: Database) throws -> [QuarantinedDelivery] {
        let (condition, arguments) = condition
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, class, received_at, recipient, client, reason, detail, postback_id, body FROM quarantine
                WHERE \(condition) ORDER BY id LIMIT ?
                """, arguments: arguments + [limit])
        return try rows.compactMap { row in
            guard let kind = QuarantineClass(rawValue: row[1]), let recipient = Delivery.Recipient(rawValue: row[3])
            else {
                return nil
            }
            return QuarantinedDelivery(
                id: row[0], kind: kind, receivedAtMilliseconds: row[2], recipient: recipient, client: row[4],
                reason: row[5], detail: row[6], postbackID: row[7], body: try row.bytes(at: 8))
        }
    }

    /// All conditions but the limit, as SQL.
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
