import Attribution
import AttributionStore
import Foundation
import GRDB

/// One recording transaction: it inserts rows as they come and writes delivery counts once at the end.
struct RecordingBatch {
    let db: Database
    let networks: OwnNetworks
    private let memory: WriterState
    let now: Int64
    let arena = HotStatement.Arena()
    private let insertPostback: HotStatement
    private let insertBody: HotStatement
    private var lastRow: Int64
    /// The room in the quarantine; changed only here and in the extension for the quarantine.
    var room: QuarantineRoom
    /// The quarantine's totals before this transaction.
    let totalsBefore: [QuarantineClass: QuarantineRoom.Used]
    /// The digests this transaction adds to the index, in the order of the rows.
    private var added: [UInt64] = []
    /// The postbacks this transaction recorded.
    private var addedCopies: [Digest16: FirstCopy] = [:]
    /// Delivery counts by quarter hour, without those of ``run``.
    private var deliveries: [Int64: DeliveryCounts] = [:]
    /// The current run of deliveries of one kind; most batches have few runs.
    private var run: (quarter: Int64, kind: DeliveryCounts.Kind, tally: DeliveryCounts.Tally)?
    /// Copies for other recipients than the recorded one.
    private var copies: [RecipientCopy] = []
    /// Bodies that were not kept, by class.
    var notKept: [QuarantineClass: Int] = [:]

    /// Begins a batch.
    ///
    /// - Parameters:
    ///   - db: The writing connection, within the transaction.
    ///   - networks: The networks whose postbacks are ours.
    ///   - memory: The owner's state.
    ///   - now: The time recorded with each row, in Unix milliseconds.
    /// - Throws: SQLite's errors.
    init(_ db: Database, networks: OwnNetworks, memory: WriterState, now: Int64) throws {
        self.db = db
        self.networks = networks
        self.memory = memory
        self.now = now
        lastRow = memory.lastRow
        addedCopies.reserveCapacity(256)
        room = memory.room
        totalsBefore = room.totals
        insertPostback = try HotStatement(db, sql: Self.insertPostbackSQL, arena)
        insertBody = try HotStatement(db, sql: "INSERT INTO postback_body (id, body) VALUES (?, ?)", arena)
    }

    /// Records one delivery.
    ///
    /// - Returns: The result; nil if it can be neither recorded nor kept, and has to be sent again.
    mutating func record(_ prepared: PreparedDelivery) throws -> Recording? {
        let delivery = prepared.delivery
        let recording: Recording
        switch delivery.judgement {
        case .verified(let verified):
            guard let digests = prepared.digests else {
                return nil
            }
            if let first = first(prepared) {
                recording = try compare(first, digests, verified.postback.body, delivery)
            } else if prepared.isKnownByID {
                recording = .duplicate(networks.traffic(of: verified))
            } else {
                recording = try record(verified, digests, delivery)
            }
        case .rejected(let rejection, let body):
            let quarantined = QuarantinedBody(rejection, body, delivery, networks: networks)
            if let traffic = try keptUnknown(quarantined) {
                recording = .duplicate(traffic)
                break
            }
            let isKept = try keep(quarantined)
            guard isKept || !quarantined.kind.isKeptOrRefused else {
                return nil
            }
            recording = .quarantined(rejection, isKept: isKept)
        case .undecided:
            return nil
        }
        count(.init(recording, recipient: delivery.recipient), kept: recording.isKept ? 1 : 0, at: delivery)
        return recording
    }

    /// Whether a delivery is the very one that was recorded: of the same moment and recipient, and saying the same.
    func isRecorded(_ prepared: PreparedDelivery) -> Bool {
        guard let digests = prepared.digests, let first = first(prepared) else {
            return false
        }
        return isRecorded(first, digests, prepared.delivery)
    }

    /// The copy that was counted of a delivery's postback; nil for a new one.
    func first(_ prepared: PreparedDelivery) -> FirstCopy? {
        prepared.first ?? prepared.digests.flatMap { addedCopies[$0.key] }
    }

    private func isRecorded(_ first: FirstCopy, _ digests: PostbackDigests, _ delivery: Delivery) -> Bool {
        first.content == digests.content && first.receivedAt == delivery.receivedAtMilliseconds
            && first.recipient == delivery.recipient
    }

