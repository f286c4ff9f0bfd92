package import AttributionStore
import GRDB

/// The tables of destinations, made when they are first needed: releases that do not know them open the file all the
/// same.
enum DestinationTables {
    static let sql = """
        -- How far each destination has come; ids are those of postbacks, and times Unix milliseconds.
        CREATE TABLE IF NOT EXISTS destination (
            name TEXT PRIMARY KEY,
            start_id INTEGER NOT NULL, -- after which it began
            last_id INTEGER NOT NULL, -- up to which everything is done with
            last_recorded_at INTEGER NOT NULL, -- of that postback, as its digest: ids are given out again after a restore
            last_check INTEGER,
            state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'gone')),
            failure_run INTEGER NOT NULL DEFAULT 0,
            last_success_at INTEGER,
            last_failure_at INTEGER,
            last_failure TEXT NOT NULL DEFAULT ''
        ) STRICT, WITHOUT ROWID;

        -- Postbacks that a destination did not take.
        CREATE TABLE IF NOT EXISTS destination_postback (
            destination TEXT NOT NULL,
            id INTEGER NOT NULL,
            recorded_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER, -- NULL: parked
            attempted_at INTEGER NOT NULL,
            status INTEGER,
            text TEXT NOT NULL,
            PRIMARY KEY (destination, id)
        ) STRICT, WITHOUT ROWID;

        """

    static let imports = """
        -- Ranges of ids that came by import or from another store: history, which is not forwarded.
        CREATE TABLE IF NOT EXISTS imported_range (
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL
        ) STRICT;

        """
}

extension SQLiteLedgerWriter: DestinationWriting {
    /// Takes destinations; see ``AttributionStore/DestinationWriting/claim(_:)``.
    package func claim(_ names: [String]) throws -> [StoredDestination] {
        try database.write(decidesHealth: false) { db in
            if try !db.tableExists("destination") {
                try db.execute(sql: DestinationTables.sql)
            }
            let known = Set(try String.fetchAll(db, sql: "SELECT name FROM destination"))
            for name in names where !known.contains(name) {
                try db.execute(
                    sql: """
                        INSERT INTO destination (name, start_id, last_id, last_recorded_at, last_check, state)
                        VALUES (?1, ?2, ?2, 0, NULL, 'running')
                        """, arguments: [name, try LedgerScan.lastPostback(db)])
            }
            return try StoredDestination.all(db).filter { names.contains($0.name) }.map { destination in
                guard try !destination.cursor.isKnown(db) else {
                    return destination
                }
                var destination = destination
                try db.execute(
                    sql: """
                        UPDATE destination SET last_id = min(start_id, ?2), last_recorded_at = 0, last_check = NULL
                        WHERE name = ?1
                        """, arguments: [destination.name, try LedgerScan.lastPostback(db)])
                let id = try Int64.fetchOne(
                    db, sql: "SELECT last_id FROM destination WHERE name = ?", arguments: [destination.name])
                destination.cursor = FeedCursor(id: id ?? 0, order: id ?? 0, recordedAtMilliseconds: 0, check: nil)
                return destination
            }
        }
    }

    /// Saves progress; see ``AttributionStore/DestinationWriting/save(_:)``.
    package func save(_ progress: DestinationProgress) throws -> Bool {
        try database.write(decidesHealth: false) { db in
            let saved = try StoredDestination.all(db).first { $0.name == progress.name }
            guard let saved, saved.cursor == progress.from, try progress.to.isKnown(db) else {
                return false
            }
            try db.execute(
                sql: """
                    UPDATE destination SET
                        last_id = ?, last_recorded_at = ?, last_check = ?, failure_run = ?,
                        last_success_at = coalesce(?, last_success_at), last_failure_at = coalesce(?, last_failure_at),
                        last_failure = CASE WHEN ? = '' THEN last_failure ELSE ? END,
                        state = CASE WHEN ? AND state = 'running' THEN 'gone' ELSE state END
                    WHERE name = ?
                    """,
                arguments: [
                    progress.to.id, progress.to.recordedAtMilliseconds, progress.to.check.map { Int64($0) },
                    progress.failureRun, progress.lastSuccessAt, progress.lastFailureAt, progress.lastFailure,
                    progress.lastFailure, progress.isGone, progress.name,
                ])
            for id in progress.settled {
                try db.execute(
                    sql: "DELETE FROM destination_postback WHERE destination = ? AND id = ?",
                    arguments: [progress.name, id])
            }
            for failed in progress.failed.values {
                try failed.write(of: progress.name, db)
            }
            if progress.wakes {
                try db.execute(
                    sql: """
                        UPDATE destination_postback SET due_at = 0 WHERE destination = ? AND due_at IS NOT NULL
                        """, arguments: [progress.name])
            }
            return true
        }
    }

