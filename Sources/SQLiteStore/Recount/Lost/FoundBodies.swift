import Attribution
import AttributionStore
import Foundation
import GRDB

/// Bodies of postbacks that no table leads to, as found in pages of the file.
struct FoundBodies {
    private struct Found {
        let position: FilePages.Position
        let digests: PostbackDigests
        /// Whether its signature verifies, which digests leave out.
        let isVerified: Bool
    }

    /// By the ids of the postbacks.
    private var found: [Int64: Found] = [:]

    /// The columns of the table of bodies.
    private static let columnCount = 2
    /// The most bodies that are looked for at once, to bound memory.
    static let most = 1 << 20

    /// None.
    init() {}

    /// Looks in every page of the file for bodies, by the digests that their rows have of them.
    ///
    /// Of several copies of a body, it takes the first one that verifies, or the first if none does.
    ///
    /// - Parameters:
    ///   - ids: The ids of the rows, by digests.
    ///   - db: The store.
    ///   - judge: Parses and verifies bodies.
    /// - Throws: SQLite's errors.
    init(of ids: [PostbackDigests: Int64], _ db: Database, judge: ([[UInt8]]) -> [Judgement]) throws {
        guard !ids.isEmpty else {
            return
        }
        try FilePages(db)?.eachRow(columns: Self.columnCount) { values, position in
            guard let body = values[1].blob.map({ Array($0) }), let postback = try? ReceivedPostback(reading: body)
            else {
                return
            }
            for provenance in Provenance.allCases {
                let digests = PostbackDigests(postback, provenance: provenance)
                guard let id = ids[digests], found[id]?.isVerified != true else {
                    continue
                }
                let isVerified = judge([body]).contains { $0.isVerified(as: provenance) }
                if isVerified || found[id] == nil {
                    found[id] = Found(position: position, digests: digests, isVerified: isVerified)
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
    ///   - judge: Parses and verifies bodies.
    /// - Throws: SQLite's errors, except for damage.
    init(
        outside ranges: [ClosedRange<Int64>], through newest: Int64, _ db: Database,
        judge: ([[UInt8]]) -> [Judgement]
    ) throws {
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
        try self.init(of: ids, db, judge: judge)
    }

    /// Whether none was found.
    var isEmpty: Bool {
        found.isEmpty
    }

    /// Inserts them into the table of bodies, except where something else was written since they were found.
    func write(_ db: Database) throws {
        guard !isEmpty, let pages = try FilePages(db) else {
            return
        }
        for (id, found) in found.sorted(by: { $0.key < $1.key }) {
            let body = pages.withRow(at: found.position, columns: Self.columnCount) { $0[1].blob.map { Array($0) } }
            guard let body = body.flatMap(\.self), let postback = try? ReceivedPostback(reading: body),
                Provenance.allCases.contains(where: { PostbackDigests(postback, provenance: $0) == found.digests })
            else {
                continue
            }
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO postback_body VALUES (?, ?)").execute(
                arguments: [id, Data(body)])
        }
    }
}

extension Judgement {
    /// Whether it verifies as what a row says.
    func isVerified(as provenance: Provenance) -> Bool {
        if case .verified(let postback) = self { postback.provenance == provenance } else { false }
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
