import Attribution
import AttributionStore
import Foundation
import GRDB

/// Compares everything that reports read with the raw bytes, in bounded memory but for the counts of each quarter of an
/// hour.
struct RecountPass {
    let db: Database
    let judge: ([[UInt8]]) -> [Judgement]
    private var result = Recount()
    private var newest: Int64 = 0
    /// The newest postback of which a row or a body is left.
    private var newestStored: Int64 = 0
    /// Nil if the tables of columns are missing.
    private var columns: RecountColumns?
    private var recorded: [LostRows.DeliveryKey: Int64] = [:]
    private var lost: LostRows
    private var changedTimes = ChangedTimes()
    private var changedIDs = ChangedIDs()
    /// How many more bits of bodies are tried.
    private var triesLeft = ChangedBit.most
    /// How many rows are there of which it is not known what they count as.
    private var damagedRows: Int64 = 0

    /// Rows verified together.
    private static let batchSize = 1_024

    init(_ db: Database, judge: @escaping ([[UInt8]]) -> [Judgement]) throws {
        self.db = db
        self.judge = judge
        lost = try LostRows(db, judge: judge)
        columns = try RecreatableTables.columns.exist(db) ? RecountColumns(db) : nil
    }

    /// Compares everything.
    consuming func run() throws -> Recount {
        try checkStructure()
        guard try RecreatableTables.allCases.allSatisfy({ try !$0.areRecorded || $0.exist(db) }) else {
            // Without either table nothing can be compared, and a repair makes it again first.
            result.mustKeepCounts = true
            return result
        }
        newest = try LedgerScan.newestRow(db)
        newestStored = try LedgerScan.newestStored(db)
        try checkRows()
        try checkBodies()
        try checkUniqueness()
        // Damaged pages were reported by checkStructure.
        try checkDeliveries()
        if !result.mustKeepCounts || newest > 0 {
            _ = try RecreatableTables.recipientCopies.read(db) { try checkCopies() }
        }
        _ = try Database.nilIfDamaged { try checkQuarantine() }
        return result
    }

    // MARK: Rows

    private mutating func checkStructure() throws {
        for problem in try db.structureProblems().prefix(100) {
            result.note(.structure(problem))
        }
        for tables in RecreatableTables.allCases where try !tables.areWhole(db) {
            result.note(.tables(tables))
        }
    }

    private struct StoredRow {
        let id: Int64
        let receivedAt: Int64
        let recipient: Delivery.Recipient
        let traffic: Traffic
        let keyDigest: [UInt8]
        let contentDigest: [UInt8]
        let body: [UInt8]
        let keyName: String

        var digests: PostbackDigests? {
            guard let key = keyDigest.withUnsafeBytes({ Digest16($0) }),
                let content = contentDigest.withUnsafeBytes({ Digest16($0) })
            else {
                return nil
            }
            return PostbackDigests(key: key, content: content)
        }

        var delivery: LostRows.DeliveryKey {
            .init(quarter: receivedAt.quarterOfAnHour, traffic: traffic.rawValue, recipient: recipient.rawValue)
        }
    }

    private mutating func checkRows() throws {
        guard newest > 0 else {
            return
        }
        var expected: Int64 = 1
        var batch: [StoredRow] = []
        var pending = self
        let types = try RecreatableTables.typeConditions("postback", db)
        let scan = LedgerScan(
            db: db,
            columns: "id, received_at, recipient, traffic, key_digest, content_digest, body, key_name, \(types)",
            table: "postback LEFT JOIN postback_body USING (id)")
        try scan.each(1...newest) { row in
            let id = try row.integer(0)
            while expected < id {
                try pending.noteLost(expected)
                expected += 1
            }
            expected = id + 1
            // A repair does not keep such a row, and rebuilds it.
            if try row.integer(8) != 1 {
                pending.result.note(.unreadable(id, reason: "a value in its row is of the wrong type"))
            }
            guard let receivedAt = try? row.integer(1), let recipientName = try? row.text(2),
                let trafficName = try? row.text(3)
            else {
                pending.damagedRows += 1
                return
            }
            pending.result.postbacks += 1
            guard let traffic = Traffic(rawValue: trafficName),
                let recipient = Delivery.Recipient(rawValue: recipientName)
            else {
                pending.damagedRows += 1
                pending.result.note(
                    .unreadable(
                        id,
                        reason: Traffic(rawValue: trafficName) == nil
                            ? "its traffic is unknown" : "its recipient is unknown"))
                return
            }
            pending.recorded[
                LostRows.DeliveryKey(
                    quarter: receivedAt.quarterOfAnHour, traffic: trafficName, recipient: recipientName),
                default: 0] += 1
            guard let body = try? row.bytes(at: 6) else {
                if let digests = try? PostbackDigests(row, at: 4) {
                    pending.changedIDs.add(rowWithoutBody: id, digests)
                }
                pending.result.note(.unreadable(id, reason: "its body is missing"))
                return
            }
            batch.append(
                StoredRow(
                    id: id, receivedAt: receivedAt, recipient: recipient, traffic: traffic,
                    keyDigest: (try? row.bytes(at: 4)) ?? [], contentDigest: (try? row.bytes(at: 5)) ?? [], body: body,
                    keyName: (try? row.text(7)) ?? ""))
            if batch.count == Self.batchSize {
                try pending.check(batch)
                batch.removeAll(keepingCapacity: true)
            }
        } skip: { id in
            pending.damagedRows += 1
            pending.result.note(.unreadable(id, reason: "its page is damaged"))
            expected = id + 1
        } missing: { _ in
        }
        while expected <= newest {
            try pending.noteLost(expected)
            expected += 1
        }
        try pending.check(batch)
        if let (blocks, hasStrays) = try pending.columns?.finish() {
            for number in blocks {
                pending.result.note(.block(ColumnBlock.ids(number)))
            }
            if hasStrays {
                pending.result.note(.strayColumns)
            }
        }
        self = pending
    }

