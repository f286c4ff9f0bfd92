import Attribution
import Foundation
import GRDB

/// The work of one recording transaction: rows as they come, counts once at the end, tallies when they are due.
struct RecordingBatch {
    private let db: Database
    private let bounds: QuarantineBounds
    private let memory: WriterMemory
    private let arena = HotStatement.Arena()
    private let insertPostback: HotStatement
    /// The last row before this transaction, and now.
    private let rowBefore: Int64
    private var lastRow: Int64
    /// Everything behind the tallies' marks; the memory's own while this transaction lasts.
    private var backlog: TallyBacklog
    /// What this transaction adds to the index, in the order of the rows.
    private var added: [UInt64] = []
    /// The first and last row this transaction adds to each quarter of an hour.
    private var quarters: [Int64: (first: Int64, last: Int64)] = [:]
    /// Delivery counts by quarter of an hour.
    private var deliveries: [Int64: DeliveryCounts] = [:]
    /// The bodies kept so far of each hour this batch touches, as read from the store and grown since.
    private var kept: [Int64: KeptBodies] = [:]

    private struct KeptBodies {
        var count: Int64
        var bytes: Int64
    }

    init(_ db: Database, bounds: QuarantineBounds, memory: WriterMemory) throws {
        self.db = db
        self.bounds = bounds
        self.memory = memory
        rowBefore = memory.lastRow
        lastRow = rowBefore
        backlog = try memory.takeBacklog(db)
        insertPostback = try HotStatement(db, sql: Self.insertPostbackSQL, arena)
    }

    mutating func record(_ delivery: Delivery) throws -> Recording {
        let recording: Recording
        let isKept: Bool
        switch delivery.judgement {
        case .verified(let verified):
            (recording, isKept) = try record(verified, delivery)
        case .undecided(let reason, _):
            throw DatabaseError(message: "an undecided postback cannot be recorded: \(reason)")
        case .rejected(let rejection, let body):
            recording = .quarantined(rejection)
            isKept = try claimRoom(for: body, at: delivery.receivedAtMilliseconds)
            if isKept {
                try db.cachedStatement(sql: Self.insertQuarantine).execute(arguments: [
                    delivery.receivedAtMilliseconds, delivery.recipient.rawValue, rejection.code.rawValue,
                    rejection.description, Data(body),
                ])
            }
        }
        let quarter = delivery.receivedAtMilliseconds.flooredQuotient(by: Self.quarterMilliseconds)
        deliveries[quarter, default: DeliveryCounts()].add(.init(recording), kept: isKept ? 1 : 0)
        return recording
    }

    private mutating func record(_ verified: VerifiedPostback, _ delivery: Delivery) throws -> (Recording, Bool) {
        let postback = verified.postback
        let fingerprint = postback.key.fingerprint(verified.provenance)
        guard let first = try firstCopy(of: postback.key, verified.provenance, fingerprint) else {
            let values = ReportDimension.storedValues(of: postback)
            try insert(verified, values, delivery, fingerprint)
            backlog.count(
                CountedTraits(postback), values, provenance: verified.provenance,
                receivedAtMilliseconds: delivery.receivedAtMilliseconds)
            return (.recorded(verified.provenance), true)
        }
        if first.postback.saysTheSame(as: postback) {
            return (.duplicate(verified.provenance), true)
        }
        let isKept = try claimRoom(for: postback.body, at: delivery.receivedAtMilliseconds)
        if isKept {
            try db.cachedStatement(sql: Self.insertConflict).execute(arguments: [
                first.id, delivery.receivedAtMilliseconds, delivery.recipient.rawValue, Data(postback.body),
            ])
        }
        return (.conflict(verified.provenance), isKept)
    }

    private mutating func insert(
        _ verified: VerifiedPostback,
        _ values: [String],
        _ delivery: Delivery,
        _ fingerprint: UInt64
    ) throws {
        lastRow += 1
        guard lastRow <= UInt32.max else {
            throw DatabaseError(message: "a SQLite store holds 4,294,967,295 postbacks at most")
        }
        let id = lastRow
        let postback = verified.postback
        // In the order of the statement's columns.
        try insertPostback.run { row in
            row.bind(id)
            row.bind(delivery.receivedAtMilliseconds)
            row.bind(delivery.recipient.rawValue)
            row.bind(verified.provenance.rawValue)
            row.bind(verified.keyName)
            row.bind(postback.key.transactionID.text)
            row.bind(postback.body)
            row.bind(PostbackColumns.didWin(postback))
            row.bind(PostbackColumns.conversion(postback))
            for value in values {
                row.bind(value)
            }
        }
        let quarter = delivery.receivedAtMilliseconds.flooredQuotient(by: Self.quarterMilliseconds)
        quarters[quarter] = (quarters[quarter]?.first ?? id, id)
        added.append(fingerprint)
    }

