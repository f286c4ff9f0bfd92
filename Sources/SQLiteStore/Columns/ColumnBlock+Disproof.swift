import Attribution
import AttributionStore
import GRDB

extension ColumnBlock {
    /// Whether a block has other postbacks than the store, as one of another store has.
    ///
    /// Its column of keys then has the key of no row that is there, and the bytes of one of these confirm the row's.
    ///
    /// - Parameters:
    ///   - number: The block.
    ///   - last: The last postback of which a row or a body is there.
    ///   - db: The store.
    /// - Returns: Whether it has; false where that cannot be read.
    /// - Throws: SQLite's errors, except for damage.
    static func isOfOthers(_ number: Int64, through last: Int64, _ db: Database) throws -> Bool {
        let ids = ids(number)
        guard ids.contains(last) else {
            return false
        }
        var values = ColumnValues(count: rowCount)
        let areKeysRead: Void? = try ColumnBlockReader(db).read(number, .key) { values.set($0, .key) }
        guard areKeysRead != nil else {
            return false
        }
        let keys = values[.key]
        return try Database.nilIfDamaged {
            var isConfirmed = false
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT id, key_digest, content_digest, traffic FROM postback WHERE id BETWEEN ? AND ?"),
                arguments: [ids.lowerBound, last])
            while let row = try rows.next() {
                let id = try row.integer(0)
                let key = keys[Int(id - ids.lowerBound)]
                // A row that was missing when the block was written has none.
                guard key != 0, let digests = try PostbackDigests(row, at: 1) else {
                    continue
                }
                guard UInt64(bitPattern: key) != digests.key.high else {
                    return false
                }
                isConfirmed = try isConfirmed || hasBody(id, of: digests, row, db)
            }
            return isConfirmed
        } ?? false
    }

    /// Whether the bytes under an id have the digests of its row.
    private static func hasBody(_ id: Int64, of digests: PostbackDigests, _ row: Row, _ db: Database) throws -> Bool {
        let body = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT body FROM postback_body WHERE id = ?"), arguments: [id])
        guard let body, let traffic: Traffic = try? row.word(3),
            let postback = try? ReceivedPostback(reading: body.bytes(at: 0))
        else {
            return false
        }
        return digests == PostbackDigests(postback, provenance: traffic.provenance)
    }
}
