import Attribution
import AttributionStore

/// What one transaction puts into the quarantine, takes out of it, and changes there.
struct QuarantineInsertion {
    /// How full the quarantine is, as far as this node knows.
    private(set) var room: QuarantineRoom
    /// Bodies that were not kept, by class.
    private(set) var notKept: [QuarantineClass: Int] = [:]
    private var added: [QuarantinedBody] = []
    private var removed: [Int64] = []
    private var changed: [(id: Int64, body: QuarantinedBody)] = []
    /// What came into the quarantine and left it.
    private var changes: [QuarantineClass: QuarantineRoom.Used] = [:]
    /// The contents kept that contradict a postback.
    private var contents: [Int64: Set<Digest16>] = [:]
    /// The rows of the bodies of class `unknown` that are kept, of those that this transaction has; 0 for its own.
    private var unknown: [Digest16: Int64] = [:]

    /// Held by a transaction that keeps bodies of class `unknown`, so that no two nodes keep the same.
    private static let lock: Int64 = 0x736b_616e_0005

    init(_ room: QuarantineRoom) {
        self.room = room
    }

    /// Finds out what is kept already of copies that contradict recorded postbacks.
    mutating func prepare(contradicting postbacks: [Int64], _ connection: PostgreSQLConnection) throws {
        guard !postbacks.isEmpty else {
            return
        }
        let result = try connection.run(
            "SELECT postback_id, content FROM skan.quarantine WHERE postback_id = ANY ($1::int8[])",
            [.integers(postbacks)])
        for row in 0..<result.count {
            contents[try result.integer(row, 0), default: []].insert(try result.digest(row, 1))
        }
    }

    /// Finds out which bodies of class `unknown` are kept already.
    mutating func prepare(unknown digests: [Digest16], _ connection: PostgreSQLConnection) throws {
        guard !digests.isEmpty else {
            return
        }
        try connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(Self.lock)])
        let result = try connection.run(
            "SELECT content, id FROM skan.quarantine WHERE class = 'unknown' AND content = ANY ($1::uuid[])",
            [.digests(digests)])
        for row in 0..<result.count {
            unknown[try result.digest(row, 0)] = try result.integer(row, 1)
        }
    }

    /// The traffic of a body of class `unknown` that is kept in another row; nil for one that is new, and for any other.
    func keptUnknown(_ body: QuarantinedBody, besides id: Int64?) -> Traffic? {
        body.content.flatMap { unknown[$0] }.map { $0 != id } == true ? body.traffic : nil
    }

    /// Keeps a body as far as the budgets allow.
    mutating func keep(_ body: QuarantinedBody) -> Bool {
        let size = body.body.count
        let isClaimed = room.claim(body)
        // It may take the room of older ones, which upkeep deletes.
        let excess = room.excess(adding: size, of: body.kind)
        guard isClaimed, excess <= 0 || body.kind.victims.reduce(0, { $0 + (room.totals[$1]?.bytes ?? 0) }) >= excess
        else {
            notKept[body.kind, default: 0] += 1
            return false
        }
        added.append(body)
        noteUnknown(body, 0)
        note(body.kind, rows: 1, bytes: size)
        return true
    }

    /// Keeps a contradicting copy; one that says the same as a copy that is kept is kept with it.
    mutating func keepConflict(_ body: QuarantinedBody) -> Bool {
        guard let conflict = body.conflict else {
            return false
        }
        let kept = contents[conflict.postback, default: []]
        if kept.contains(conflict.content) {
            return true
        }
        guard kept.count < room.budgets.contentsPerPostback else {
            notKept[.conflict, default: 0] += 1
            return false
        }
        guard keep(body) else {
            return false
        }
        contents[conflict.postback, default: []].insert(conflict.content)
        return true
    }

    /// Takes a delivery out.
    mutating func remove(_ origin: QuarantinedDelivery) {
        removed.append(origin.id)
        note(origin.kind, rows: -1, bytes: -origin.body.count)
    }

    /// Leaves a delivery where it is, for the reason it is rejected for now.
    mutating func change(_ origin: QuarantinedDelivery, to body: QuarantinedBody) {
        changed.append((origin.id, body))
        noteUnknown(body, origin.id)
        note(origin.kind, rows: -1, bytes: -origin.body.count)
        note(body.kind, rows: 1, bytes: origin.body.count)
    }

    private mutating func noteUnknown(_ body: QuarantinedBody, _ id: Int64) {
        if body.traffic != nil, let content = body.content {
            unknown[content] = id
        }
    }

    private mutating func note(_ kind: QuarantineClass, rows: Int64, bytes: Int) {
        room.note(kind, rows: rows, bytes: Int64(bytes))
        changes[kind, default: .init()] += QuarantineRoom.Used(rows: rows, bytes: Int64(bytes))
    }

    /// Writes everything, within the transaction.
    func write(_ connection: PostgreSQLConnection) throws {
        try insertAdded(connection)
        if !removed.isEmpty {
            try connection.run("DELETE FROM skan.quarantine WHERE id = ANY ($1::int8[])", [.integers(removed)])
        }
        for (id, body) in changed {
            try connection.run(
                """
                UPDATE skan.quarantine
                SET class = $2, reason = $3, detail = $4, postback_id = $5, content = $6, traffic = $7
                WHERE id = $1
                """,
                [
                    .integer(id), .text(body.kind.rawValue), .text(body.reason), .text(body.detail),
                    .integer(body.conflict?.postback), .digest(body.content),
                    .text(body.traffic?.rawValue ?? ""),
                ])
        }
        let changes = changes.filter { $0.value != .init() }
        if !changes.isEmpty {
            try connection.run(
                """
                INSERT INTO skan.quarantine_change (class, count, bytes)
                SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[])
                """,
                [
                    .texts(changes.map(\.key.rawValue)), .integers(changes.map(\.value.rows)),
                    .integers(changes.map(\.value.bytes)),
                ])
        }
    }

    private func insertAdded(_ connection: PostgreSQLConnection) throws {
        guard !added.isEmpty else {
            return
        }
        // 0 and digests of nothing stand for NULL in arrays, and are seen as such by the class.
        try connection.run(
            """
            INSERT INTO skan.quarantine (
                class, received_at, recipient, client, reason, detail, postback_id, content, traffic, body)
            SELECT
                class, received_at, recipient::skan.recipient, client, reason, detail,
                CASE WHEN class = 'conflict' THEN postback_id END,
                CASE WHEN class IN ('conflict', 'unknown') THEN encode(content, 'hex')::uuid END, traffic, body
            FROM unnest(
                $1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::bytea[],
                $9::text[], $10::bytea[]
            ) WITH ORDINALITY AS input (
                class, received_at, recipient, client, reason, detail, postback_id, content, traffic, body, position)
            ORDER BY position
            """,
            [
                .texts(added.map(\.kind.rawValue)), .integers(added.map(\.delivery.receivedAtMilliseconds)),
                .texts(added.map(\.delivery.recipient.rawValue)), .texts(added.map { $0.delivery.client ?? "" }),
                .texts(added.map(\.reason)), .texts(added.map(\.detail)),
                .integers(added.map { $0.conflict?.postback ?? 0 }),
                .blobs(added.map { $0.content?.bytes ?? [] }), .texts(added.map { $0.traffic?.rawValue ?? "" }),
                .blobs(added.map(\.body)),
            ])
    }
}
