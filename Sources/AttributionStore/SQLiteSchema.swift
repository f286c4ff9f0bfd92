import Foundation
import GRDB

/// The numbered migrations of the SQLite store; a released one is never edited.
///
/// Dimensions are texts and never NULL, empty where a postback carries no such value: so they can stand in keys.
enum SQLiteSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 postbacks, tallies, quarantine") { db in
            try db.execute(sql: first)
            for (table, dimensions) in firstTallies {
                try db.execute(sql: firstTally(table, dimensions))
            }
        }
        migrator.registerMigration("2 AdAttributionKit") { db in
            try db.execute(sql: second)
            // The tallies get more counters in fewer columns, one more table, and a mark for each. Nothing is tallied
            // then, and so everything behind the marks: the next process that records writes them anew, and readers
            // count from the ledger until it has.
            for (table, _) in firstTallies {
                try db.execute(sql: "DROP TABLE \(table)")
            }
            try moveFingerprints(db)
            for (table, dimensions) in secondTallies {
                try db.execute(sql: secondTally(table, dimensions))
                try db.execute(sql: "INSERT INTO tally_mark VALUES (?, 0)", arguments: [table])
            }
        }
        migrator.registerMigration("3 tallies by app", migrate: talliesByApp)
        return migrator
    }

    private static let first = """
        -- Each verified postback once, for ever.
        CREATE TABLE postback (
            id INTEGER PRIMARY KEY,
            received_at INTEGER NOT NULL, -- Unix milliseconds
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')),
            provenance TEXT NOT NULL,
            key_name TEXT NOT NULL,
            framework TEXT NOT NULL,
            ad_network_id TEXT NOT NULL,
            transaction_id TEXT NOT NULL,
            sequence_index TEXT NOT NULL,
            version TEXT NOT NULL,
            app_id TEXT NOT NULL,
            campaign_id TEXT NOT NULL,
            source_identifier TEXT NOT NULL,
            source_app_id TEXT NOT NULL,
            source_domain TEXT NOT NULL,
            fidelity_type TEXT NOT NULL,
            did_win TEXT NOT NULL,
            redownload TEXT NOT NULL,
            conversion TEXT NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        -- What the exact index in the writer's memory is filled from when it starts: narrow, so that ten million are
        -- read in seconds. A unique index on random ids would slow down with every million instead.
        CREATE TABLE postback_fingerprint (
            postback_id INTEGER PRIMARY KEY REFERENCES postback (id),
            fingerprint INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX postback_received ON postback (provenance, received_at);

        -- Copies of a recorded postback that say something else in fields nobody signs.
        CREATE TABLE conflict (
            id INTEGER PRIMARY KEY,
            postback_id INTEGER NOT NULL REFERENCES postback (id),
            received_at INTEGER NOT NULL,
            recipient TEXT NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX conflict_postback ON conflict (postback_id);

        -- What was received and is no genuine postback, as far as the bounds allow.
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY,
            received_at INTEGER NOT NULL,
            recipient TEXT NOT NULL,
            reason TEXT NOT NULL,
            detail TEXT NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX quarantine_received ON quarantine (received_at);

        -- How much of the bounds an hour of receipt has used up, conflicts and quarantine together.
        CREATE TABLE kept_bodies (
            hour INTEGER PRIMARY KEY, -- hours since 1970-01-01 UTC
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;

        -- The last postback the tally tables hold; those behind it are counted from the ledger.
        CREATE TABLE tally_mark (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            postback_id INTEGER NOT NULL
        ) STRICT;
        INSERT INTO tally_mark VALUES (1, 0);

        -- Every delivery under one kind; quarters of an hour, for every time zone begins its days on one.
        CREATE TABLE delivery (
            quarter INTEGER NOT NULL, -- quarters of an hour since 1970-01-01 UTC
            status TEXT NOT NULL,
            provenance TEXT NOT NULL, -- empty in quarantine
            reason TEXT NOT NULL, -- empty outside quarantine
            count INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            PRIMARY KEY (quarter, status, provenance, reason)
        ) STRICT, WITHOUT ROWID;
        """

    private static let firstTallies: KeyValuePairs = [
        "tally_campaign": ["framework", "ad_network_id", "app_id", "campaign_id", "source_identifier"],
        "tally_source": ["framework", "ad_network_id", "app_id", "source_app_id", "source_domain"],
        "tally_kind": [
            "framework", "ad_network_id", "app_id", "version", "fidelity_type", "redownload", "sequence_index",
        ],
    ]

    private static func firstTally(_ table: String, _ dimensions: [String]) -> String {
        let later = ["absent", "null", "low", "medium", "high"]
        let counters =
            [
                "postbacks", "installs", "redownloads", "new_installs", "wins", "losses", "second_window",
                "third_window",
            ] + later.map { "later_\($0)" } + later.map { "conversion_\($0)" } + (0...63).map { "fine_\($0)" }
        return """
            CREATE TABLE \(table) (
                day INTEGER NOT NULL, -- days since 1970-01-01 UTC
                provenance TEXT NOT NULL,
                \(dimensions.map { "\($0) TEXT NOT NULL," }.joined(separator: "\n    "))
                \(counters.map { "\($0) INTEGER NOT NULL," }.joined(separator: "\n    "))
                PRIMARY KEY (day, provenance, \(dimensions.joined(separator: ", ")))
            ) STRICT, WITHOUT ROWID;
            """
    }

    private static let second = """
        ALTER TABLE postback ADD COLUMN conversion_type TEXT NOT NULL DEFAULT '';
        ALTER TABLE postback ADD COLUMN marketplace TEXT NOT NULL DEFAULT '';
        ALTER TABLE postback ADD COLUMN country TEXT NOT NULL DEFAULT '';
        ALTER TABLE postback ADD COLUMN interaction_type TEXT NOT NULL DEFAULT '';
        -- Recorded before it was a column; what is no two capital letters is no country.
        UPDATE postback SET country = json_extract(CAST(body AS TEXT), '$."country-code"')
        WHERE instr(body, CAST('country-code' AS BLOB)) > 0
            AND json_extract(CAST(body AS TEXT), '$."country-code"') GLOB '[A-Z][A-Z]';

        -- Which rows were received in a quarter of an hour, for ranges of time: rows come nearly in its order, and one
        -- row a quarter costs less than an index entry a postback.
        CREATE TABLE postback_quarter (
            quarter INTEGER PRIMARY KEY, -- quarters of an hour since 1970-01-01 UTC
            first_id INTEGER NOT NULL,
            last_id INTEGER NOT NULL
        ) STRICT;
        INSERT INTO postback_quarter
        SELECT received_at / 900000, min(id), max(id) FROM postback GROUP BY 1;
        DROP INDEX postback_received;

        -- What the exact index in the writer's memory is filled from when it starts, a row for each transaction.
        CREATE TABLE postback_fingerprints (
            first_id INTEGER PRIMARY KEY,
            fingerprints BLOB NOT NULL -- 8 bytes each, the lowest first, of consecutive postbacks
        ) STRICT;

        -- The last postback each tally table holds; those behind it are counted from the ledger.
        DROP TABLE tally_mark;
        CREATE TABLE tally_mark (
            tally TEXT PRIMARY KEY,
            postback_id INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Puts the fingerprints that had a row each into blocks.
    private static func moveFingerprints(_ db: Database) throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT postback_id, fingerprint FROM postback_fingerprint ORDER BY postback_id")
        let insert = try db.makeStatement(sql: "INSERT INTO postback_fingerprints VALUES (?, ?)")
        var block: [UInt64] = []
        var last: Int64 = 0
        while let row = try rows.next() {
            last = row[0]
            block.append(UInt64(bitPattern: row[1] as Int64))
            if block.count == 1_024 {
                try insert.execute(arguments: [last - 1_023, Data(FingerprintBlock.encode(block))])
                block.removeAll()
            }
        }
        if !block.isEmpty {
            try insert.execute(arguments: [last - Int64(block.count) + 1, Data(FingerprintBlock.encode(block))])
        }
        try db.execute(sql: "DROP TABLE postback_fingerprint")
    }

    private static let secondTallies: KeyValuePairs = [
        "tally_campaign": ["framework", "ad_network_id", "app_id", "campaign_id", "source_identifier"],
        "tally_source": ["framework", "ad_network_id", "app_id", "source_app_id", "source_domain"],
        "tally_kind": [
            "framework", "ad_network_id", "app_id", "version", "fidelity_type", "redownload", "sequence_index",
        ],
        "tally_conversion": [
            "framework", "ad_network_id", "app_id", "conversion_type", "marketplace", "country", "interaction_type",
        ],
    ]

    private static func secondTally(_ table: String, _ dimensions: [String]) -> String {
        """
        CREATE TABLE \(table) (
            day INTEGER NOT NULL, -- days since 1970-01-01 UTC
            provenance TEXT NOT NULL,
            \(dimensions.map { "\($0) TEXT NOT NULL," }.joined(separator: "\n    "))
            counts BLOB NOT NULL, -- pairs: a byte that names the counter, and the count
            PRIMARY KEY (day, provenance, \(dimensions.joined(separator: ", ")))
        ) STRICT, WITHOUT ROWID;
        """
    }
}
