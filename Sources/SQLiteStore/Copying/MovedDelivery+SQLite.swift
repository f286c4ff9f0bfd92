import Attribution
import AttributionStore
import GRDB

/// Where a delivery of the quarantine was copied from.
struct CopyOrigin {
    let store: String
    /// Its id there.
    let id: Int64

    /// Which of some deliveries were copied, by their ids here; none where that cannot be read.
    static func find(_ ids: [Int64], _ db: Database) throws -> [Int64: CopyOrigin] {
        guard try db.tableExists("copy_quarantine") else {
            return [:]
        }
        return try Database.nilIfDamaged {
            var origins: [Int64: CopyOrigin] = [:]
            for id in ids {
                let row = try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT store, source_id FROM copy_quarantine WHERE target_id = ?"),
                    arguments: [id])
                origins[id] = try row.map { CopyOrigin(store: try $0.text(0), id: try $0.integer(1)) }
            }
            return origins
        } ?? [:]
    }
}

extension MoveNote {
    /// Writes a note of a copied delivery.
    func write(_ db: Database, of origin: CopyOrigin) throws {
        let kind = row.kind
        try db.cachedStatement(sql: "INSERT INTO copy_moved VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(arguments: [
            origin.store, origin.id, postback, row.quarter, kind.status.rawValue, kind.traffic?.rawValue ?? "",
            kind.reason?.rawValue ?? "", kind.recipient.rawValue, count, delay?.rawValue,
        ])
    }
}

extension MovedDelivery {
    /// What was made here of copied deliveries, by their ids in the source.
    static func all(
        _ db: Database, of store: String, _ ids: ClosedRange<Int64> = .min ... .max
    ) throws -> [Int64: MovedDelivery] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT source_id, quarter, status, traffic, reason, recipient, sum(count), max(postback_id), max(delay)
                    FROM copy_moved WHERE store = ? AND source_id BETWEEN ? AND ?
                    GROUP BY source_id, quarter, status, traffic, reason, recipient
                    """), arguments: [store, ids.lowerBound, ids.upperBound])
        var moved: [Int64: MovedDelivery] = [:]
        for row in rows {
            let kind = DeliveryCounts.Kind(
                status: try row.word(2), traffic: Traffic(rawValue: try row.text(3)),
                reason: PostbackRejection.Code(rawValue: try row.text(4)), recipient: try row.word(5))
            let sum = MoveNote(
                DeliveryTable.Row(quarter: try row.integer(1), kind: kind), count: try row.integer(6), postback: row[7],
                delay: (row[8] as Int?).flatMap(RepeatDelay.init(rawValue:)))
            moved[try row.integer(0), default: MovedDelivery()].take(sum)
        }
        return moved
    }

    fileprivate static func delete(_ id: Int64, _ db: Database, in store: String) throws {
        try db.cachedStatement(sql: "DELETE FROM copy_moved WHERE store = ? AND source_id = ?")
            .execute(arguments: [store, id])
    }

    /// The id in the source of the copied delivery that was recorded here as a postback; nil for any other postback.
    static func origin(ofPostback id: Int64, _ db: Database, in store: String) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT source_id FROM copy_moved WHERE postback_id = ? AND store = ? AND status = 'recorded'"),
            arguments: [id, store])
    }

    /// Notes that the source recorded another delivery of a postback, so that the copied one is a repeat there.
    ///
    /// - Parameters:
    ///   - id: The postback here.
    ///   - traffic: What the source counts the repeat as.
    ///   - delay: How long after the delivery that the source recorded the copied one came.
    ///   - db: The writing connection, within a transaction.
    ///   - store: The source.
    /// - Throws: SQLite's errors.
    static func noteRepeat(
        ofPostback id: Int64, _ traffic: Traffic, _ delay: RepeatDelay, _ db: Database, in store: String
    ) throws {
        try db.cachedStatement(
            sql: """
                UPDATE copy_moved SET status = 'duplicate', traffic = ?, delay = ?
                WHERE postback_id = ? AND store = ? AND status = 'recorded'
                """
        ).execute(arguments: [traffic.rawValue, delay.rawValue, id, store])
    }

    /// Takes what was made here of a copied delivery for copied, because the source has made something of it, too.
    ///
    /// - Parameters:
    ///   - id: Its id in the source.
    ///   - db: The writing connection, within a transaction.
    ///   - store: The source.
    ///   - isConflict: Whether it contradicts a postback in the source.
    /// - Throws: SQLite's errors.
    static func takeMove(of id: Int64, _ db: Database, in store: String, isConflict: Bool = false) throws {
        // What was recorded here is in no count that is copied, unless the source counts it as a conflict.
        try db.cachedStatement(
            sql: """
                INSERT INTO copy_delivery
                SELECT store, quarter, iif(status = 'recorded', 'conflict', status), traffic, reason, recipient, count,
                    count
                FROM copy_moved WHERE store = ? AND source_id = ? AND (status <> 'recorded' OR ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count, kept = kept + excluded.kept
                """
        ).execute(arguments: [store, id, isConflict])
        try db.cachedStatement(
            sql: """
                INSERT INTO copy_repeat SELECT store, quarter, delay, count FROM copy_moved
                WHERE store = ? AND source_id = ? AND delay IS NOT NULL
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """
        ).execute(arguments: [store, id])
        try delete(id, db, in: store)
    }

    /// Takes over that the source keeps a delivery for another reason, which left the quarantine here.
    ///
    /// - Parameters:
    ///   - copied: What it was copied as.
    ///   - reason: The reason in the source.
    ///   - id: Its id in the source.
    ///   - db: The writing connection, within a transaction.
    ///   - store: The source.
    /// - Throws: SQLite's errors.
    fileprivate static func changeReason(
        _ copied: DeliveryTable.Row, to reason: String, of id: Int64, _ db: Database, in store: String
    ) throws {
        let before = copied.kind.reason?.rawValue ?? ""
        for (reason, count) in [(before, -1), (reason, 1)] {
            try db.cachedStatement(sql: DeliveryTable.upsertCopied).execute(arguments: [
                store, copied.quarter, copied.kind.status.rawValue, "", reason, copied.kind.recipient.rawValue, count,
                count,
            ])
        }
        try db.cachedStatement(
            sql: """
                UPDATE copy_moved SET reason = ?
                WHERE store = ? AND source_id = ? AND status = 'quarantined' AND reason = ?
                """
        ).execute(arguments: [reason, store, id, before])
    }
}

extension MovedDelivery.Decision {
    /// Carries out the decision on the notes of a delivery.
    ///
    /// - Parameters:
    ///   - id: The delivery's id in the source.
    ///   - db: The writing connection, within a transaction.
    ///   - store: The source.
    /// - Throws: SQLite's errors.
    func apply(to id: Int64, _ db: Database, in store: String) throws {
        switch self {
        case .keep: break
        case .changeReason(let copied, let reason):
            try MovedDelivery.changeReason(copied, to: reason, of: id, db, in: store)
        case .take(let isConflict): try MovedDelivery.takeMove(of: id, db, in: store, isConflict: isConflict)
        case .end(let isTaken, let isEvidence):
            if isTaken {
                try MovedDelivery.takeMove(of: id, db, in: store)
            } else {
                try MovedDelivery.delete(id, db, in: store)
            }
            if isEvidence {
                try db.cachedStatement(sql: "DELETE FROM copy_quarantine WHERE store = ? AND source_id = ?")
                    .execute(arguments: [store, id])
            }
        }
    }
}