    /// Changes the state; see ``AttributionStore/DestinationWriting/setState(of:to:)``.
    package func setState(of name: String, to state: DestinationState) throws -> Bool {
        try database.write(decidesHealth: false) { db in
            guard try db.tableExists("destination") else {
                return false
            }
            try db.execute(
                sql: "UPDATE destination SET state = ?, failure_run = 0 WHERE name = ?",
                arguments: [state.rawValue, name])
            guard db.changesCount > 0 else {
                return false
            }
            if state == .running {
                try db.execute(
                    sql: "UPDATE destination_postback SET due_at = 0, attempts = 0 WHERE destination = ?",
                    arguments: [name])
            }
            return true
        }
    }
}

extension SQLiteLedgerReader {
    /// How far destinations have come; see ``AttributionStore/DestinationReading/forwardingStatus()``.
    package func forwardingStatus() async throws -> ForwardingStatus {
        try await read { db in
            let newest = try LedgerScan.lastPostback(db)
            return ForwardingStatus(
                destinations: try StoredDestination.all(db).map { destination in
                    let last = destination.cursor.id
                    var imported: Int64 = 0
                    if try db.tableExists("imported_range") {
                        imported =
                            try Int64.fetchOne(
                                db,
                                sql: "SELECT sum(last - max(first - 1, ?1)) FROM imported_range WHERE last > ?1",
                                arguments: [last]) ?? 0
                    }
                    let first = try imported == newest - last ? nil : FeedPage.first(after: last, db)
                    return .init(
                        destination: destination, count: max(0, newest - last - imported), oldestAt: first)
                })
        }
    }

    /// Postbacks behind a cursor; see ``AttributionStore/DestinationReading/feed(after:limit:bytes:)``.
    package func feed(after cursor: FeedCursor, limit: Int, bytes: Int) async throws -> FeedPage {
        try await read { try FeedPage(after: cursor, limit: limit, bytes: bytes, $0) }
    }

    /// Postbacks that were not taken; see ``AttributionStore/DestinationReading/failedForwardings(of:due:limit:)``.
    package func failedForwardings(of name: String, due: Int64?, limit: Int) async throws -> [FailedForwarding] {
        try await read { db in
            guard try db.tableExists("destination_postback") else {
                return []
            }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT id, recorded_at, attempts, due_at, attempted_at, status, text FROM destination_postback
                    WHERE destination = ?1 AND (?2 IS NULL OR due_at <= ?2)
                    ORDER BY due_at IS NULL, due_at, id LIMIT ?3
                    """, arguments: [name, due, limit]
            ).map { try FailedForwarding($0) }
        }
    }
}

extension FeedPage {
    /// When the first postback behind an id was recorded that is not imported; nil for none.
    fileprivate static func first(after id: Int64, _ db: Database) throws -> Int64? {
        try FeedPage(
            after: FeedCursor(id: id, order: id, recordedAtMilliseconds: 0, check: nil), limit: 1, bytes: 1, db
        )
        .postbacks.first?.postback.recordedAtMilliseconds
    }

    /// Reads a page, from behind imported ranges up to the next one.
    fileprivate init(after cursor: FeedCursor, limit: Int, bytes: Int, _ db: Database) throws {
        var (after, next) = (cursor.id, Int64.max)
        if try db.tableExists("imported_range") {
            while let last = try Int64.fetchOne(
                db, sql: "SELECT max(last) FROM imported_range WHERE first <= ?1 + 1 AND last > ?1", arguments: [after])
            {
                after = last
            }
            next =
                try Int64.fetchOne(
                    db, sql: "SELECT min(first) FROM imported_range WHERE first > ?", arguments: [after]) ?? next
        }
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT \(RecordedPostback.columns), (SELECT body FROM postback_body AS b WHERE b.id = postback.id)
                    FROM postback WHERE id > ? AND id < ? ORDER BY id LIMIT ?
                    """), arguments: [after, next, limit])
        var postbacks: [(cursor: FeedCursor, postback: RecordedPostback)] = []
        var size = 0
        while size < bytes, let row = try rows.next() {
            var postback = try RecordedPostback(row)
            let body = row[RecordedPostback.columnCount] as DatabaseValue
            postback.body = body.isNull ? nil : try row.bytes(at: RecordedPostback.columnCount)
            size += postback.body?.count ?? 0
            postbacks.append((FeedCursor(postback), postback))
        }
        var end = postbacks.last?.cursor ?? cursor
        if postbacks.isEmpty, after > cursor.id {
            end = try FeedCursor(row: after, db) ?? cursor
        }
        self.init(postbacks: postbacks, end: end)
    }
}

