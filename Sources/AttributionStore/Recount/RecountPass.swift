import Attribution
import Foundation
import GRDB

/// Reads everything a report reads, and compares it with the raw bytes; in memory that does not grow with the postbacks.
struct RecountPass {
    let db: Database
    let judge: ([[UInt8]]) -> [Judgement]
    private var result = Recount()
    private var newest: Int64 = 0
    /// The first and last row of each quarter of an hour.
    private var quarters: [Int64: ClosedRange<Int64>] = [:]
    private var recorded: [DeliveryKey: Int64] = [:]

    private struct DeliveryKey: Hashable {
        let quarter: Int64
        let traffic: String
        let recipient: String
    }

    /// Rows verified together.
    private static let rowsAtOnce = 1_024

    init(_ db: Database, judge: @escaping ([[UInt8]]) -> [Judgement]) {
        self.db = db
        self.judge = judge
    }

    /// Compares everything.
    consuming func run() throws -> Recount {
        try checkStructure()
        newest = try LedgerScan.newestRow(db)
        try checkRows()
        try checkKeyBlocks()
        try checkUniqueness()
        try checkQuarters()
        try checkTallies()
        try checkDeliveries()
        try checkQuarantine()
        return result
    }

    // MARK: Rows

    private mutating func checkStructure() throws {
        do {
            let lines = try String.fetchCursor(db, sql: "PRAGMA quick_check(100)")
            while let line = try lines.next() {
                if line != "ok" {
                    result.note(.structure(line))
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // It ends so after the lines that say what is wrong.
            if result.differenceCount == 0 {
                result.note(.structure("it cannot be read to its end"))
            }
        }
    }

    private struct StoredRow {
        let id: Int64
        let traffic: Traffic
        let keyDigest: [UInt8]
        let contentDigest: [UInt8]
        let columns: [String?]
        let body: [UInt8]
    }

    private mutating func checkRows() throws {
        guard newest > 0 else {
            return
        }
        var expected: Int64 = 1
        var batch: [StoredRow] = []
        var pending = self
        let scan = LedgerScan(
            db: db,
            columns: "id, received_at, recipient, traffic, key_digest, content_digest, body, \(PostbackColumns.list)",
            table: "postback LEFT JOIN postback_body USING (id)")
        try scan.each(1...newest) { row in
            let id: Int64 = row[0]
            while expected < id {
                pending.result.note(.missingRow(expected))
                expected += 1
            }
            expected = id + 1
            let quarter = (row[1] as Int64).flooredQuotient(by: RecordingBatch.quarterMilliseconds)
            pending.quarters[quarter] = (pending.quarters[quarter]?.lowerBound ?? id)...id
            pending.recorded[
                DeliveryKey(quarter: quarter, traffic: row[3], recipient: row[2]), default: 0] += 1
            pending.result.postbacks += 1
            guard let traffic = Traffic(rawValue: row[3]), let body = row[6] as Data? else {
                pending.result.note(
                    .unreadable(id, reason: row[6] as Data? == nil ? "its body is missing" : "its traffic"))
                return
            }
            batch.append(
                StoredRow(
                    id: id, traffic: traffic, keyDigest: try row.bytes(at: 4), contentDigest: try row.bytes(at: 5),
                    columns: PostbackColumns.names.indices.map { row[7 + $0] }, body: Array(body)))
            if batch.count == Self.rowsAtOnce {
                pending.check(batch)
                batch.removeAll(keepingCapacity: true)
            }
        } skip: { id in
            pending.result.note(.unreadable(id, reason: "its page is damaged"))
            expected = id + 1
        }
        pending.check(batch)
        self = pending
    }

    private mutating func check(_ batch: [StoredRow]) {
        for (row, judgement) in zip(batch, judge(batch.map(\.body))) {
            let postback: ReceivedPostback
            switch judgement {
            case .verified(let verified) where verified.provenance == row.traffic.provenance:
                postback = verified.postback
                result.verified += 1
            case .verified(let verified):
                result.note(
                    .unverified(
                        row.id,
                        reason: "recorded as \(row.traffic.rawValue), verifies as \(verified.provenance.rawValue)"))
                continue
            case .undecided(let reason, _):
                result.note(.unverified(row.id, reason: "could not be verified: \(reason)"))
                continue
            case .rejected(let rejection, _):
                guard row.traffic == .test, rejection.code == .invalidSignature || rejection.code == .unknownKey,
                    let received = try? ReceivedPostback(reading: row.body)
                else {
                    result.note(.unverified(row.id, reason: "does not verify again: \(rejection)"))
                    continue
                }
                // The key that verified it was not named again.
                postback = received
                result.unverifiedTest += 1
            }
            let digests = PostbackDigests(postback, provenance: row.traffic.provenance)
            if digests.key.bytes != row.keyDigest || digests.content.bytes != row.contentDigest {
                result.note(.digests(row.id))
            }
            if PostbackColumns.values(of: postback).map(Optional.some) != row.columns {
                result.note(.columns(row.id))
            }
        }
    }

    // MARK: What follows from the rows

    private mutating func checkKeyBlocks() throws {
        var next: Int64 = 1
        var bad: [ClosedRange<Int64>] = []
        let blocks = try Row.fetchCursor(
            db, sql: "SELECT first_id, digests, checksum FROM key_block ORDER BY first_id")
        while let row = try blocks.next() {
            let first: Int64 = row[0]
            guard let block = KeyBlock(row), first == next, first + Int64(block.digests.count) - 1 <= newest else {
                bad.append(min(first, max(next, 1))...max(first, next))
                continue
            }
            let last = first + Int64(block.digests.count) - 1
            var isSame = true
            try LedgerScan(db: db, columns: "id, key_digest", table: "postback").each(first...last) { row in
                let digest = try row.withUnsafeData(atIndex: 1) { $0?.withUnsafeBytes { Digest16($0) } }
                isSame = isSame && digest?.high == block.digests[Int(row[0] as Int64 - first)]
            }
            if !isSame {
                bad.append(first...last)
            }
            next = last + 1
        }
        if next <= newest {
            bad.append(next...newest)
        }
        for ids in bad {
            result.note(.keyBlocks(ids))
        }
    }

    /// Looks for two rows of one key, a part of the digests at a time, so that memory stays bounded.
    private mutating func checkUniqueness() throws {
        guard newest > 0 else {
            return
        }
        let atOnce: Int64 = 2_000_000
        let parts = UInt64(newest / atOnce + 1)
        for part in 0..<parts {
            var found: [(digest: Digest16, id: Int64)] = []
            try LedgerScan(db: db, columns: "id, key_digest", table: "postback").each(1...newest) { row in
                if let digest = try row.withUnsafeData(atIndex: 1, { $0?.withUnsafeBytes { Digest16($0) } }),
                    digest.high % parts == part
                {
                    found.append((digest, row[0]))
                }
            }
            found.sort { ($0.digest.high, $0.digest.low, $0.id) < ($1.digest.high, $1.digest.low, $1.id) }
            for (first, second) in zip(found, found.dropFirst()) where first.digest == second.digest {
                result.note(.sameKey(first.id, second.id))
            }
        }
    }

    private mutating func checkQuarters() throws {
        var expected = quarters
        let rows = try Row.fetchCursor(db, sql: "SELECT quarter, first_id, last_id FROM postback_quarter")
        while let row = try rows.next() {
            let (quarter, first, last): (Int64, Int64, Int64) = (row[0], row[1], row[2])
            let ids = expected.removeValue(forKey: quarter)
            if ids?.lowerBound != first || ids?.upperBound != last {
                result.note(.quarter(quarter, ids))
            }
        }
        for (quarter, ids) in expected.sorted(by: { $0.key < $1.key }) {
            result.note(.quarter(quarter, ids))
        }
    }

    private mutating func checkTallies() throws {
        let fold = TallyFold(db)
        let marks = try fold.marks()
        for family in TallyFamily.allCases {
            let mark = marks[family] ?? -1
            if !(0...newest).contains(mark) {
                result.note(.mark(family: family.rawValue, mark))
            }
        }
        let perDay = TallyFamily.dayMilliseconds / RecordingBatch.quarterMilliseconds
        var days: [Int64: ClosedRange<Int64>] = [:]
        for (quarter, ids) in quarters {
            let day = quarter.flooredQuotient(by: perDay)
            let known = days[day] ?? ids
            days[day] = min(known.lowerBound, ids.lowerBound)...max(known.upperBound, ids.upperBound)
        }
        let tallied = try Int64.fetchAll(db, sql: "SELECT DISTINCT day FROM tally")
        for day in Set(tallied).union(days.keys).sorted() {
            let totals = try TallyTotals(day: day, ids: days[day], marks: marks, db)
            for text in try totals.differences(day: day, db) {
                result.note(.tallies(day: day, text))
            }
        }
    }

    private mutating func checkDeliveries() throws {
        var expected = recorded
        let rows = try Row.fetchCursor(
            db, sql: "SELECT quarter, traffic, recipient, count FROM delivery WHERE status = 'recorded'")
        while let row = try rows.next() {
            let key = DeliveryKey(quarter: row[0], traffic: row[1], recipient: row[2])
            note(key, counted: row[3], rows: expected.removeValue(forKey: key) ?? 0)
        }
        for (key, rows) in expected {
            note(key, counted: 0, rows: rows)
        }
    }

    private mutating func note(_ key: DeliveryKey, counted: Int64, rows: Int64) {
        if counted != rows {
            result.note(
                .deliveries(
                    quarter: key.quarter, traffic: key.traffic, recipient: key.recipient, counted: counted, rows: rows))
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
        let strange = try Int64.fetchAll(
            db, sql: "SELECT id FROM recipient_copy WHERE id < 1 OR id > ? LIMIT 100", arguments: [newest])
        for id in strange {
            result.note(.copyWithoutRow(id))
        }
    }
}
