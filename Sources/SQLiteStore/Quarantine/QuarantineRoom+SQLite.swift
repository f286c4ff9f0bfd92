import Attribution
import AttributionStore
import GRDB

extension QuarantineRoom {
    /// Reads the totals, and what the newest hour has used up.
    mutating func load(_ db: Database) throws {
        var totals: [QuarantineClass: Used] = [:]
        var hour = (number: Int64(0), used: [(kind: QuarantineClass, client: String, used: Used)]())
        try Self.readTotals(db, into: &totals)
        try Self.readHour(db, into: &hour)
        replace(totals: totals, hour: hour)
    }

    private static func readTotals(_ db: Database, into totals: inout [QuarantineClass: Used]) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT class, count, bytes FROM quarantine_total")
        while let row = try rows.next() {
            if let (kind, used) = used(row, class: 0, rows: 1, bytes: 2) {
                totals[kind] = used
            }
        }
    }

    private static func readHour(
        _ db: Database,
        into hour: inout (number: Int64, used: [(kind: QuarantineClass, client: String, used: Used)])
    ) throws {
        guard let newest = try Int64.fetchOne(db, sql: "SELECT max(received_at) FROM quarantine") else {
            return
        }
        hour.number = newest.dividedRoundingDown(by: hourMilliseconds)
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT class, client, count(*), sum(length(body)) FROM quarantine WHERE received_at >= ?
                GROUP BY class, client
                """, arguments: [hour.number * hourMilliseconds])
        while let row = try rows.next() {
            if let (kind, used) = used(row, class: 0, rows: 2, bytes: 3), let client = try? row.text(1) {
                hour.used.append((kind, client, used))
            }
        }
    }

    /// Reads totals from a row; nil for a class that is unknown.
    private static func used(_ row: Row, class index: Int, rows: Int, bytes: Int) -> (QuarantineClass, Used)? {
        guard let kind: QuarantineClass = try? row.word(index), let rows = try? row.integer(rows),
            let bytes = try? row.integer(bytes)
        else {
            return nil
        }
        return (kind, Used(rows: rows, bytes: bytes))
    }
}