    /// The copy that was counted, read again from its bytes, which say exactly what it said; nil for a new postback.
    private func firstCopy(
        of key: PostbackKey,
        _ provenance: Provenance,
        _ fingerprint: UInt64
    ) throws -> (id: Int64, postback: ReceivedPostback)? {
        for id in memory.rows(fingerprint).map(Int64.init) + addedRows(fingerprint) {
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT provenance, body FROM postback WHERE id = ?"), arguments: [id])
            guard let row else {
                throw DatabaseError(message: "postback \(id) stands in the index but not in the store")
            }
            let postback = try ReceivedPostback(reading: row.bytes(at: 1))
            if postback.key == key, row[0] == provenance.rawValue {
                return (id, postback)
            }
        }
        return nil
    }

    /// The rows of this transaction under a fingerprint; it has too few for an index of them to pay.
    private func addedRows(_ fingerprint: UInt64) -> [Int64] {
        guard added.contains(fingerprint) else {
            return []
        }
        return added.indices.filter { added[$0] == fingerprint }.map { rowBefore + 1 + Int64($0) }
    }

    // MARK: Bounds

    /// Takes room for one body from its hour, or says that there is none left.
    private mutating func claimRoom(for body: [UInt8], at milliseconds: Int64) throws -> Bool {
        let hour = milliseconds.flooredQuotient(by: Self.hourMilliseconds)
        var used = try kept[hour] ?? storedKeptBodies(hour)
        let hasRoom =
            used.count < bounds.rowsPerHour && used.bytes + Int64(body.count) <= bounds.bytesPerHour
        if hasRoom {
            used.count += 1
            used.bytes += Int64(body.count)
        }
        kept[hour] = used
        return hasRoom
    }

    private func storedKeptBodies(_ hour: Int64) throws -> KeptBodies {
        let row = try Row.fetchOne(db, sql: "SELECT count, bytes FROM kept_bodies WHERE hour = ?", arguments: [hour])
        return row.map { KeptBodies(count: $0[0], bytes: $0[1]) } ?? KeptBodies(count: 0, bytes: 0)
    }

    // MARK: Sums

    /// Writes what was summed in memory, each delivery kind and hour once, and brings the tallies up when they are due.
    mutating func finish(tallyInterval: Int) throws {
        try TallyFold(db).writeDue(&backlog, last: lastRow, interval: tallyInterval)
        if !added.isEmpty {
            try HotStatement(db, sql: Self.insertFingerprints, arena).run { row in
                row.bind(rowBefore + 1)
                row.bind(FingerprintBlock.encode(added))
            }
        }
        let upsertQuarter = try HotStatement(db, sql: Self.upsertQuarter, arena)
        for (quarter, rows) in quarters {
            try upsertQuarter.run { row in
                row.bind(quarter)
                row.bind(rows.first)
                row.bind(rows.last)
            }
        }
        let upsertDelivery = try HotStatement(db, sql: Self.upsertDelivery, arena)
        for (quarter, counts) in deliveries {
            for (kind, tally) in counts.tallies {
                try upsertDelivery.run { row in
                    row.bind(quarter)
                    row.bind(kind.status.rawValue)
                    row.bind(kind.provenance?.rawValue ?? "")
                    row.bind(kind.reason?.rawValue ?? "")
                    row.bind(tally.count)
                    row.bind(tally.kept)
                }
            }
        }
        for (hour, used) in kept {
            try db.cachedStatement(sql: Self.upsertKept).execute(arguments: [hour, used.count, used.bytes])
        }
    }

    /// Hands over to the memory what the transaction added, now that it cannot be rolled back any more.
    consuming func didCommit() {
        memory.add(added, backlog)
    }

    // MARK: Statements

    static let quarterMilliseconds: Int64 = 900_000
    private static let hourMilliseconds: Int64 = 3_600_000

    private static let insertPostbackSQL: String = {
        let columns =
            ["id", "received_at", "recipient", "provenance", "key_name", "transaction_id", "body"]
            + PostbackColumns.names
        return """
            INSERT INTO postback (\(columns.joined(separator: ", ")))
            VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
            """
    }()

    private static let insertFingerprints =
        "INSERT INTO postback_fingerprints (first_id, fingerprints) VALUES (?, ?)"

    /// Rows come in order, so only the last one of a quarter moves.
    private static let upsertQuarter = """
        INSERT INTO postback_quarter (quarter, first_id, last_id) VALUES (?, ?, ?)
        ON CONFLICT (quarter) DO UPDATE SET last_id = excluded.last_id
        """

    private static let insertConflict =
        "INSERT INTO conflict (postback_id, received_at, recipient, body) VALUES (?, ?, ?, ?)"

    private static let insertQuarantine =
        "INSERT INTO quarantine (received_at, recipient, reason, detail, body) VALUES (?, ?, ?, ?, ?)"

    private static let upsertDelivery = """
        INSERT INTO delivery (quarter, status, provenance, reason, count, kept) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (quarter, status, provenance, reason)
        DO UPDATE SET count = count + excluded.count, kept = kept + excluded.kept
        """

    private static let upsertKept = """
        INSERT INTO kept_bodies (hour, count, bytes) VALUES (?, ?, ?)
        ON CONFLICT (hour) DO UPDATE SET count = excluded.count, bytes = excluded.bytes
        """
}