    /// Counts deliveries; negative numbers subtract.
    mutating func count(_ kind: DeliveryCounts.Kind, _ count: Int64 = 1, kept: Int64, at delivery: Delivery) {
        let quarter = delivery.receivedAtMilliseconds.quarterOfAnHour
        if run?.quarter != quarter || run?.kind != kind {
            endRun()
            run = (quarter, kind, DeliveryCounts.Tally(count: 0, kept: 0))
        }
        run?.tally.add(DeliveryCounts.Tally(count: count, kept: kept))
    }

    private mutating func endRun() {
        if let run {
            deliveries[run.quarter, default: DeliveryCounts()].add(
                run.kind, count: run.tally.count, kept: run.tally.kept)
        }
        run = nil
    }

    /// Records a new postback.
    private mutating func record(
        _ verified: VerifiedPostback, _ digests: PostbackDigests, _ delivery: Delivery
    ) throws -> Recording {
        let traffic = networks.traffic(of: verified)
        try insert(
            NewPostback(
                body: verified.postback.body, keyName: verified.keyName, digests: digests,
                facts: PostbackFacts(
                    verified.postback, traffic: traffic, recipient: delivery.recipient,
                    receivedAtMilliseconds: delivery.receivedAtMilliseconds, key: digests.key),
                receivedAt: delivery.receivedAtMilliseconds, recordedAt: now))
        return .recorded(traffic)
    }

    /// Compares another copy of a postback with the first.
    private mutating func compare(
        _ first: FirstCopy, _ digests: PostbackDigests, _ body: [UInt8], _ delivery: Delivery
    ) throws -> Recording {
        guard first.content == digests.content else {
            let copy = QuarantinedBody(conflictWith: first.id, digests.content, body, delivery)
            return .conflict(first.traffic, isKept: try keepConflict(copy))
        }
        let quarter = delivery.receivedAtMilliseconds.quarterOfAnHour
        deliveries[quarter, default: DeliveryCounts()].add(
            RepeatDelay(milliseconds: delivery.receivedAtMilliseconds &- first.receivedAt))
        if first.recipient != delivery.recipient {
            copies.append(
                RecipientCopy(
                    id: first.id, recipient: delivery.recipient,
                    receivedAtMilliseconds: delivery.receivedAtMilliseconds))
        }
        return .duplicate(first.traffic)
    }

    /// Takes over a postback that another store recorded, and that is not here.
    mutating func insert(_ copied: CopiedPostback, isCounted: Bool) throws -> Bool {
        guard addedCopies[copied.digests.key] == nil else {
            return false
        }
        let recorded = copied.recorded
        try insert(
            NewPostback(
                body: copied.body, keyName: recorded.keyName, digests: copied.digests, facts: copied.facts,
                receivedAt: recorded.receivedAtMilliseconds, recordedAt: recorded.recordedAtMilliseconds))
        if isCounted {
            count(.init(.recorded(recorded.traffic), recipient: recorded.recipient), kept: 1, at: copied.delivery)
        }
        return true
    }

    /// The recorded postback that a delivery contradicts, and the delivery's content; nil for none.
    func conflict(_ prepared: PreparedDelivery) -> (id: Int64, content: Digest16, traffic: Traffic)? {
        guard let digests = prepared.digests, let first = first(prepared), first.content != digests.content else {
            return nil
        }
        return (first.id, digests.content, first.traffic)
    }

    /// A postback on its way into the tables.
    private struct NewPostback {
        let body: [UInt8]
        let keyName: String
        let digests: PostbackDigests
        let facts: PostbackFacts
        let receivedAt: Int64
        let recordedAt: Int64
    }

    private mutating func insert(_ postback: NewPostback) throws {
        lastRow += 1
        guard lastRow <= UInt32.max else {
            throw DatabaseError(message: "a SQLite store holds 4,294,967,295 postbacks at most")
        }
        let id = lastRow
        let (facts, digests) = (postback.facts, postback.digests)
        // In the order of columns.
        try insertPostback.run { row in
            row.bind(id)
            row.bind(postback.recordedAt)
            row.bind(postback.receivedAt)
            row.bind(facts.recipient.rawValue)
            row.bind(facts.traffic.rawValue)
            row.bind(postback.keyName)
            row.bind(PostbackDigests.version)
            row.bind(digests.key)
            row.bind(digests.content)
        }
        try insertBody.run { row in
            row.bind(id)
            row.bind(postback.body)
        }
        memory.append(facts)
        added.append(digests.key.high)
        addedCopies[digests.key] = FirstCopy(
            id: id, content: digests.content, receivedAt: postback.receivedAt, recipient: facts.recipient,
            traffic: facts.traffic)
    }

