import Attribution
import AttributionStore
import GRDB

/// A delivery to be recorded, with the first copy of its postback if there is one.
///
/// Copies are looked up before the transaction begins; only the owner writes, so the result stays valid.
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
    let content: Digest16
    let receivedAt: Int64
    let recipient: Delivery.Recipient
    let traffic: Traffic
}

/// Finds first copies with the index in memory, and compares the rest of the digest with their rows.
private struct FirstCopyLookup {
    private let memory: WriterState
    private let row: HotStatement

    init(_ db: Database, _ memory: WriterState) throws {
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
        var copy: FirstCopy?
        var isIntact = false
        try row.fetch(bind: { $0.bind(id) }) { row in
            guard let stored = Digest16(row.blob(0)), let content = Digest16(row.blob(1)),
                let recipient = Delivery.Recipient(rawValue: row.text(3)), let traffic = Traffic(rawValue: row.text(4))
            else {
                return
            }
            isIntact = true
            // Half of two digests is the same in one pair of 2⁶⁴.
            if stored == key {
                copy = FirstCopy(
                    id: id, content: content, receivedAt: row.integer(2), recipient: recipient, traffic: traffic)
            }
        }
        guard isIntact else {
            throw DatabaseError.damagedColumn
        }
        return copy
    }
}
