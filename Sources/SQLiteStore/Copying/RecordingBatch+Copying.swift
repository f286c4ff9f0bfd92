import Attribution
import AttributionStore
import Foundation
import GRDB

extension RecordingBatch {
    /// Makes a part of the quarantine what it is in the store it comes from, whatever the budgets.
    ///
    /// - Returns: How many deliveries were added.
    mutating func copy(_ page: CopiedQuarantine) throws -> Int64 {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT source_id, target_id FROM copy_quarantine WHERE store = ? AND source_id BETWEEN ? AND ?"),
            arguments: [page.store, page.ids.lowerBound, page.ids.upperBound])
        var copied: [Int64: Int64] = [:]
        for row in rows {
            copied[try row.integer(0)] = try row.integer(1)
        }
        let moved = try MovedDelivery.all(db, of: page.store, page.ids)
        var added: Int64 = 0
        for delivery in page.deliveries {
            if let id = copied[delivery.origin.id] {
                // What was made of it here stays until the source has made something of it that is in the counts.
                if moved[delivery.origin.id]?.copied == nil {
                    try update(id, delivery)
                }
            } else {
                try add(delivery, of: page.store)
                added += 1
            }
        }
        for (source, target) in page.gone(from: copied) {
            // As a conflict it is evidence of what was recorded here.
            if let (kind, bytes) = try stored(target), moved[source] == nil || kind != .conflict {
                try remove(id: target, kind, bytes: bytes)
            }
            try db.cachedStatement(sql: "DELETE FROM copy_quarantine WHERE store = ? AND source_id = ?")
                .execute(arguments: [page.store, source])
        }
        return added
    }

    private mutating func add(_ delivery: CopiedDelivery, of store: String) throws {
        let origin = delivery.origin
        try db.cachedStatement(sql: Self.insertQuarantine).execute(arguments: [
            origin.kind.rawValue, origin.receivedAtMilliseconds, origin.recipient.rawValue, origin.client,
            origin.reason, delivery.detail, delivery.conflict?.postback,
            delivery.conflict.map { Data($0.content.bytes) }, Data(origin.body),
        ])
        let id = db.lastInsertedRowID
        room.note(origin.kind, rows: 1, bytes: Int64(origin.body.count))
        try db.cachedStatement(sql: "INSERT INTO copy_quarantine VALUES (?, ?, ?)")
            .execute(arguments: [store, origin.id, id])
    }

    /// Judged again, a delivery that stays may have another reason.
    private mutating func update(_ id: Int64, _ delivery: CopiedDelivery) throws {
        let origin = delivery.origin
        guard let (kind, bytes) = try stored(id) else {
            return
        }
        try db.cachedStatement(
            sql: """
                UPDATE quarantine SET class = ?, reason = ?, detail = ?, postback_id = ?, content_digest = ?
                WHERE id = ? AND (class <> ? OR reason <> ?)
                """
        ).execute(arguments: [
            origin.kind.rawValue, origin.reason, delivery.detail, delivery.conflict?.postback,
            delivery.conflict.map { Data($0.content.bytes) }, id, origin.kind.rawValue, origin.reason,
        ])
        if kind != origin.kind {
            room.note(kind, rows: -1, bytes: -bytes)
            room.note(origin.kind, rows: 1, bytes: bytes)
        }
    }

    /// What is there of a delivery; nil when the janitor or a person let it go.
    private func stored(_ id: Int64) throws -> (QuarantineClass, bytes: Int64)? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT class, length(body) FROM quarantine WHERE id = ?"), arguments: [id]
        ).map { (try $0.word(0), try $0.integer(1)) }
    }
}
