import Attribution
import AttributionStore
import Foundation
import GRDB

/// Bodies of postbacks that no table leads to, as found in pages of the file.
struct FoundBodies {
    /// Where the body of a postback is.
    private var positions: [Int64: FilePages.Position] = [:]

    /// The columns of the table of bodies.
    private static let columnCount = 2
    /// The most bodies that are looked for at once, to bound memory.
    static let most = 1 << 20

    /// None.
    init() {}

    /// Looks in every page of the file for bodies, by the digests that their rows have of them.
    ///
    /// - Parameters:
    ///   - ids: The ids of the rows, by digests.
    ///   - db: The store.
    /// - Throws: SQLite's errors.
    init(of ids: [PostbackDigests: Int64], _ db: Database) throws {
        guard !ids.isEmpty else {
            return
        }
        try FilePages(db)?.eachRow(columns: Self.columnCount) { values, position in
            guard let body = values[1].blob,
                let postback = try? ReceivedPostback(reading: Array(body))
            else {
                return
            }
            for provenance in Provenance.allCases {
                if let id = ids[PostbackDigests(postback, provenance: provenance)] {
                    positions[id] = position
                }
            }
        }
    }

    /// Looks for the bodies of the rows that are in none of some ranges.
    ///
    /// - Parameters:
    ///   - ranges: Ids in ascending order.
    ///   - newest: The last id.
    ///   - db: The store.
    /// - Throws: SQLite's errors, except for damage.
    init(outside ranges: [ClosedRange<Int64>], through newest: Int64, _ db: Database) throws {
        var ids: [PostbackDigests: Int64] = [:]
        var next: Int64 = 1
        for range in ranges + [(newest + 1)...(newest + 1)] {
            while next < range.lowerBound, ids.count < Self.most {
                let digests = try Database.nilIfDamaged {
                    try Row.fetchOne(
                        db.cachedStatement(sql: "SELECT key_digest, content_digest FROM postback WHERE id = ?"),
                        arguments: [next]
                    ).flatMap { try PostbackDigests($0, at: 0) }
                }
                if let digests = digests.flatMap(\.self) {
                    ids[digests] = next
                }
                next += 1
            }
            next = range.upperBound + 1
        }
        try self.init(of: ids, db)
    }

    /// Whether none was found.
    var isEmpty: Bool {
        positions.isEmpty
    }

    /// Inserts them into the table of bodies.
    func write(_ db: Database) throws {
        guard !isEmpty, let pages = try FilePages(db) else {
            return
        }
        for (id, position) in positions.sorted(by: { $0.key < $1.key }) {
            let body = pages.withRow(at: position, columns: Self.columnCount) { $0[1].blob.map { Data($0) } }
            if let body = body.flatMap(\.self) {
                try db.cachedStatement(sql: "INSERT OR IGNORE INTO postback_body VALUES (?, ?)").execute(
                    arguments: [id, body])
            }
        }
    }
}

extension PostbackDigests {
    /// Reads two columns of a row; nil if they hold no digests.
    init?(_ row: Row, at index: Int) throws {
        guard let key = try row.digest(at: index), let content = try row.digest(at: index + 1) else {
            return nil
        }
        self.init(key: key, content: content)
    }
}