    /// The last row before this transaction, and the last one now.
    var rows: (before: Int64, last: Int64) {
        (memory.lastRow, lastRow)
    }

    // MARK: Sums

    /// Writes the counts of the batch, the quarantine's totals, and blocks of columns that are full.
    mutating func finish() throws {
        endRun()
        if !deliveries.isEmpty {
            try writeDeliveries()
        }
        for copy in copies {
            try copy.write(db)
        }
        try writeTotals()
        try memory.writeBlocks(db)
    }

    /// Writes counts by quarter hour, once for each kind of delivery.
    private func writeDeliveries() throws {
        let upsertDelivery = try HotStatement(db, sql: Self.upsertDelivery, arena)
        for (quarter, counts) in deliveries {
            for (delay, count) in counts.repeats {
                try db.cachedStatement(sql: Self.upsertRepeat).execute(arguments: [quarter, delay.rawValue, count])
            }
            for (kind, tally) in counts.tallies where tally.count != 0 || tally.kept != 0 {
                try upsertDelivery.run { row in
                    row.bind(quarter)
                    row.bind(kind.status.rawValue)
                    row.bind(kind.traffic?.rawValue ?? "")
                    row.bind(kind.reason?.rawValue ?? "")
                    row.bind(kind.recipient.rawValue)
                    row.bind(tally.count)
                    row.bind(tally.kept)
                }
            }
        }
    }

    /// Updates the owner's state after the commit.
    func didCommit() {
        memory.add(added, recordedAt: now, room)
    }

    /// Writes to every table that recording needs, after the last row, in a savepoint that is rolled back.
    static func rehearse(_ db: Database, after last: Int64) throws {
        try db.execute(
            sql: """
                INSERT INTO postback (\(columns.joined(separator: ", ")))
                VALUES (:id, 0, 0, 'network', 'test', '', 0, zeroblob(16), zeroblob(16));
                INSERT INTO postback_body VALUES (:id, zeroblob(600));
                INSERT INTO recipient_copy VALUES (:id, 'network', 0);
                INSERT INTO delivery VALUES (-1, '', '', '', '', 0, 0);
                INSERT INTO known_id VALUES (x'');
                INSERT INTO repeat_delay VALUES (-1, 0, 0);
                INSERT INTO quarantine (class, received_at, recipient, client, reason, detail, body)
                VALUES ('garbage', 0, 'network', '', '', '', x'');
                INSERT INTO quarantine_total VALUES ('', 0, 0);
                INSERT INTO column_block VALUES (-1, 0, 0, 0, x'', 0);
                INSERT INTO column_value VALUES (-1, 0, '', 0)
                """, arguments: ["id": last + 1])
    }

    // MARK: Statements

    private static let columns = [
        "id", "recorded_at", "received_at", "recipient", "traffic", "key_name", "digest_version", "key_digest",
        "content_digest",
    ]

    private static let insertPostbackSQL = """
        INSERT INTO postback (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    static let upsertDelivery = """
        INSERT INTO delivery (quarter, status, traffic, reason, recipient, count, kept) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (quarter, status, traffic, reason, recipient)
        DO UPDATE SET count = count + excluded.count, kept = kept + excluded.kept
        """

    static let upsertRepeat = """
        INSERT INTO repeat_delay (quarter, delay, count) VALUES (?, ?, ?)
        ON CONFLICT (quarter, delay) DO UPDATE SET count = count + excluded.count
        """
}

/// The first copy of a postback that came for another recipient than the recorded one.
struct RecipientCopy {
    let id: Int64
    let recipient: Delivery.Recipient
    let receivedAtMilliseconds: Int64

    /// Writes the copy, unless the recipient has an earlier one.
    func write(_ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO recipient_copy (id, recipient, received_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        ).execute(arguments: [id, recipient.rawValue, receivedAtMilliseconds])
    }
}
