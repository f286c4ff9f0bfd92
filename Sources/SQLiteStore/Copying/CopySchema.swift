import Attribution
import AttributionStore
import Foundation
import GRDB

/// What a store keeps of the stores that were copied into it; its tables are made by the first copy.
enum CopySchema {
    static let tables = """
        CREATE TABLE IF NOT EXISTS copy_source (
            store TEXT PRIMARY KEY, -- the source's name in positions
            position TEXT NOT NULL, -- of the last postback that was copied; empty before the first
            copied INTEGER NOT NULL,
            lost INTEGER NOT NULL -- whose bytes were gone
        ) STRICT, WITHOUT ROWID;

        -- Which postbacks of the source are which here.
        CREATE TABLE IF NOT EXISTS copy_run (
            store TEXT NOT NULL,
            source_id INTEGER NOT NULL,
            target_id INTEGER NOT NULL,
            count INTEGER NOT NULL,
            is_new INTEGER NOT NULL,
            checksum BLOB NOT NULL, -- 16 bytes, over those that came by copying
            PRIMARY KEY (store, source_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE IF NOT EXISTS copy_quarantine (
            store TEXT NOT NULL,
            source_id INTEGER NOT NULL,
            target_id INTEGER NOT NULL,
            PRIMARY KEY (store, source_id)
        ) STRICT, WITHOUT ROWID;

        -- What was added to the counts of deliveries.
        CREATE TABLE IF NOT EXISTS copy_delivery (
            store TEXT NOT NULL,
            quarter INTEGER NOT NULL,
            status TEXT NOT NULL,
            traffic TEXT NOT NULL,
            reason TEXT NOT NULL,
            recipient TEXT NOT NULL,
            count INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            PRIMARY KEY (store, quarter, status, traffic, reason, recipient)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE IF NOT EXISTS copy_repeat (
            store TEXT NOT NULL,
            quarter INTEGER NOT NULL,
            delay INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (store, quarter, delay)
        ) STRICT, WITHOUT ROWID;

        """ + moves

    /// Also made where a copied delivery is judged again after a copy by an earlier release.
    static let moves = """
        CREATE INDEX IF NOT EXISTS copy_quarantine_target ON copy_quarantine (target_id);

        -- What this store made of copied deliveries itself, as changes of its counts, until the source made something of
        -- them, too.
        CREATE TABLE IF NOT EXISTS copy_moved (
            store TEXT NOT NULL,
            source_id INTEGER NOT NULL,
            postback_id INTEGER, -- as which it was recorded
            quarter INTEGER NOT NULL,
            status TEXT NOT NULL,
            traffic TEXT NOT NULL,
            reason TEXT NOT NULL,
            recipient TEXT NOT NULL,
            count INTEGER NOT NULL,
            delay INTEGER -- of a repeat
        ) STRICT;
        CREATE INDEX IF NOT EXISTS copy_moved_source ON copy_moved (store, source_id);
        CREATE INDEX IF NOT EXISTS copy_moved_postback ON copy_moved (postback_id) WHERE postback_id IS NOT NULL;

        """
}

extension LedgerCopyProgress {
    /// How far a store was copied; nil before the first copy.
    init?(_ db: Database, of store: String) throws {
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT position, copied, lost FROM copy_source WHERE store = ?", arguments: [store])
        else {
            return nil
        }
        self.init(of: store)
        position = LedgerPosition(try row.text(0))
        copied = try row.integer(1)
        lost = try row.integer(2)
    }

    /// Reads which postbacks are which.
    mutating func readRuns(_ db: Database) throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT source_id, target_id, count, is_new, checksum FROM copy_run WHERE store = ?",
            arguments: [store])
        while let row = try rows.next() {
            guard let checksum = CopyChecksum(try row.bytes(at: 4)) else {
                throw DatabaseError.damagedColumn
            }
            runs.append(
                CopiedRun(
                    source: try row.integer(0), target: try row.integer(1), count: try row.integer(2),
                    isNew: try row.integer(3) != 0, checksum: checksum))
        }
    }

    /// Notes how far the copy came, and its last runs.
    func note(_ db: Database, adding runs: [CopiedRun]) throws {
        try db.execute(
            sql: """
                INSERT INTO copy_source (store, position, copied, lost) VALUES (?, ?, ?, ?)
                ON CONFLICT (store) DO UPDATE SET position = excluded.position, copied = excluded.copied,
                    lost = excluded.lost
                """,
            arguments: [store, position?.description ?? "", copied, lost])
        for run in runs {
            try db.cachedStatement(sql: "INSERT INTO copy_run VALUES (?, ?, ?, ?, ?, ?)").execute(arguments: [
                store, run.source, run.target, run.count, run.isNew ? 1 : 0,
                Data((run.checksum ?? CopyChecksum()).bytes),
            ])
        }
    }
}
