import Foundation
import GRDB

extension SQLiteSchema {
    /// Puts the tallies of an app's day into one row, which had a row for each combination of values in four tables, and
    /// keeps the marks.
    static func talliesByApp(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE tally (
                    id INTEGER PRIMARY KEY,
                    provenance TEXT NOT NULL,
                    day INTEGER NOT NULL, -- days since 1970-01-01 UTC
                    framework TEXT NOT NULL,
                    ad_network_id TEXT NOT NULL,
                    app_id TEXT NOT NULL,
                    part INTEGER NOT NULL, -- from 0 on; another when the last has grown large
                    -- Row after row: a byte that names the family, the values of its dimensions, each after its length,
                    -- and the counts after theirs.
                    counts BLOB NOT NULL,
                    UNIQUE (provenance, day, framework, ad_network_id, app_id, part)
                ) STRICT;
                """)
        let app = "provenance, day, framework, ad_network_id, app_id"
        let apps = try Row.fetchCursor(
            db, sql: families.map { "SELECT \(app) FROM tally_\($0.name)" }.joined(separator: " UNION "))
        let insert = try db.makeStatement(
            sql: "INSERT INTO tally (\(app), part, counts) VALUES (?, ?, ?, ?, ?, ?, ?)")
        let rows = try families.map { family in
            try db.makeStatement(
                sql: """
                    SELECT \(family.dimensions.joined(separator: ", ")), counts FROM tally_\(family.name)
                    WHERE provenance = ? AND day = ? AND framework = ? AND ad_network_id = ? AND app_id = ?
                    """)
        }
        while let app = try apps.next() {
            let key = (0..<5).map { app[$0] as DatabaseValue }
            var part = 0
            var packed: [UInt8] = []
            func write() throws {
                let values: [any DatabaseValueConvertible] = key + [part, Data(packed)]
                try insert.execute(arguments: StatementArguments(values))
                (part, packed) = (part + 1, [])
            }
            for (code, (family, rows)) in zip(families, rows).enumerated() {
                let rows = try Row.fetchCursor(rows, arguments: StatementArguments(key))
                while let row = try rows.next() {
                    packed.append(UInt8(code))
                    for place in family.dimensions.indices {
                        append((row[place] as String).utf8, to: &packed)
                    }
                    append(try row.bytes(at: family.dimensions.count), to: &packed)
                    if packed.count >= 32_768 {
                        try write()
                    }
                }
            }
            if !packed.isEmpty {
                try write()
            }
        }
        for family in families {
            try db.execute(sql: "DROP TABLE tally_\(family.name)")
        }
        try db.execute(sql: "UPDATE tally_mark SET tally = substr(tally, 7)")
    }

    /// Appends bytes after their number, which stands in groups of seven bits, the lowest first.
    private static func append(_ string: some Collection<UInt8>, to packed: inout [UInt8]) {
        var rest = string.count
        while rest >= 0x80 {
            packed.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        packed.append(UInt8(rest))
        packed.append(contentsOf: string)
    }

    /// The tables there were, in the order of the bytes that name the families now.
    private static let families: [(name: String, dimensions: [String])] = [
        ("campaign", ["campaign_id", "source_identifier"]),
        ("source", ["source_app_id", "source_domain"]),
        ("kind", ["version", "fidelity_type", "redownload", "sequence_index"]),
        ("conversion", ["conversion_type", "marketplace", "country", "interaction_type"]),
    ]
}
