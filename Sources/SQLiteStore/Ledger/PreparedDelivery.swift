import Attribution
import AttributionStore
import GRDB

/// A delivery to be recorded, with the first copy of its postback if there is one.
///
/// Copies are looked up before the transaction begins. After SQLite reads a damaged page within a transaction, it
/// refuses every write, so one damaged row would fail the whole batch. Only the owner writes, so the result stays
/// valid.
struct PreparedDelivery {
    let delivery: Delivery
    /// The digests of a verified postback; nil for any other delivery.
    let digests: PostbackDigests?
    /// The copy that was counted; nil for a new postback.
    let first: FirstCopy?
    /// Whether it was counted before this store, and is known by its id alone.
    var isKnownByID = false

    /// The copies that were counted of postbacks, by the digests of their dedupe keys.
    static func firstCopies(_ keys: [Digest16], _ db: Database, _ memory: WriterState) throws -> [FirstCopy?] {
        let lookup = try FirstCopyLookup(db, memory)
        return try keys.map { try lookup.find($0) }
    }

    /// Prepares a batch.
    static func prepare(_ deliveries: [Delivery], _ db: Database, _ memory: WriterState) throws -> [PreparedDelivery] {
        let lookup = try FirstCopyLookup(db, memory)
        let hasKnownIDs = memory.hasKnownIDs
        var digester = PostbackDigester()
        return try deliveries.map { delivery in
            guard case .verified(let verified) = delivery.judgement else {
                return PreparedDelivery(delivery: delivery, digests: nil, first: nil)
            }
            let digests = digester.digests(of: verified.postback, provenance: verified.provenance)
            let first = try lookup.find(digests.key)
            // A damaged page is not passed over here: the sender comes back rather than count twice.
            let isKnownByID =
                try first == nil && hasKnownIDs && KnownID(verified.postback.key).isClaimed(in: db)
            return PreparedDelivery(
                delivery: delivery, digests: digests, first: first, isKnownByID: isKnownByID)
        }
    }
}

/// The copy of a postback that was counted.
struct FirstCopy {
    let id: Int64
    /// The contents of its row; nil if the row cannot be read.
    let known: Known?

    struct Known {
        let content: Digest16
        let receivedAt: Int64
        let recipient: Delivery.Recipient
        let traffic: Traffic
    }
}

/// Finds first copies with the index in memory, and compares the rest of the digest with their rows.
private struct FirstCopyLookup {
    private let db: Database
    private let memory: WriterState
    private let row: HotStatement

    init(_ db: Database, _ memory: WriterState) throws {
        self.db = db
        self.memory = memory
        row = try HotStatement(
            db, sql: "SELECT key_digest, content_digest, received_at, recipient, traffic FROM postback WHERE id = ?",
            HotStatement.Arena())
    }

    func find(_ key: Digest16) throws -> FirstCopy? {
        for row in memory.rows(key.high) {
            if let copy = try confirm(Int64(row), key) {
                return copy
            }
        }
        return nil
    }

    private func confirm(_ id: Int64, _ key: Digest16) throws -> FirstCopy? {
        // If the row is missing, 64 matching bits of its digest are enough.
        var copy: FirstCopy? = FirstCopy(id: id, known: nil)
        try row.fetch(bind: { $0.bind(id) }) { row in
            guard let stored = Digest16(row.blob(0)) else {
                return
            }
            guard stored == key else {
                // A collision (2⁻⁶⁴ per pair), or more likely a damaged digest.
                return copy = copyByBody(id, key, row)
            }
            if let content = Digest16(row.blob(1)), let traffic = Traffic(rawValue: row.text(4)),
                let recipient = Delivery.Recipient(rawValue: row.text(3))
            {
                copy = FirstCopy(
                    id: id,
                    known: .init(content: content, receivedAt: row.integer(2), recipient: recipient, traffic: traffic))
            }
        }
        return copy
    }

    /// The copy in a row with another digest, if its body is the same postback.
    private func copyByBody(_ id: Int64, _ key: Digest16, _ row: HotStatement.Row) -> FirstCopy? {
        guard let traffic = Traffic(rawValue: row.text(4)), let recipient = Delivery.Recipient(rawValue: row.text(3)),
            let stored = try? Row.fetchOne(db, sql: "SELECT body FROM postback_body WHERE id = ?", arguments: [id]),
            let body = try? stored.bytes(at: 0), let postback = try? ReceivedPostback(reading: body)
        else {
            return nil
        }
        let digests = PostbackDigests(postback, provenance: traffic.provenance)
        guard digests.key == key else {
            return nil
        }
        return FirstCopy(
            id: id,
            known: .init(
                content: digests.content, receivedAt: row.integer(2), recipient: recipient, traffic: traffic))
    }
}
