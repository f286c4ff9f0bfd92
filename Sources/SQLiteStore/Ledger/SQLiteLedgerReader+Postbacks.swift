import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Returns recorded postbacks in ascending order of ids.
    package func postbacks(_ query: PostbackQuery) async throws -> [RecordedPostback] {
        try await read { try query.recorded($0) }
    }
}

/// Finds the end of the tables of postbacks.
enum LedgerScan {
    /// Ids are dense; a gap this wide before the last one is damage, by which an index would be made too large.
    private static let widestGap: Int64 = 1_000_000

    /// The id of the newest postback; 0 for none.
    ///
    /// Of a file that was damaged its row or its body may be lost, and its id must not be assigned again.
    static func newestRow(_ db: Database) throws -> Int64 {
        try max(last("postback", db), last("postback_body", db))
    }

    /// The greatest id in `postback`; 0 for none.
    static func lastPostback(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM postback")) ?? 0
    }

    private static func last(_ table: String, _ db: Database) throws -> Int64 {
        let ids = try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT id FROM \(table) WHERE id > 0 ORDER BY id DESC LIMIT 2"))
        guard let last = ids.first, last > 0 else {
            return 0
        }
        guard last - (ids.count == 2 ? max(0, ids[1]) : 0) <= widestGap else {
            throw DatabaseError.damagedColumn
        }
        return last
    }
}

extension RecordedPostback {
    /// What ``init(_:)`` takes.
    static let columns = "id, recorded_at, received_at, recipient, traffic, key_name, key_digest, content_digest"
    static let columnCount = 8

    /// Reads a row of ``columns``, without its body.
    init(_ row: Row) throws {
        self.init(
            id: try row.integer(0), recordedAtMilliseconds: try row.integer(1),
            receivedAtMilliseconds: try row.integer(2), recipient: try row.word(3), traffic: try row.word(4),
            keyName: try row.text(5), body: nil, check: try row.digest(at: 6)?.positionCheck,
            digests: try PostbackDigests(row, at: 6))
    }

    /// Reads the body, which stays nil if it is missing.
    fileprivate mutating func readBody(_ db: Database) throws {
        body = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT body FROM postback_body WHERE id = ?"), arguments: [id])?.bytes(at: 0)
    }
}

extension PostbackDigests {
    /// Reads both digests from a row; nil for any other values.
    init?(_ row: Row, at index: Int) throws {
        guard let key = try row.digest(at: index), let content = try row.digest(at: index + 1) else {
            return nil
        }
        self.init(key: key, content: content)
    }
}

extension PostbackQuery {
    /// The matching postbacks.
    func recorded(_ db: Database) throws -> [RecordedPostback] {
        var postbacks: [RecordedPostback] = []
        try candidates(db) { ids in
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT \(RecordedPostback.columns) FROM postback WHERE id BETWEEN ? AND ? ORDER BY id"),
                arguments: [ids.lowerBound, ids.upperBound])
            while postbacks.count < limit, let row = try rows.next() {
                var postback = try RecordedPostback(row)
                if matches(postback) {
                    try postback.readBody(db)
                    if matchesBody(of: postback) {
                        postbacks.append(postback)
                    }
                }
            }
            return postbacks.count < limit
        }
        return postbacks
    }

    /// Calls a closure with ascending ranges of ids that include all matches, until it returns false.
    func candidates(_ db: Database, _ use: (ClosedRange<Int64>) throws -> Bool) throws {
        let newest = try LedgerScan.newestRow(db)
        let reader = try ColumnBlockReader(db)
        guard after < newest else {
            return
        }
        let codes = try apps.isEmpty ? nil : appCodes(db)
        var next = max(1, after + 1)
        while next <= newest {
            let number = ColumnBlock.number(of: next)
            let ids = max(next, ColumnBlock.ids(number).lowerBound)...min(newest, ColumnBlock.ids(number).upperBound)
            // Rows in no block or in a damaged block are checked one by one.
            for range in try candidates(reader, number, codes) ?? [ids] where range.upperBound >= next {
                guard try use(max(next, range.lowerBound)...min(newest, range.upperBound)) else {
                    return
                }
            }
            next = ids.upperBound + 1
        }
    }

    /// The ranges of a block's postbacks that may match; nil if its columns cannot be read.
    private func candidates(
        _ reader: ColumnBlockReader, _ number: Int64, _ apps: Set<Int64>?
    ) throws -> [ClosedRange<Int64>]? {
        var matching = Array(repeating: UInt8(1), count: ColumnBlock.rowCount)
        if let quarters = received?.quarters {
            guard let isAny = try reader.read(number, .quarter, { $0.select(quarters, in: &matching) }) else {
                return nil
            }
            guard isAny else {
                return []
            }
        }
        if let transactionID {
            let hash = PostbackFacts.transaction(transactionID)
            guard let isAny = try reader.read(number, .transaction, { $0.select(hash..<(hash + 1), in: &matching) })
            else {
                return nil
            }
            guard isAny else {
                return []
            }
        }
        if let apps {
            let isAny = try reader.read(number, .app) { block in
                var isAny = false
                for index in matching.indices where matching[index] != 0 {
                    matching[index] = apps.contains(block[index]) ? 1 : 0
                    isAny = isAny || matching[index] != 0
                }
                return isAny
            }
            guard let isAny else {
                return nil
            }
            guard isAny else {
                return []
            }
        }
        let first = ColumnBlock.ids(number).lowerBound
        var runs: [ClosedRange<Int64>] = []
        for index in matching.indices where matching[index] != 0 {
            let id = first + Int64(index)
            if let last = runs.last, last.upperBound == id - 1 {
                runs[runs.count - 1] = last.lowerBound...id
            } else {
                runs.append(id...id)
            }
        }
        return runs
    }

    /// The codes of the apps in columns; nil if texts are damaged, which may be those of the apps.
    private func appCodes(_ db: Database) throws -> Set<Int64>? {
        let values = try ColumnCodes(db, [.app]).values(.app)
        guard !values.contains(nil) else {
            return nil
        }
        let wanted = Set(apps.map(\.description))
        return Set(values.indices.filter { values[$0].map(wanted.contains) ?? false }.map(Int64.init))
    }

    /// Whether the row of a postback matches.
    private func matches(_ postback: RecordedPostback) -> Bool {
        received?.contains(postback.receivedAtMilliseconds) ?? true && traffic ?? postback.traffic == postback.traffic
    }
}
