package import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Recounts everything from the raw bytes, in one snapshot, without changes.
    ///
    /// - Throws: ``AttributionStore/StoreError``, such as ``AttributionStore/StoreError/damaged(path:problem:)``.
    package func recount(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> Recount {
        try await read { [path] db in
            try RecountPass(db, path: path, judge: judge).run()
        }
    }
}

/// Compares everything that reports read with the raw bytes, block by block of columns, in bounded memory.
private struct RecountPass {
    private let db: Database
    private let path: String
    private let judge: ([ReceivedBody]) -> [Judgement]
    private let reader: ColumnBlockReader
    private var codes = ColumnCodes()
    private var result = Recount()

    /// The most problems of SQLite's check that are listed.
    private static let problemsListed = 100

    init(_ db: Database, path: String, judge: @escaping ([ReceivedBody]) -> [Judgement]) throws {
        self.db = db
        self.path = path
        self.judge = judge
        reader = try ColumnBlockReader(db)
    }

    consuming func run() throws -> Recount {
        try checkStructure()
        codes = try ColumnCodes(db)
        try checkPostbacks()
        try checkUniqueness()
        try checkDeliveries()
        try checkCopies()
        try checkQuarantine()
        return result
    }

    /// Has SQLite check the file; what `quick_check` finds is more than an index that does not match its table.
    private mutating func checkStructure() throws {
        let problems = try db.problems(of: "integrity_check", atMost: Self.problemsListed)
        guard !problems.isEmpty else {
            return
        }
        if let problem = try db.problems(of: "quick_check", atMost: 1).first {
            throw StoreError.damaged(path: path, problem: problem)
        }
        for problem in problems {
            result.note(.index(problem))
        }
    }

    // MARK: Postbacks

    private mutating func checkPostbacks() throws {
        let newest = try LedgerScan.newestRow(db)
        let blockCount = ColumnBlock.fullCount(newest: newest)
        for number in 0..<(newest == 0 ? 0 : ColumnBlock.number(of: newest) + 1) {
            let ids = ColumnBlock.ids(number)
            let expected = try check(ids, through: newest)
            if number < blockCount, try !isBlock(number, expected) {
                result.note(.block(ids))
            }
        }
        let areStray = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM column_block WHERE id < 0 OR id >= ?)",
            arguments: [ColumnBlock.firstID(of: blockCount)])
        if areStray == true {
            result.note(.strayColumns)
        }
    }

    /// Reads the postbacks of a block.
    private mutating func check(_ ids: ClosedRange<Int64>, through last: Int64) throws -> [(Int, ColumnRow)] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT \(RecordedPostback.columns), body FROM postback LEFT JOIN postback_body USING (id)
                    WHERE id BETWEEN ? AND ? ORDER BY id
                    """), arguments: [ids.lowerBound, ids.upperBound])
        var present: [RecordedPostback] = []
        var next = ids.lowerBound
        for row in rows {
            var recorded = try RecordedPostback(row)
            noteMissing(from: next, before: recorded.id)
            next = recorded.id + 1
            result.postbacks += 1
            if row.hasNull(atIndex: RecordedPostback.columnCount) {
                result.note(.unreadable(recorded.id, reason: "its body is missing"))
            } else {
                recorded.body = try row.bytes(at: RecordedPostback.columnCount)
                present.append(recorded)
            }
        }
        noteMissing(from: next, before: min(ids.upperBound, last) + 1)
        var expected: [(Int, ColumnRow)] = []
        for (recorded, judgement) in zip(present, judge(present.map(\.receivedBody))) {
            guard let read = result.read(recorded, judgement),
                result.confirm(read, areDigestsRight: read.digests == recorded.digests)
            else {
                continue
            }
            expected.append((Int(recorded.id - ids.lowerBound), codes.row(read.facts, LedgerColumn.all)))
        }
        return expected
    }

    private mutating func noteMissing(from next: Int64, before id: Int64) {
        if next < id {
            result.note(.missingRows(next...(id - 1)))
        }
    }

    /// Whether a block is whole and says what the bodies say.
    private func isBlock(_ number: Int64, _ expected: [(index: Int, row: ColumnRow)]) throws -> Bool {
        try LedgerColumn.all.allSatisfy { column in
            try reader.read(number, column) { block in
                expected.allSatisfy { codes.areSame(block[$0.index], $0.row[column], column) }
            } ?? false
        }
    }

    // MARK: What follows from the rows

    /// The quarter of an hour of a row; SQLite rounds towards zero.
    private static let quarterSQL = "received_at / \(quarter) - (received_at % \(quarter) < 0)"
    private static let quarter = LedgerTime.quarterMilliseconds

    private mutating func checkUniqueness() throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT min(id), max(id) FROM postback GROUP BY key_digest HAVING count(*) > 1 ORDER BY 1")
        while let row = try rows.next() {
            result.note(.sameKey(try row.integer(0), try row.integer(1)))
        }
    }

    private mutating func checkDeliveries() throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT quarter, traffic, recipient, coalesce(counted.count, 0), coalesce(there.count, 0)
                FROM (
                    SELECT \(Self.quarterSQL) AS quarter, traffic, recipient, count(*) AS count
                    FROM postback GROUP BY 1, 2, 3
                ) AS there FULL JOIN (
                    SELECT quarter, traffic, recipient, sum(count) AS count FROM delivery
                    WHERE status = 'recorded' GROUP BY 1, 2, 3
                ) AS counted USING (quarter, traffic, recipient)
                WHERE counted.count IS NOT there.count AND (counted.count <> 0 OR there.count <> 0)
                ORDER BY quarter, traffic, recipient
                """)
        while let row = try rows.next() {
            result.note(
                .deliveries(
                    quarter: try row.integer(0), traffic: try row.text(1), recipient: try row.text(2),
                    counted: try row.integer(3), rows: try row.integer(4)))
        }
    }

    private mutating func checkCopies() throws {
        let strays = try Int64.fetchAll(
            db,
            sql: "SELECT DISTINCT id FROM recipient_copy WHERE id NOT IN (SELECT id FROM postback) ORDER BY id")
        for id in strays {
            result.note(.copyWithoutRow(id))
        }
    }

    private mutating func checkQuarantine() throws {
        let wrong = try String.fetchAll(
            db,
            sql: """
                SELECT coalesce(there.class, total.class)
                FROM (SELECT class, count(*) AS count, sum(length(body)) AS bytes FROM quarantine GROUP BY class) AS there
                FULL JOIN (SELECT * FROM quarantine_total WHERE count <> 0 OR bytes <> 0) AS total
                    ON there.class = total.class
                WHERE there.count IS NOT total.count OR there.bytes IS NOT total.bytes
                """)
        for kind in wrong {
            result.note(.quarantineTotal(kind))
        }
    }
}
