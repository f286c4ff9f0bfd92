import Attribution
import AttributionStore
import Foundation
import GRDB

extension RecordingBatch {
    /// Keeps a body if the budgets allow, and returns whether it is kept.
    mutating func keep(_ quarantined: QuarantinedBody) throws -> Bool {
        let isKept = try hasRoom(for: quarantined)
        if isKept {
            try insert(quarantined)
        } else {
            notKept[quarantined.kind, default: 0] += 1
        }
        return isKept
    }

    /// Keeps a contradicting copy; one with the same content as a kept copy counts as kept.
    mutating func keepConflict(_ quarantined: QuarantinedBody) throws -> Bool {
        guard let conflict = quarantined.conflict else {
            return false
        }
        var (count, isKept) = (0, false)
        try HotStatement(db, sql: Self.countConflicts, arena).fetch {
            $0.bind(conflict.content)
            $0.bind(conflict.postback)
        } _: { row in
            count = Int(row.integer(0))
            isKept = row.integer(1) > 0
        }
        if isKept {
            return true
        }
        guard count < room.budgets.contentsPerPostback else {
            notKept[.conflict, default: 0] += 1
            return false
        }
        return try keep(quarantined)
    }

    /// The traffic of a body of class `unknown` that is kept already; nil for one that is new, and for any other.
    func keptUnknown(_ quarantined: QuarantinedBody, besides id: Int64 = 0) throws -> Traffic? {
        guard let traffic = quarantined.traffic, let content = quarantined.content else {
            return nil
        }
        let isKept = try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM quarantine WHERE class = 'unknown' AND content_digest = ? AND id <> ?)
                    """), arguments: [Data(content.bytes), id])
        return isKept == true ? traffic : nil
    }

    private mutating func hasRoom(for quarantined: QuarantinedBody) throws -> Bool {
        try room.claim(quarantined) && makeRoom(for: quarantined.body.count, of: quarantined.kind)
    }

    private mutating func insert(_ quarantined: QuarantinedBody) throws {
        let (kind, delivery, size) = (quarantined.kind, quarantined.delivery, quarantined.body.count)
        try db.cachedStatement(sql: Self.insertQuarantine).execute(arguments: [
            kind.rawValue, delivery.receivedAtMilliseconds, delivery.recipient.rawValue, delivery.client ?? "",
            quarantined.reason, quarantined.detail, quarantined.conflict?.postback,
            quarantined.content.map { Data($0.bytes) }, quarantined.traffic?.rawValue ?? "", Data(quarantined.body),
        ])
        room.note(kind, rows: 1, bytes: Int64(size))
    }

    /// Deletes the oldest garbage, then the oldest forgeries, until a body fits into the total budget.
    private mutating func makeRoom(for size: Int, of kind: QuarantineClass) throws -> Bool {
        for victim in kind.victims {
            while room.excess(adding: size, of: kind) > 0 {
                let oldest = try Row.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT id, length(body) FROM quarantine WHERE class = ? ORDER BY id LIMIT 16"),
                    arguments: [victim.rawValue])
                guard !oldest.isEmpty else {
                    break
                }
                for row in oldest where room.excess(adding: size, of: kind) > 0 {
                    try remove(id: row.integer(0), victim, bytes: row.optional(1) ?? 0)
                }
            }
        }
        return room.excess(adding: size, of: kind) <= 0
    }

    /// Deletes a body.
    mutating func remove(id: Int64, _ kind: QuarantineClass, bytes: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM quarantine WHERE id = ?").execute(arguments: [id])
        room.note(kind, rows: -1, bytes: -bytes)
    }

    /// Writes the totals if they changed.
    func writeTotals() throws {
        guard room.totals != totalsBefore else {
            return
        }
        for (kind, used) in room.totals {
            try db.cachedStatement(
                sql: """
                    INSERT INTO quarantine_total (class, count, bytes) VALUES (?, ?, ?)
                    ON CONFLICT (class) DO UPDATE SET count = excluded.count, bytes = excluded.bytes
                    """
            ).execute(arguments: [kind.rawValue, used.rows, used.bytes])
        }
    }

    /// How many kept contents contradict a postback, and how many of them equal this one.
    private static let countConflicts =
        "SELECT count(*), ifnull(sum(content_digest = ?), 0) FROM quarantine WHERE postback_id = ?"

    static let insertQuarantine = """
        INSERT INTO quarantine
            (class, received_at, recipient, client, reason, detail, postback_id, content_digest, traffic, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}
