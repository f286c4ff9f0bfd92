import Attribution
import Foundation
import GRDB

/// The work of one recording transaction: rows as they come, tallies and counts once at the end.
struct RecordingBatch {
    private let db: Database
    private let bounds: QuarantineBounds
    private var tallies = TallyChanges()
    /// Delivery counts by quarter of an hour.
    private var deliveries: [Int64: DeliveryCounts] = [:]
    /// The bodies kept so far of each hour this batch touches, as read from the store and grown since.
    private var kept: [Int64: KeptBodies] = [:]

    private struct KeptBodies {
        var count: Int64
        var bytes: Int64
    }

    init(_ db: Database, bounds: QuarantineBounds) {
        self.db = db
        self.bounds = bounds
    }

    mutating func record(_ delivery: Delivery) throws -> Recording {
        let recording: Recording
        let isKept: Bool
        switch delivery.judgement {
        case .verified(let verified):
            (recording, isKept) = try record(verified, delivery)
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
        let values: [any DatabaseValueConvertible] =
            [
                delivery.receivedAtMilliseconds, delivery.recipient.rawValue, verified.provenance.rawValue,
                verified.keyName, postback.transactionID.text,
                postback.didWin.map { $0 ? "true" : "false" } ?? "", postback.conversion.description,
                Data(postback.body),
            ] + ReportDimension.stored.map { $0.value(of: postback) }
        // No conflict target: there is one unique key, and the same statement serves every database.
        let insert = try db.cachedStatement(sql: Self.insertPostback)
        if try Int64.fetchOne(insert, arguments: StatementArguments(values)) != nil {
            tallies.count(
                postback, provenance: verified.provenance, receivedAtMilliseconds: delivery.receivedAtMilliseconds)
            return (.recorded(verified.provenance), true)
        }
        let first = try firstCopy(of: postback.key, provenance: verified.provenance)
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

    /// The copy that was counted, read again from its bytes, which say exactly what it said.
    private func firstCopy(
        of key: PostbackKey,
        provenance: Provenance
    ) throws -> (id: Int64, postback: ReceivedPostback) {
        let select = try db.cachedStatement(sql: Self.selectPostback)
        let row = try Row.fetchOne(
            select,
            arguments: [
                key.transactionID.text, key.sequenceIndex.map { String($0) } ?? "", key.adNetworkID.text,
                key.framework.rawValue, provenance.rawValue,
            ])
        guard let row else {
            throw DatabaseError(message: "a postback that was refused as known is not there")
        }
        let body = try row.bytes(at: 1)
        return (row[0], try ReceivedPostback(reading: body))
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

    /// Writes what was summed in memory: each tally row, delivery kind and hour once.
    mutating func finish() throws {
        try TallyWriter(db).add(tallies)
        let upsertDelivery = try db.cachedStatement(sql: Self.upsertDelivery)
        for (quarter, counts) in deliveries {
            for (kind, tally) in counts.tallies {
                try upsertDelivery.execute(arguments: [
                    quarter, kind.status.rawValue, kind.provenance?.rawValue ?? "", kind.reason?.rawValue ?? "",
                    tally.count, tally.kept,
                ])
            }
        }
        let upsertKept = try db.cachedStatement(sql: Self.upsertKept)
        for (hour, used) in kept {
            try upsertKept.execute(arguments: [hour, used.count, used.bytes])
        }
    }

    // MARK: Statements

    static let quarterMilliseconds: Int64 = 900_000
    private static let hourMilliseconds: Int64 = 3_600_000

    private static let insertPostback: String = {
        let columns =
            [
                "received_at", "recipient", "provenance", "key_name", "transaction_id", "did_win", "conversion",
                "body",
            ] + ReportDimension.stored.map(\.column)
        return """
            INSERT INTO postback (\(columns.joined(separator: ", ")))
            VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT DO NOTHING RETURNING id
            """
    }()

    private static let selectPostback = """
        SELECT id, body FROM postback
        WHERE transaction_id = ? AND sequence_index = ? AND ad_network_id = ? AND framework = ? AND provenance = ?
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
