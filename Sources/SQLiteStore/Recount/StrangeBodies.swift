import AttributionStore
import GRDB

/// Bodies that verify, of which their rows have neither digest: damage changed the digests, or the ids of bodies.
struct StrangeBodies {
    /// The rows, by the key digests of their bodies.
    private var rows: [Digest16: [Int64]] = [:]
    private var count = 0
    /// How many more there are than are looked at at once.
    private var unread: Int64 = 0

    /// Takes a row.
    mutating func add(_ id: Int64, _ key: Digest16) {
        guard count < FoundBodies.most else {
            unread += 1
            return
        }
        rows[key, default: []].append(id)
        count += 1
    }

    /// Says of each whether its body is that of another row, whose digests it must not get then.
    ///
    /// - Parameters:
    ///   - result: Takes the differences.
    ///   - newest: The last row.
    ///   - db: The store.
    /// - Throws: SQLite's errors, except for damage.
    func note(in result: inout Recount, through newest: Int64, _ db: Database) throws {
        guard !rows.isEmpty else {
            return
        }
        var owners: [Digest16: Int64] = [:]
        try LedgerScan(db: db, columns: "id, key_digest", table: "postback").each(1...newest) { row in
            if let digest = try row.digest(at: 1), rows[digest] != nil {
                owners[digest] = try row.integer(0)
            }
        }
        let all = rows.flatMap { key, ids in ids.map { (id: $0, owner: owners[key]) } }
        for (id, owner) in all.sorted(by: { $0.id < $1.id }) {
            result.note(owner.map { .unverified(id, reason: "its bytes are those of postback \($0)") } ?? .digests(id))
        }
        result.note(unlisted: unread, isRepairable: true)
    }
}
