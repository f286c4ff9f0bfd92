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
    /// The contents kept that contradict a postback.
    private var contents: [Int64: Set<Digest16>] = [:]

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

    /// Keeps a body as far as the bounds allow.
    mutating func keep(_ body: QuarantinedBody) -> Bool {
        guard claimRoom(for: body) else {
            notKept[body.kind, default: 0] += 1
            return false
        }
        room.note(body.kind, rows: 1, bytes: Int64(body.body.count))
        added.append(body)
        return true
    }

    private mutating func claimRoom(for body: QuarantinedBody) -> Bool {
        room.claim(
            body.kind, bytes: body.body.count, client: body.delivery.client ?? "",
            at: body.delivery.receivedAtMilliseconds) && hasRoom(body)
    }

    /// Whether a body fits into the total, or may take the room of older ones, which the janitor lets go.
    private func hasRoom(_ body: QuarantinedBody) -> Bool {
        let excess = room.excess(adding: body.body.count)
        return excess <= 0 || body.kind.victims.reduce(0) { $0 + (room.totals[$1]?.bytes ?? 0) } >= excess
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
    mutating func remove(_ origin: QuarantinedDelivery, _ sums: inout DeliverySums) {
        removed.append(origin.id)
        note(origin.kind, rows: -1, bytes: -Int64(origin.body.count), &sums)
    }

    /// Leaves a delivery where it is, as a copy that contradicts a postback.
    mutating func becomeConflict(_ origin: QuarantinedDelivery, _ body: QuarantinedBody, _ sums: inout DeliverySums) {
        change(origin, body, &sums)
    }

    /// Leaves a delivery where it is, for the reason it is rejected for now.
    mutating func rejectAgain(
        _ origin: QuarantinedDelivery,
        _ kind: QuarantineClass,
        _ rejection: PostbackRejection,
        _ sums: inout DeliverySums
    ) {
        let delivery = Delivery(
            judgement: .rejected(rejection, body: origin.body), recipient: origin.recipient,
            receivedAtMilliseconds: origin.receivedAtMilliseconds)
        change(origin, QuarantinedBody(kind, rejection, origin.body, delivery), &sums)
    }

    private mutating func change(
        _ origin: QuarantinedDelivery, _ body: QuarantinedBody, _ sums: inout DeliverySums
    ) {
        changed.append((origin.id, body))
        note(origin.kind, rows: -1, bytes: -Int64(origin.body.count), &sums)
        note(body.kind, rows: 1, bytes: Int64(origin.body.count), &sums)
    }

    private mutating func note(_ kind: QuarantineClass, rows: Int64, bytes: Int64, _ sums: inout DeliverySums) {
        room.note(kind, rows: rows, bytes: bytes)
        sums.change(kind, rows: rows, bytes: bytes)
    }

    /// Writes everything, within the transaction.
    func write(_ connection: PostgreSQLConnection, _ sums: inout DeliverySums) throws {
        for body in added {
            sums.change(body.kind, rows: 1, bytes: Int64(body.body.count))
        }
        try NewQuarantineRow.insert(added.map { NewQuarantineRow($0) }, connection)
        if !removed.isEmpty {
            try connection.run("DELETE FROM skan.quarantine WHERE id = ANY ($1::int8[])", [.integers(removed)])
        }
        for (id, body) in changed {
            try connection.run(
                """
                UPDATE skan.quarantine SET class = $2, reason = $3, detail = $4, postback_id = $5, content = $6
                WHERE id = $1
                """,
                [
                    .integer(id), .text(body.kind.rawValue), .text(body.reason), .text(body.detail),
                    .integer(body.conflict?.postback), .digest(body.conflict?.content),
                ])
        }
    }
}

/// A row on its way into `skan.quarantine`.
struct NewQuarantineRow {
    let kind: QuarantineClass
    let receivedAt: Int64
    let recipient: Delivery.Recipient
    let client: String
    let reason: String
    let detail: String
    let conflict: (postback: Int64, content: Digest16)?
    let body: [UInt8]

    /// A body that was received.
    init(_ quarantined: QuarantinedBody) {
        kind = quarantined.kind
        receivedAt = quarantined.delivery.receivedAtMilliseconds
        recipient = quarantined.delivery.recipient
        client = quarantined.delivery.client ?? ""
        reason = quarantined.reason
        detail = quarantined.detail
        conflict = quarantined.conflict
        body = quarantined.body
    }

    /// Inserts rows, within a transaction.
    static func insert(_ rows: [Self], _ connection: PostgreSQLConnection) throws {
        guard !rows.isEmpty else {
            return
        }
        // 0 and digests of nothing stand for NULL in arrays, and are seen as such by the class.
        try connection.run(
            """
            INSERT INTO skan.quarantine (
                class, received_at, recipient, client, reason, detail, postback_id, content, body)
            SELECT
                class, received_at, recipient::skan.recipient, client, reason, detail,
                CASE WHEN class = 'conflict' THEN postback_id END,
                CASE WHEN class = 'conflict' THEN encode(content, 'hex')::uuid END, body
            FROM unnest(
                $1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::bytea[],
                $9::bytea[]
            ) WITH ORDINALITY AS input (
                class, received_at, recipient, client, reason, detail, postback_id, content, body, position)
            ORDER BY position
            """,
            [
                .texts(rows.map(\.kind.rawValue)), .integers(rows.map(\.receivedAt)),
                .texts(rows.map(\.recipient.rawValue)), .texts(rows.map(\.client)), .texts(rows.map(\.reason)),
                .texts(rows.map(\.detail)), .integers(rows.map { $0.conflict?.postback ?? 0 }),
                .blobs(rows.map { $0.conflict?.content.bytes ?? [] }), .blobs(rows.map(\.body)),
            ])
    }
}
