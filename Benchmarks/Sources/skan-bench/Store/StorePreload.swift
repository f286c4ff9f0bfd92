/// Writes postbacks straight into the tables of an empty store, columns included, as if they had come over many days.
///
/// The next server has nothing to make again. Bodies, digests of keys, columns and deliveries agree, which `skan recount`
/// checks on a small store; signatures and digests of contents are made up.
struct StorePreload {
    let store: String
    let rows: Int

    /// Rows are a multiple of this: what is behind the last block would be read from the bodies.
    static let step = ColumnFormat.rowCount
    private static let columns = ColumnFormat.Column.allCases

    func fill() throws {
        let file = try SQLiteFile(store)
        try file.run(
            """
            PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -400000; BEGIN;
            """)
        var deliveries: [Int64: Int64] = [:]
        try writeRows(file, &deliveries)
        let delivery = try SQLiteFile.Statement(
            file, "INSERT INTO delivery VALUES (?1, 'recorded', 'test', '', 'network', ?2, ?2)")
        for (quarter, count) in deliveries.sorted(by: { $0.key < $1.key }) {
            delivery.bind(quarter, at: 1)
            delivery.bind(count, at: 2)
            try delivery.run()
        }
        try file.run("COMMIT; PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;")
    }

    private func writeRows(_ file: SQLiteFile, _ deliveries: inout [Int64: Int64]) throws {
        let postback = try SQLiteFile.Statement(
            file, "INSERT INTO postback VALUES (?1, ?2 + 3, ?2, 'network', 'test', 'test', 1, ?3, ?4)")
        let body = try SQLiteFile.Statement(file, "INSERT INTO postback_body VALUES (?1, ?2)")
        var codes = StoredCodes()
        var bytes = StoredBody()
        var values = Self.columns.map { _ in [Int64](repeating: 0, count: Self.step) }
        for number in 0..<(rows / Self.step) {
            for offset in 0..<Self.step {
                let stored = StoredPostback(id: number * Self.step + offset + 1, of: rows)
                bytes.write(stored)
                let digest = bytes.keyDigest(stored)
                for column in Self.columns {
                    values[Int(column.rawValue)][offset] = codes.value(column, stored, id: bytes.id, digest: digest)
                }
                deliveries[stored.receivedAt / 900_000, default: 0] += 1
                postback.bind(Int64(stored.id), at: 1)
                postback.bind(stored.receivedAt, at: 2)
                postback.bind(digest[..<16], at: 3)
                // The other half of the digest is as random as a digest of the content.
                postback.bind(digest[16...], at: 4)
                try postback.run()
                body.bind(Int64(stored.id), at: 1)
                body.bind(bytes.bytes[...], at: 2)
                try body.run()
            }
            try write(values, number, file)
        }
        try codes.write(file)
    }

    private func write(_ values: [[Int64]], _ number: Int, _ file: SQLiteFile) throws {
        let block = try SQLiteFile.Statement(file, "INSERT INTO column_block VALUES (?, ?, ?, ?, ?, ?)")
        for column in Self.columns {
            let row = ColumnFormat.Row(values[Int(column.rawValue)], block: number, column)
            block.bind(row.id, at: 1)
            block.bind(ColumnFormat.rules, at: 2)
            block.bind(row.lowest, at: 3)
            block.bind(row.highest, at: 4)
            block.bind(row.offsets[...], at: 5)
            block.bind(row.checksum, at: 6)
            try block.run()
        }
    }
}
