import Attribution
import Foundation
import GRDB

/// The work of one recording transaction: rows as they come, counts once at the end, tallies when they are due.
struct RecordingBatch {
    let db: Database
    private let networks: OwnNetworks
    private let memory: WriterState
    private let now: Int64
    private let arena = HotStatement.Arena()
    private let insertPostback: HotStatement
    private let insertBody: HotStatement
    /// The last row before this transaction, and now.
    private let rowBefore: Int64
    private var lastRow: Int64
    /// What this transaction adds to what is behind the tallies' marks.
    private var counted: [CountedPostback] = []
    /// Everything behind the marks, when this transaction writes it.
    private var backlog: TallyBacklog?
    /// How full the quarantine is; changed here and in this file's extension alone.
    var room: QuarantineRoom
    /// What was in the quarantine before this transaction.
    let totalsBefore: [QuarantineClass: QuarantineRoom.Used]
    /// What this transaction adds to the index, in the order of the rows, and the copies it counts.
    private var added: [UInt64] = []
    private var addedCopies: [Digest16: FirstCopy] = [:]
    /// The first and last row this transaction adds to each quarter of an hour.
    private var quarters: [Int64: (first: Int64, last: Int64)] = [:]
    /// Delivery counts by quarter of an hour.
    private var deliveries: [Int64: DeliveryCounts] = [:]
    /// Bodies that were not kept, by class.
    var notKept: [QuarantineClass: Int] = [:]
    /// Rows that could not be read.
    private(set) var damagedRows: [Int64] = []

    /// Begins the work of a transaction.
    ///
    /// - Parameters:
    ///   - db: The writing connection, within the transaction.
    ///   - networks: The networks whose postbacks are ours.
    ///   - memory: What the owner keeps.
    ///   - now: Unix milliseconds, noted with each row.
    /// - Throws: What SQLite reports.
    init(_ db: Database, networks: OwnNetworks, memory: WriterState, now: Int64) throws {
        self.db = db
        self.networks = networks
        self.memory = memory
        self.now = now
        rowBefore = memory.lastRow
        lastRow = rowBefore
        room = memory.room
        totalsBefore = room.totals
        insertPostback = try HotStatement(db, sql: Self.insertPostbackSQL, arena)
        insertBody = try HotStatement(db, sql: "INSERT INTO postback_body (id, body) VALUES (?, ?)", arena)
    }

    /// Records one delivery.
    ///
    /// - Returns: What became of it; nil when it can be neither recorded nor kept, so that the sender must come back.
    mutating func record(_ prepared: PreparedDelivery) throws -> Recording? {
        let delivery = prepared.delivery
        let recording: Recording
        switch delivery.judgement {
        case .verified(let verified):
            guard let digests = prepared.digests else {
                return nil
            }
            recording = try record(verified, digests, first: prepared.first ?? addedCopies[digests.key], delivery)
        case .rejected(let rejection, let body):
            let kind = QuarantineClass(rejection, body: body)
            let isKept = try keep(QuarantinedBody(kind, rejection, body, delivery))
            guard isKept || kind != .future else {
                return nil
            }
            recording = .quarantined(rejection, isKept: isKept)
        case .undecided:
            return nil
        }
        count(.init(recording, recipient: delivery.recipient), kept: recording.isKept ? 1 : 0, at: delivery)
        return recording
    }

    /// Counts a delivery, or with negative numbers takes one out.
    mutating func count(_ kind: DeliveryCounts.Kind, _ count: Int64 = 1, kept: Int64, at delivery: Delivery) {
        let quarter = delivery.receivedAtMilliseconds.flooredQuotient(by: Self.quarterMilliseconds)
        deliveries[quarter, default: DeliveryCounts()].add(kind, count: count, kept: kept)
    }

    private mutating func record(
        _ verified: VerifiedPostback,
        _ digests: PostbackDigests,
        first: FirstCopy?,
        _ delivery: Delivery
    ) throws -> Recording {
        let postback = verified.postback
        guard let first else {
            let traffic = networks.traffic(of: verified)
            let values = ReportDimension.storedValues(of: postback)
            try insert(verified, traffic, values, delivery, digests)
            counted.append(
                CountedPostback(
                    traits: CountedTraits(postback), values: values, traffic: traffic,
                    receivedAtMilliseconds: delivery.receivedAtMilliseconds))
            return .recorded(traffic)
        }
        guard let known = first.known else {
            // It was counted, but its bytes may be lost: these are kept, as long as there is room.
            damagedRows.append(first.id)
            let body = QuarantinedBody(conflictWith: first.id, digests.content, postback.body, delivery)
            return .conflict(networks.traffic(of: verified), isKept: try keepConflict(body))
        }
        guard known.content == digests.content else {
            let body = QuarantinedBody(conflictWith: first.id, digests.content, postback.body, delivery)
            return .conflict(known.traffic, isKept: try keepConflict(body))
        }
        let quarter = delivery.receivedAtMilliseconds.flooredQuotient(by: Self.quarterMilliseconds)
        deliveries[quarter, default: DeliveryCounts()].add(
            RepeatDelay(milliseconds: delivery.receivedAtMilliseconds &- known.receivedAt))
        if known.recipient != delivery.recipient {
            try db.cachedStatement(sql: Self.insertCopy).execute(arguments: [
                first.id, delivery.recipient.rawValue, delivery.receivedAtMilliseconds,
            ])
        }
        return .duplicate(known.traffic)
    }