    /// Looks for missing bodies under other ids, and elsewhere in the file, for a repair.
    private mutating func checkBodies() throws {
        try changedIDs.note(in: &result, &lost, through: newest, db)
        if !result.differences.contains(.tables(.bodies)),
            try !FoundBodies(of: changedIDs.rowsWithoutBody, db, judge: judge).isEmpty
        {
            result.note(.tables(.bodies))
        }
        changedIDs = ChangedIDs()
    }

    private mutating func noteLost(_ id: Int64) throws {
        try lost.add(id)
        for difference in lost.takeGone() {
            result.note(difference)
        }
    }

    private mutating func check(_ batch: [StoredRow]) throws {
        for (row, judgement) in zip(batch, judge(batch.map(\.body))) {
            let postback: ReceivedPostback
            var isVerified = false
            var keyName = row.keyName
            switch judgement {
            case .verified(let verified) where verified.provenance == row.traffic.provenance:
                postback = verified.postback
                isVerified = true
                result.verified += 1
                keyName = verified.keyName
            case .verified(let verified):
                result.note(
                    .unverified(
                        row.id,
                        reason: "recorded as \(row.traffic.rawValue), verifies as \(verified.provenance.rawValue)"))
                result.keptQuarters.insert(row.delivery.quarter)
                continue
            case .undecided(let reason, _):
                result.note(.unverified(row.id, reason: "could not be verified: \(reason)"))
                continue
            case .rejected(let rejection, _):
                guard rejection.lacksKey(of: row.traffic, row.keyName),
                    let received = try? ReceivedPostback(reading: row.body)
                else {
                    result.note(.unverified(row.id, reason: "does not verify again: \(rejection)"))
                    continue
                }
                // The test key was not given this time.
                postback = received
            }
            let digests = PostbackDigests(postback, provenance: row.traffic.provenance)
            let isKeyRight = digests.key.bytes == row.keyDigest
            let isContentRight = digests.content.bytes == row.contentDigest
            let areDigestsRight = isKeyRight && isContentRight
            if isContentRight, keyName != row.keyName {
                result.note(.keyName(row.id, keyName))
            }
            if !isVerified {
                guard areDigestsRight else {
                    // Its bytes may be what damage changed.
                    result.note(.unverified(row.id, reason: RecountDifference.changedWithoutKey))
                    continue
                }
                result.unverifiedTest += 1
            }
            // Then it is the digest that was changed: no other postback's is so much alike.
            let isContentNear = row.digests?.content.isNear(digests.content) ?? false
            guard isKeyRight || isContentRight || isContentNear && row.digests?.key.isNear(digests.key) == true else {
                changedIDs.add(row.id, row: row.digests, body: digests)
                continue
            }
            let facts = PostbackFacts(
                postback, traffic: row.traffic, recipient: row.recipient, receivedAtMilliseconds: row.receivedAt,
                key: digests.key)
            let found = try columns?.check(row.id, facts, isBodyKnown: isContentRight)
            for number in found?.blocks ?? [] {
                result.note(.block(ColumnBlock.ids(number)))
            }
            switch found?.objection {
            case .time(let quarter): changedTimes.add(row.id, row.delivery, inBlock: quarter)
            case .delivery(let quarter):
                result.note(.unverified(row.id, reason: RecountDifference.otherDelivery))
                result.keptQuarters.formUnion([row.delivery.quarter] + (quarter.map { [$0] } ?? []))
            case .body:
                result.note(changedBit(row) ?? .unverified(row.id, reason: RecountDifference.changedBody))
                continue
            case nil: break
            }
            if areDigestsRight {
                continue
            }
            let areBytesProven = isContentRight || isContentNear || found?.areBytesConfirmed == true
            result.note(
                areBytesProven
                    ? .digests(row.id)
                    : changedBit(row) ?? .unverified(row.id, reason: RecountDifference.changedContent))
        }
    }

