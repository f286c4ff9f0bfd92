import Attribution
import Foundation
import GRDB

extension SQLiteSchema {
    /// Puts the tallies of an app's day into one row, which had a row for each combination of values, and keeps the
    /// marks.
    static func talliesByApp(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE tally (
                    id INTEGER PRIMARY KEY,
                    family TEXT NOT NULL, -- campaign, source, kind, conversion
                    provenance TEXT NOT NULL,
                    day INTEGER NOT NULL, -- days since 1970-01-01 UTC
                    framework TEXT NOT NULL,
                    ad_network_id TEXT NOT NULL,
                    app_id TEXT NOT NULL,
                    part INTEGER NOT NULL, -- from 0 on; another when the last has grown large
                    counts BLOB NOT NULL, -- row after row: values, each after its length, and counts after theirs
                    UNIQUE (family, provenance, day, framework, ad_network_id, app_id, part)
                ) STRICT;
                """)
        for (family, dimensions) in familiesOfTables {
            try move(family, dimensions, db)
            try db.execute(sql: "DROP TABLE tally_\(family)")
        }
        try db.execute(sql: "UPDATE tally_mark SET tally = substr(tally, 7)")
    }

    private static let familiesOfTables: KeyValuePairs = [
        "campaign": ["campaign_id", "source_identifier"],
        "source": ["source_app_id", "source_domain"],
        "kind": ["version", "fidelity_type", "redownload", "sequence_index"],
        "conversion": ["conversion_type", "marketplace", "country", "interaction_type"],
    ]

    private static func move(_ family: String, _ dimensions: [String], _ db: Database) throws {
        let app = "provenance, day, framework, ad_network_id, app_id"
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT \(app), \(dimensions.joined(separator: ", ")), counts FROM tally_\(family) ORDER BY \(app)
                """)
        let insert = try db.makeStatement(
            sql: "INSERT INTO tally (family, \(app), part, counts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        var current: [DatabaseValue] = []
        var part = 0
        var packed = TallyRows()
        func write() throws {
            if !packed.bytes.isEmpty {
                let key: [any DatabaseValueConvertible] = [family] + current + [part, Data(packed.bytes)]
                try insert.execute(arguments: StatementArguments(key))
            }
            packed = TallyRows()
        }
        while let row = try rows.next() {
            let app = (0..<5).map { row[$0] as DatabaseValue }
            if app != current {
                try write()
                (current, part) = (app, 0)
            } else if packed.bytes.count >= TallyWriter.fullPart {
                try write()
                part += 1
            }
            var key: [UInt8] = []
            for place in dimensions.indices {
                key.appendPacked(row[5 + place] as String)
            }
            packed.append(key: key, counts: try row.bytes(at: 5 + dimensions.count))
        }
        try write()
    }
}
