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

extension RecordingBatch {
    /// Notes what became of a copied delivery that was judged again here.
    ///
    /// - Parameters:
    ///   - origin: Where it was copied from.
    ///   - before: What it was counted as.
    ///   - after: What it is counted as.
    ///   - first: The copy of its postback that was counted.
    ///   - delivery: The delivery.
    /// - Throws: SQLite's errors.
    func noteMove(
        of origin: CopyOrigin,
        from before: DeliveryCounts.Kind,
        to after: DeliveryCounts.Kind,
        first: FirstCopy?,
        _ delivery: Delivery
    ) throws {
        var (postback, delay): (Int64?, Int?)
        switch after.status {
        case .recorded:
            postback = first?.id
        case .duplicate:
            delay = first?.known.map {
                RepeatDelay(milliseconds: delivery.receivedAtMilliseconds &- $0.receivedAt).rawValue
            }
        case .conflict, .quarantined:
            break
        }
        try insertMove(origin, before, -1, delivery, postback: nil, delay: nil)
        try insertMove(origin, after, 1, delivery, postback: postback, delay: delay)
    }

    private func insertMove(
        _ origin: CopyOrigin, _ kind: DeliveryCounts.Kind, _ count: Int64, _ delivery: Delivery, postback: Int64?,
        delay: Int?
    ) throws {
        try db.cachedStatement(sql: "INSERT INTO copy_moved VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(arguments: [
            origin.store, origin.id, postback, delivery.receivedAtMilliseconds.quarterOfAnHour, kind.status.rawValue,
            kind.traffic?.rawValue ?? "", kind.reason?.rawValue ?? "", kind.recipient.rawValue, count, delay,
        ])
    }

    /// What was made here of copied deliveries, by their ids in the source.
    func moved(of store: String, _ ids: ClosedRange<Int64>) throws -> [Int64: MovedDelivery] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT source_id, status, reason, sum(count) FROM copy_moved
                    WHERE store = ? AND source_id BETWEEN ? AND ? GROUP BY source_id, status, reason
                    HAVING sum(count) <> 0
                    """), arguments: [store, ids.lowerBound, ids.upperBound])
        var moved: [Int64: MovedDelivery] = [:]
        for row in rows {
            moved[try row.integer(0), default: MovedDelivery()].take(
                status: try row.text(1), reason: try row.text(2), count: try row.integer(3))
        }
        return moved
    }

    /// The id in the source of the copied delivery that was recorded here as a postback; nil for any other postback.
    func origin(ofPostback id: Int64, in store: String) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT source_id FROM copy_moved WHERE postback_id = ? AND store = ?"),
            arguments: [id, store])
    }

    /// Takes what was made here of a copied delivery for copied, because the source has made something of it, too.
    ///
    /// - Parameters:
    ///   - id: Its id in the source.
    ///   - store: The source.
    ///   - change: What it is in the source, where it is still in the quarantine for another reason.
    /// - Throws: SQLite's errors.
    func takeMove(of id: Int64, in store: String, changedTo change: QuarantinedDelivery? = nil) throws {
        let isConflict = change?.kind == .conflict
        // What was recorded here is in no count that is copied; in the source it became something else.
        try db.cachedStatement(
            sql: """
                INSERT INTO copy_delivery
                SELECT store, quarter, iif(status = 'recorded', ?, status),
                    iif(status = 'recorded', iif(?, traffic, ''), traffic), iif(status = 'recorded', ?, reason),
                    recipient, count, count
                FROM copy_moved WHERE store = ? AND source_id = ? AND (status <> 'recorded' OR ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count, kept = kept + excluded.kept
                """
        ).execute(arguments: [
            isConflict ? "conflict" : "quarantined", isConflict, isConflict ? "" : change?.reason ?? "", store, id,
            change != nil,
        ])
        try db.cachedStatement(
            sql: """
                INSERT INTO copy_repeat SELECT store, quarter, delay, count FROM copy_moved
                WHERE store = ? AND source_id = ? AND delay IS NOT NULL
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """
        ).execute(arguments: [store, id])
        try db.cachedStatement(sql: "DELETE FROM copy_moved WHERE store = ? AND source_id = ?")
            .execute(arguments: [store, id])
    }
}
