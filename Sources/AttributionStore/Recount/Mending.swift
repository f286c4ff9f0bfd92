import Attribution
import Foundation
import GRDB

/// Mends what differs by what the transaction sees.
struct Mending {
    let db: Database

    /// What is made again from the rows and their bytes.
    enum Target: Hashable {
        case row(Int64)
        case keyBlocks(ClosedRange<Int64>)
        case quarter(Int64, ClosedRange<Int64>?)
        /// Every tally, from the first postback on.
        case allTallies
        case tallies(day: Int64)
        case deliveries(quarter: Int64, traffic: String, recipient: String)
        case quarantineTotal(String)
        case copyWithoutRow(Int64)

        /// What cures a difference; nil for one that nothing cures.
        init?(_ difference: RecountDifference) {
            switch difference {
            case .structure, .missingRow, .unreadable, .unverified, .sameKey: return nil
            case .columns(let id), .digests(let id): self = .row(id)
            case .keyBlocks(let ids): self = .keyBlocks(ids)
            case .quarter(let quarter, let ids): self = .quarter(quarter, ids)
            case .mark: self = .allTallies
            case .tallies(let day, _): self = .tallies(day: day)
            case .deliveries(let quarter, let traffic, let recipient, _, _):
                self = .deliveries(quarter: quarter, traffic: traffic, recipient: recipient)
            case .quarantineTotal(let kind): self = .quarantineTotal(kind)
            case .copyWithoutRow(let id): self = .copyWithoutRow(id)
            }
        }
    }

    /// Makes a target again.
    ///
    /// - Returns: The key digests of rows that had others, for the index in an owner's memory.
    func mend(_ target: Target) throws -> [(digest: UInt64, row: Int64)] {
        switch target {
        case .row(let id):
            return try mendRow(id).map { [($0, id)] } ?? []
        case .keyBlocks(let ids):
            try mendKeyBlocks(ids)
        case .quarter(let quarter, let ids):
            try mendQuarter(quarter, ids)
        case .allTallies:
            // In one transaction: readers add what is behind the marks to the tallies.
            try db.execute(sql: "DELETE FROM tally; DELETE FROM tally_mark")
            for family in TallyFamily.allCases {
                try db.execute(sql: "INSERT INTO tally_mark VALUES (?, 0)", arguments: [family.rawValue])
            }
        case .tallies(let day):
            try mendTallies(day)
        case .deliveries(let quarter, let traffic, let recipient):
            try mendDeliveries(quarter, traffic, recipient)
        case .quarantineTotal(let kind):
            try db.execute(
                sql: """
                    INSERT INTO quarantine_total
                    SELECT :class, count(*), coalesce(sum(length(body)), 0) FROM quarantine WHERE class = :class
                    ON CONFLICT DO UPDATE SET count = excluded.count, bytes = excluded.bytes
                    """, arguments: ["class": kind])
        case .copyWithoutRow(let id):
            try db.execute(sql: "DELETE FROM recipient_copy WHERE id = ?", arguments: [id])
        }
        return []
    }

    private func mendRow(_ id: Int64) throws -> UInt64? {
        let row = try Row.fetchOne(
            db, sql: "SELECT traffic, body FROM postback JOIN postback_body USING (id) WHERE id = ?", arguments: [id])
        guard let row, let traffic = Traffic(rawValue: row[0]),
            let postback = try? ReceivedPostback(reading: row.bytes(at: 1))
        else {
            return nil
        }
        let digests = PostbackDigests(postback, provenance: traffic.provenance)
        let values = PostbackColumns.values(of: postback)
        try db.execute(sql: PostbackColumns.update, arguments: StatementArguments(values) + [id])
        try db.execute(
            sql: "UPDATE postback SET digest_version = ?, key_digest = ?, content_digest = ? WHERE id = ?",
            arguments: [PostbackDigests.version, Data(digests.key.bytes), Data(digests.content.bytes), id])
        return digests.key.high
    }

