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
            try Row.fetchAll(db, sql: "SELECT class, count, bytes FROM quarantine_total ORDER BY class").map { row in
                QuarantineTotal(kind: try row.word(0), count: try row.integer(1), bytes: try row.integer(2))
            }
        }
    }
}

extension QuarantineQuery {
    /// The matching deliveries.
    func deliveries(_ db: Database) throws -> [QuarantinedDelivery] {
        let (condition, arguments) = condition
        return try Row.fetchAll(
            db,
            sql: """
                SELECT id, class, received_at, recipient, client, reason, detail, postback_id, body FROM quarantine
                WHERE \(condition) ORDER BY id LIMIT ?
                """, arguments: arguments + [limit]
        ).map { row in
            QuarantinedDelivery(
                id: try row.integer(0), kind: try row.word(1), receivedAtMilliseconds: try row.integer(2),
                recipient: try row.word(3), client: try row.text(4), reason: try row.text(5),
                detail: try row.text(6), postbackID: try row.optional(7), body: try row.bytes(at: 8))
        }
    }

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

extension QuarantineRoom {
    /// Reads the totals, and what the newest hour has used up.
    mutating func load(_ db: Database) throws {
        var totals: [QuarantineClass: Used] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT class, count, bytes FROM quarantine_total") {
            totals[try row.word(0)] = Used(rows: try row.integer(1), bytes: try row.integer(2))
        }
        let newest = try Int64.fetchOne(db, sql: "SELECT max(received_at) FROM quarantine") ?? 0
        let hour = newest.dividedRoundingDown(by: Self.hourMilliseconds)
        let used = try Row.fetchAll(
            db,
            sql: """
                SELECT class, traffic, client, count(*), sum(length(body)) FROM quarantine WHERE received_at >= ?
                GROUP BY class, traffic, client
                """, arguments: [hour * Self.hourMilliseconds]
        ).map { row -> (budget: Budget, client: String, used: Used) in
            (
                Budget(try row.word(0), Traffic(rawValue: try row.text(1))), try row.text(2),
                Used(rows: try row.integer(3), bytes: try row.integer(4))
            )
        }
        replace(totals: totals, hour: (hour, used))
    }
}