    /// The single bit of a body that damage changed, if that is so.
    private mutating func changedBit(_ row: StoredRow) -> RecountDifference? {
        guard let digests = row.digests, row.body.count * 8 <= triesLeft else {
            return nil
        }
        triesLeft -= row.body.count * 8
        return ChangedBit.find(in: row.body, digests, row.traffic.provenance, judge: judge)
            .map { .changedBit(row.id, bit: $0) }
    }

    // MARK: What follows from the rows

    /// Looks for rows with the same key, one part of the digests at a time to bound memory.
    private mutating func checkUniqueness() throws {
        guard newestStored > 0 else {
            return
        }
        let partSize: Int64 = 2_000_000
        let parts = UInt64(newestStored / partSize + 1)
        for part in 0..<parts {
            var found: [(digest: Digest16, id: Int64)] = []
            try LedgerScan(db: db, columns: "id, key_digest", table: "postback").each(1...newestStored) { row in
                if let digest = try row.digest(at: 1),
                    digest.high % parts == part
                {
                    found.append((digest, try row.integer(0)))
                }
            }
            found.sort { ($0.digest.high, $0.digest.low, $0.id) < ($1.digest.high, $1.digest.low, $1.id) }
            for (first, second) in zip(found, found.dropFirst()) where first.digest == second.digest {
                result.note(.sameKey(first.id, second.id))
            }
        }
    }

    private mutating func checkDeliveries() throws {
        let counted = try CountedDeliveries(
            db, isTableWhole: !result.differences.contains(.tables(.deliveryCounts)))
        for problem in counted.problems {
            result.note(problem)
        }
        let mayBeCounted = try counted.areDamaged ? RecreatableTables.deliveryCounts.exist(db) : counted.sum > 0
        guard newestStored > 0 || !mayBeCounted else {
            // Both tables of postbacks were emptied, or the store is new and the damaged counts were empty.
            if counted.sum > 0 {
                result.note(.noPostbacks(counted: counted.sum))
            }
            result.mustKeepCounts = true
            return
        }
        let inNoBlock = (columns?.last ?? 0) + 1
        let withoutTime = (columns?.idsWithoutTime ?? []) + (inNoBlock <= newest ? [inNoBlock...newest] : [])
        for difference in try changedTimes.differences(&recorded, counted, withoutTimeInBlock: withoutTime, db) {
            result.note(difference)
            result.mustKeepCounts = result.mustKeepCounts || difference.isRepairable
        }
        result.keptQuarters.formUnion(changedTimes.contradictedQuarters)
        result.note(unlisted: changedTimes.unread, isRepairable: true)
        // First, and as if they were there: a repair of the counts would destroy what these rows are rebuilt from.
        // While times were changed that are not listed, what the counts have more is no sign of lost rows.
        let findings = try lost.finish(changedTimes.unread == 0 ? counted.surplus(over: recorded) : [:])
        for difference in findings.gone + findings.rows.map({ .lostRow($0) }) {
            result.note(difference)
        }
        result.note(unlisted: findings.unread, isRepairable: true)
        result.mustKeepCounts =
            result.mustKeepCounts || changedTimes.unread > 0 || findings.mayVerify || findings.unread > 0
        recorded.merge(findings.deliveries, uniquingKeysWith: +)
        result.keptQuarters.formUnion(counted.contradictedQuarters(by: recorded))
        result.areCountsReadable = counted.areReadable
        guard findings.unread + changedTimes.unread == 0 else {
            return
        }
        for difference in counted.differences(from: recorded, missing: findings.missing + damagedRows) {
            result.note(difference)
        }
    }

    private mutating func checkCopies() throws {
        let strays = try Int64.fetchAll(
            db, sql: "SELECT id FROM recipient_copy WHERE id < 1 OR id > ? LIMIT 100", arguments: [newest])
        for id in strays {
            result.note(.copyWithoutRow(id))
        }
    }

    private mutating func checkQuarantine() throws {
        guard try RecreatableTables.quarantine.exist(db) && RecreatableTables.quarantineTotals.exist(db) else {
            return
        }
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