    /// Makes the blocks of some rows again, from the row after a good block to the row before the next.
    private func mendKeyBlocks(_ ids: ClosedRange<Int64>) throws {
        let newest = try LedgerScan.newestRow(db)
        var first: Int64 = 1
        var last = newest
        let rows = try Row.fetchAll(db, sql: "SELECT first_id, digests, checksum FROM key_block ORDER BY first_id")
        for row in rows {
            guard let block = KeyBlock(row) else {
                continue
            }
            let end = block.first + Int64(block.digests.count) - 1
            if end < ids.lowerBound {
                first = end + 1
            } else if block.first > ids.upperBound {
                last = block.first - 1
                break
            }
        }
        try db.execute(
            sql: "DELETE FROM key_block WHERE first_id BETWEEN ? AND ?", arguments: [first, max(last, ids.upperBound)])
        var digests: [UInt64] = []
        func put(endingAt id: Int64) throws {
            guard !digests.isEmpty else {
                return
            }
            let start = id - Int64(digests.count) + 1
            let bytes = KeyBlock.encode(digests)
            try db.execute(
                sql: "INSERT INTO key_block VALUES (?, ?, ?)",
                arguments: [start, Data(bytes), Data(KeyBlock.checksum(bytes, first: start))])
            digests.removeAll()
        }
        guard first <= last else {
            return
        }
        var next = first
        func append(_ digest: UInt64, for id: Int64) throws {
            // A row that is gone has no key; 0 finds nothing.
            digests.append(contentsOf: Array(repeating: 0, count: Int(id - next)) + [digest])
            next = id + 1
            if digests.count >= 1_024 {
                try put(endingAt: id)
            }
        }
        try KeyBlock.eachRow(db, first...last) { try append($1, for: $0) }
        if next <= last {
            try append(0, for: last)
        }
        try put(endingAt: last)
    }

    /// Notes the rows that were found, and those recorded since.
    private func mendQuarter(_ quarter: Int64, _ ids: ClosedRange<Int64>?) throws {
        let length = RecordingBatch.quarterMilliseconds
        try db.execute(sql: "DELETE FROM postback_quarter WHERE quarter = ?", arguments: [quarter])
        let later = try Row.fetchOne(
            db,
            sql: """
                SELECT min(id), max(id) FROM postback WHERE id > ? AND received_at >= ? AND received_at < ?
                """, arguments: [ids?.upperBound ?? 0, quarter * length, (quarter + 1) * length])
        guard let first = ids?.lowerBound ?? later?[0] as Int64?, let last = later?[1] as Int64? ?? ids?.upperBound
        else {
            return
        }
        try db.execute(sql: "INSERT INTO postback_quarter VALUES (?, ?, ?)", arguments: [quarter, first, last])
    }

    /// The rows among which those of some quarters are; nil for none.
    private func ids(ofQuarters quarters: ClosedRange<Int64>) throws -> ClosedRange<Int64>? {
        let row = try Row.fetchOne(
            db, sql: "SELECT min(first_id), max(last_id) FROM postback_quarter WHERE quarter BETWEEN ? AND ?",
            arguments: [quarters.lowerBound, quarters.upperBound])
        guard let first = row?[0] as Int64?, let last = row?[1] as Int64?, first <= last else {
            return nil
        }
        return first...last
    }

    private func mendTallies(_ day: Int64) throws {
        let perDay = TallyFamily.dayMilliseconds / RecordingBatch.quarterMilliseconds
        let totals = try TallyTotals(
            day: day, ids: try ids(ofQuarters: (day * perDay)...(day * perDay + perDay - 1)),
            marks: try TallyFold(db).marks(), db)
        try totals.replace(day: day, db)
    }

    private func mendDeliveries(_ quarter: Int64, _ traffic: String, _ recipient: String) throws {
        let length = RecordingBatch.quarterMilliseconds
        let ids = try ids(ofQuarters: quarter...quarter) ?? 0...0
        try db.execute(
            sql: """
                INSERT INTO delivery (quarter, status, traffic, reason, recipient, count, kept)
                SELECT :quarter, 'recorded', :traffic, '', :recipient, count(*), count(*) FROM postback
                WHERE id BETWEEN :first AND :last AND received_at >= :start AND received_at < :end
                    AND traffic = :traffic AND recipient = :recipient
                ON CONFLICT DO UPDATE SET count = excluded.count, kept = excluded.kept
                """,
            arguments: [
                "quarter": quarter, "traffic": traffic, "recipient": recipient, "start": quarter * length,
                "end": (quarter + 1) * length, "first": ids.lowerBound, "last": ids.upperBound,
            ])
    }
}
