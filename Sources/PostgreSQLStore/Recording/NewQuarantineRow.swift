import Attribution
import AttributionStore

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
