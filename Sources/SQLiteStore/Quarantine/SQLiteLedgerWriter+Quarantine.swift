package import Attribution
package import AttributionStore
import Foundation
import GRDB

extension SQLiteLedgerWriter {
    /// Deliveries per transaction; few, because recording waits for it.
    private static let batchSize = 256

    /// Judges quarantined deliveries again and records those that are genuine, under their original time of receipt.
    ///
    /// Conflicts are skipped: they were verified already. Each transaction moves bodies together with their delivery
    /// counts.
    package func requeue(
        _ query: QuarantineQuery,
        judge: ([ReceivedBody]) -> [Judgement]
    ) throws -> Requeued {
        var result = Requeued()
        _ = try query.forEachPage(of: Self.batchSize) { page in
            let moved = try batch { db in
                let found = try page.deliveries(db)
                let deliveries = found.filter { $0.kind != .conflict }
                let judged = zip(deliveries, judge(deliveries.map(\.receivedBody))).map { $0.delivery(judged: $1) }
                return (
                    quarantined: deliveries, judged: try PreparedDelivery.prepare(judged, db, memory),
                    last: found.last?.id
                )
            } work: { batch, page in
                var moved = Requeued()
                for (quarantined, prepared) in zip(page.quarantined, page.judged) {
                    try batch.requeue(quarantined, prepared, into: &moved)
                }
                return (moved, page.last)
            }
            result += moved.0
            return moved.1.map { (moved.0.judged, $0) }
        }
        return result
    }

    /// Permanently deletes deliveries from the quarantine; their counts remain.
    package func prune(_ query: QuarantineQuery) throws -> Int64 {
        try query.forEachPage(of: Self.batchSize) { page in
            try batch { db in
                try page.deliveries(db)
            } work: { batch, found in
                for quarantined in found {
                    try batch.remove(id: quarantined.id, quarantined.kind, bytes: Int64(quarantined.body.count))
                }
                return found.last.map { (Int64(found.count), $0.id) }
            }
        }
    }
}

extension RecordingBatch {
    /// Moves one delivery out of the quarantine, or updates its reason.
    fileprivate mutating func requeue(
        _ quarantined: QuarantinedDelivery,
        _ prepared: PreparedDelivery,
        into result: inout Requeued
    ) throws {
        guard let reason = PostbackRejection.Code(rawValue: quarantined.reason) else {
            result.count(nil)
            return
        }
        let delivery = prepared.delivery
        let before = DeliveryCounts.Kind(
            status: .quarantined, traffic: nil, reason: reason, recipient: quarantined.recipient)
        switch delivery.judgement {
        case .verified:
            if let conflict = conflict(prepared) {
                let body = QuarantinedBody(conflictWith: conflict.id, conflict.content, quarantined.body, delivery)
                try change(quarantined, to: body)
                move(before, to: .conflict(conflict.traffic), delivery)
                result.count(.conflict(conflict.traffic))
                return
            }
            try remove(id: quarantined.id, quarantined.kind, bytes: Int64(quarantined.body.count))
            let recording = try record(prepared)
            count(before, -1, kept: -1, at: delivery)
            result.count(recording)
        case .undecided:
            result.count(nil)
        case .rejected(let rejection, let bytes):
            let body = QuarantinedBody(rejection, bytes, delivery, networks: networks)
            guard quarantined.mayBecome(body.kind) else {
                result.count(nil)
                return
            }
            // Of two, one may have come before its key was known, or under another name of it.
            if let traffic = try keptUnknown(body, besides: quarantined.id) {
                try remove(id: quarantined.id, quarantined.kind, bytes: Int64(bytes.count))
                move(before, to: .duplicate(traffic), delivery)
                result.count(.duplicate(traffic))
                return
            }
            result.count(nil)
            try change(quarantined, to: body)
            if rejection.code != reason {
                move(before, to: .quarantined(rejection), delivery)
            }
        }
    }

    /// Counts a delivery that stays in the quarantine as what it has become.
    private mutating func move(_ before: DeliveryCounts.Kind, to recording: Recording, _ delivery: Delivery) {
        count(before, -1, kept: -1, at: delivery)
        count(DeliveryCounts.Kind(recording, recipient: delivery.recipient), kept: 1, at: delivery)
    }

    /// Updates a delivery in place, so that the body stays kept without claiming room.
    private mutating func change(_ quarantined: QuarantinedDelivery, to body: QuarantinedBody) throws {
        try db.cachedStatement(
            sql: """
                UPDATE quarantine
                SET class = ?, reason = ?, detail = ?, postback_id = ?, content_digest = ?, traffic = ? WHERE id = ?
                """
        ).execute(arguments: [
            body.kind.rawValue, body.reason, body.detail, body.conflict?.postback,
            body.content.map { Data($0.bytes) }, body.traffic?.rawValue ?? "", quarantined.id,
        ])
        room.note(quarantined.kind, rows: -1, bytes: -Int64(quarantined.body.count))
        room.note(body.kind, rows: 1, bytes: Int64(quarantined.body.count))
    }
}