extension FeedCursor {
    fileprivate init(_ postback: RecordedPostback) {
        self.init(
            id: postback.id, order: postback.id, recordedAtMilliseconds: postback.recordedAtMilliseconds,
            check: postback.check)
    }

    /// The cursor at a row; nil when there is none.
    fileprivate init?(row id: Int64, _ db: Database) throws {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT \(RecordedPostback.columns) FROM postback WHERE id = ?"),
                arguments: [id])
        else {
            return nil
        }
        self.init(try RecordedPostback(row))
    }

    /// Whether its postback is in the store; of one that began between two postbacks only the id is known.
    fileprivate func isKnown(_ db: Database) throws -> Bool {
        guard id > 0 else {
            return true
        }
        guard recordedAtMilliseconds > 0 else {
            return try id <= LedgerScan.lastPostback(db)
        }
        return try FeedCursor(row: id, db) == self
    }
}

extension StoredDestination {
    /// All destinations by name; none where there is no table.
    fileprivate static func all(_ db: Database) throws -> [StoredDestination] {
        guard try db.tableExists("destination") else {
            return []
        }
        return try Row.fetchAll(
            db,
            sql: """
                SELECT name, state, last_id, last_recorded_at, last_check, failure_run, last_success_at,
                    last_failure_at, last_failure,
                    (SELECT count(*) FROM destination_postback WHERE destination = name AND due_at IS NOT NULL),
                    (SELECT count(*) FROM destination_postback WHERE destination = name AND due_at IS NULL)
                FROM destination ORDER BY name
                """
        ).map { row in
            let check: Int64? = try row.optional(4)
            let id = try row.integer(2)
            var destination = StoredDestination(
                name: try row.text(0), state: try row.word(1),
                cursor: FeedCursor(
                    id: id, order: id, recordedAtMilliseconds: try row.integer(3),
                    check: check.map { UInt16(truncatingIfNeeded: $0) }))
            destination.failureRun = try row.integer(5)
            destination.lastSuccessAt = try row.optional(6)
            destination.lastFailureAt = try row.optional(7)
            destination.lastFailure = try row.text(8)
            destination.waitingCount = try row.integer(9)
            destination.parkedCount = try row.integer(10)
            return destination
        }
    }
}

extension FailedForwarding {
    fileprivate init(_ row: Row) throws {
        self.init(
            postback: try row.integer(0), recordedAtMilliseconds: try row.integer(1), attempts: try row.integer(2),
            dueAt: try row.optional(3), attemptedAt: try row.integer(4), status: try row.optional(5),
            text: try row.text(6))
    }

    fileprivate func write(of destination: String, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO destination_postback
                    (destination, id, recorded_at, attempts, due_at, attempted_at, status, text)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET
                    attempts = excluded.attempts, due_at = excluded.due_at, attempted_at = excluded.attempted_at,
                    status = excluded.status, text = excluded.text
                """
        ).execute(arguments: [
            destination, postback, recordedAtMilliseconds, attempts, dueAt, attemptedAt, status, text,
        ])
    }
}

extension RecordingBatch {
    /// Notes that what this transaction has recorded is history, which is not forwarded.
    func noteImported() throws {
        let (before, last) = rows
        guard last > before else {
            return
        }
        try db.execute(sql: DestinationTables.imports)
        try db.execute(sql: "UPDATE imported_range SET last = ?2 WHERE last = ?1", arguments: [before, last])
        if db.changesCount == 0 {
            try db.execute(sql: "INSERT INTO imported_range VALUES (?1 + 1, ?2)", arguments: [before, last])
        }
    }
}