    /// The recorded postback that a delivery contradicts, and what it says instead; nil for none.
    func conflict(_ prepared: PreparedDelivery) -> (id: Int64, content: Digest16, traffic: Traffic)? {
        guard let digests = prepared.digests, let first = prepared.first ?? addedCopies[digests.key],
            let known = first.known, known.content != digests.content
        else {
            return nil
        }
        return (first.id, digests.content, known.traffic)
    }

    private mutating func insert(
        _ verified: VerifiedPostback,
        _ traffic: Traffic,
        _ values: [String],
        _ delivery: Delivery,
        _ digests: PostbackDigests
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
            row.bind(now)
            row.bind(delivery.receivedAtMilliseconds)
            row.bind(delivery.recipient.rawValue)
            row.bind(traffic.rawValue)
            row.bind(verified.keyName)
            row.bind(PostbackDigests.version)
            row.bind(digests.key)
            row.bind(digests.content)
            row.bind(postback.key.transactionID.text)
            row.bind(PostbackColumns.didWin(postback))
            row.bind(PostbackColumns.conversion(postback))
            for value in values {
                row.bind(value)
            }
        }
        try insertBody.run { row in
            row.bind(id)
            row.bind(postback.body)
        }
        let quarter = delivery.receivedAtMilliseconds.flooredQuotient(by: Self.quarterMilliseconds)
        quarters[quarter] = (quarters[quarter]?.first ?? id, id)
        added.append(digests.key.high)
        addedCopies[digests.key] = FirstCopy(
            id: id,
            known: .init(
                content: digests.content, receivedAt: delivery.receivedAtMilliseconds,
                recipient: delivery.recipient, traffic: traffic))
    }

    // MARK: Sums

    /// Writes what was summed in memory, each delivery kind and hour once, and brings the tallies up when they are due.
    mutating func finish(tallyInterval: Int) throws {
        let size = memory.backlogSize
        if TallyFold.isDue(
            postbacks: size.postbacks + counted.count, apps: size.apps + counted.count, interval: tallyInterval)
        {
            // Taken only now: after a transaction that failed it would have to be summed again.
            var backlog = memory.takeBacklog()
            backlog.count(counted)
            try TallyFold(db).writeDue(&backlog, last: lastRow, interval: tallyInterval)
            self.backlog = backlog
        }
        if !added.isEmpty {
            let bytes = KeyBlock.encode(added)
            try HotStatement(db, sql: Self.insertKeyBlock, arena).run { row in
                row.bind(rowBefore + 1)
                row.bind(bytes)
                row.bind(KeyBlock.checksum(bytes, first: rowBefore + 1))
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
            for (delay, count) in counts.repeats {
                try db.cachedStatement(sql: Self.upsertRepeat).execute(arguments: [quarter, delay.rawValue, count])
            }
        }
        try writeTotals()
    }

    /// Hands over to the memory what the transaction added, now that it cannot be rolled back any more.
    func didCommit() {
        memory.add(added, backlog, counted, room)
    }

    /// Touches the pages that the next postback would: the ends of the tables, and where its delivery is counted.
    ///
    /// - Parameters:
    ///   - db: The writing connection, in a savepoint that is rolled back.
    ///   - last: The last row.
    /// - Throws: What SQLite reports of a full disk or a damaged page.
    static func rehearse(_ db: Database, after last: Int64) throws {
        let texts = Array(repeating: "''", count: 1 + PostbackColumns.names.count).joined(separator: ", ")
        try db.execute(
            sql: """
                INSERT INTO postback (\(columns.joined(separator: ", ")))
                VALUES (:id, 0, 0, 'network', 'test', '', 0, zeroblob(16), zeroblob(16), \(texts));
                INSERT INTO postback_body VALUES (:id, zeroblob(600));
                INSERT INTO key_block VALUES (:id, zeroblob(8), zeroblob(8));
                INSERT INTO delivery VALUES (0, 'recorded', 'test', '', 'network', 1, 1) ON CONFLICT DO NOTHING;
                UPDATE delivery SET count = count WHERE quarter = (SELECT max(quarter) FROM delivery);
                UPDATE postback_quarter SET last_id = last_id WHERE quarter = (SELECT max(quarter) FROM postback_quarter)
                """, arguments: ["id": last + 1])
    }

    // MARK: Statements

    static let quarterMilliseconds: Int64 = 900_000

    private static let columns =
        [
            "id", "recorded_at", "received_at", "recipient", "traffic", "key_name", "digest_version", "key_digest",
            "content_digest", "transaction_id",
        ] + PostbackColumns.names

    private static let insertPostbackSQL = """
        INSERT INTO postback (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    private static let insertKeyBlock = "INSERT INTO key_block (first_id, digests, checksum) VALUES (?, ?, ?)"

    /// Rows come in order, so only the last one of a quarter moves.
    private static let upsertQuarter = """
        INSERT INTO postback_quarter (quarter, first_id, last_id) VALUES (?, ?, ?)
        ON CONFLICT (quarter) DO UPDATE SET last_id = excluded.last_id
        """

    private static let insertCopy =
        "INSERT INTO recipient_copy (id, recipient, received_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"

    private static let upsertDelivery = """
        INSERT INTO delivery (quarter, status, traffic, reason, recipient, count, kept) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (quarter, status, traffic, reason, recipient)
        DO UPDATE SET count = count + excluded.count, kept = kept + excluded.kept
        """

    private static let upsertRepeat = """
        INSERT INTO repeat_delay (quarter, delay, count) VALUES (?, ?, ?)
        ON CONFLICT (quarter, delay) DO UPDATE SET count = count + excluded.count
        """
}
