import Attribution
import AttributionStore
import Foundation
import GRDB

/// Derives column values from the ledger's rows and raw bytes: for the newest postbacks, which are in no block yet, and
/// for damaged blocks.
struct ColumnDerivation {
    let db: Database
    let columns: [LedgerColumn]
    /// Whether bytes have to be those of their row's digests: columns that are stored outlive what damage did to the bytes.
    var isProven = false

    /// Calls a closure for each existing row, in ascending order of ids.
    ///
    /// - Parameters:
    ///   - ids: The rows; the last must not be beyond the newest row.
    ///   - codes: The codes of the texts; new texts are added.
    ///   - use: Takes an id and its values. If the bytes cannot be read, or are not proven where they have to be, all
    ///     values but the key are those of ``ColumnRow/missing``.
    /// - Throws: What `use` throws, and SQLite's errors, except for damage.
    func each(
        _ ids: ClosedRange<Int64>,
        _ codes: inout ColumnCodes,
        _ use: (Int64, ColumnRow) throws -> Void
    ) throws {
        let scan = LedgerScan(
            db: db, columns: "id, received_at, recipient, traffic, key_digest, content_digest, body",
            table: "postback LEFT JOIN postback_body USING (id)")
        try scan.each(ids) { row in
            if let facts = try? PostbackFacts(row, isProven: isProven) {
                return try use(row.integer(0), codes.row(facts, columns))
            }
            try use(row.integer(0), try missing(row, digestAt: 4))
        } skip: { id in
            // Perhaps only the page of the body is damaged.
            let row = try Database.nilIfDamaged {
                try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT key_digest FROM postback WHERE id = ?"), arguments: [id])
            }
            if let row = row.flatMap(\.self) {
                try use(id, try missing(row, digestAt: 0))
            }
        }
    }

    /// The values of a row without its bytes: it keeps its key, so that the postback is not counted again.
    private func missing(_ row: Row, digestAt index: Int) throws -> ColumnRow {
        var missing = ColumnRow.missing
        if let digest = try row.digest(at: index) {
            missing[.key] = Int64(bitPattern: digest.high)
        }
        return missing
    }

    /// The possible keys of a postback whose row is lost but whose bytes are not; its provenance is unknown.
    func keys(ofLostRow id: Int64) throws -> [UInt64] {
        guard let body = try? Row.fetchOne(db, sql: "SELECT body FROM postback_body WHERE id = ?", arguments: [id]),
            let postback = try? ReceivedPostback(reading: body.bytes(at: 0))
        else {
            return []
        }
        return Provenance.allCases.map { PostbackDigests.key(of: postback, provenance: $0).high }
    }

    /// The values of some rows, column by column; 0 for missing rows.
    func values(_ ids: ClosedRange<Int64>, _ codes: inout ColumnCodes) throws -> ColumnValues {
        var values = ColumnValues(count: ids.count, columns)
        var readableCount = 0
        try each(ids, &codes) { id, row in
            values.set(row, at: Int(id - ids.lowerBound), columns)
            readableCount += row[.traffic] == 0 ? 0 : 1
        }
        values.unreadableCount = ids.count - readableCount
        return values
    }
}

extension PostbackFacts {
    /// Reads a row of `…, received_at, recipient, traffic, key_digest, content_digest, body`.
    ///
    /// The key is computed from the bytes instead of the stored digest, because it decides what is counted.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - isProven: Whether its digests have to be those of the bytes.
    /// - Throws: An error if the row or its bytes are damaged.
    fileprivate init(_ row: Row, isProven: Bool) throws {
        let traffic: Traffic = try row.word(3)
        let postback = try ReceivedPostback(reading: row.bytes(at: 6))
        if isProven, try PostbackDigests(row, at: 4) != PostbackDigests(postback, provenance: traffic.provenance) {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        self.init(
            postback, traffic: traffic, recipient: try row.word(2), receivedAtMilliseconds: try row.integer(1),
            key: PostbackDigests.key(of: postback, provenance: traffic.provenance))
    }
}
