import Attribution
import AttributionStore
import GRDB

/// Rows and bodies that are under different ids, because damage changed one of them, and copies of either.
///
/// The digests in a row say which body is its own. Without them a repair would rebuild a row for each body without one,
/// and look for a body for each row without one, so that such a postback would be in two rows, and counted twice.
struct ChangedIDs {
    /// A row without its own body, or a body that verifies and has not its own row.
    private struct Part {
        let id: Int64
        /// Whether the id has a body, or a row, of another postback.
        let isTaken: Bool
    }

    private var rows: [PostbackDigests: [Part]] = [:]
    private var bodies: [(digests: PostbackDigests, part: Part)] = []
    private var rowCount = 0
    /// How many more bodies have another row under their id than are looked at at once.
    private var unread: Int64 = 0

    /// Takes a row whose body is missing.
    mutating func add(rowWithoutBody id: Int64, _ digests: PostbackDigests) {
        guard rowCount < FoundBodies.most else {
            return
        }
        rows[digests, default: []].append(Part(id: id, isTaken: false))
        rowCount += 1
    }

    /// Takes a row and the body under its id, which has neither of its digests: damage changed the digests, or an id.
    mutating func add(_ id: Int64, row: PostbackDigests?, body: PostbackDigests) {
        guard bodies.count < FoundBodies.most else {
            unread += 1
            return
        }
        if let row {
            rows[row, default: []].append(Part(id: id, isTaken: true))
        }
        bodies.append((body, Part(id: id, isTaken: true)))
    }

    /// The rows whose bodies are under no other id, one of each digests.
    var rowsWithoutBody: [PostbackDigests: Int64] {
        rows.compactMapValues { $0.first { !$0.isTaken }?.id }
    }

    /// Says which belong together, and which are copies.
    ///
    /// A row must not get the digests of a body that is another row's, nor its columns the values.
    ///
    /// - Parameters:
    ///   - result: Takes the differences.
    ///   - lost: The ids without a row; those whose bodies have rows are taken out.
    ///   - newest: The last row.
    ///   - db: The store.
    /// - Throws: SQLite's errors, except for damage.
    mutating func note(
        in result: inout Recount, _ lost: inout LostRows, through newest: Int64, _ db: Database
    ) throws {
        bodies += lost.bodies().map { (digests: $0.digests, part: Part(id: $0.id, isTaken: false)) }
        guard !bodies.isEmpty || !rows.isEmpty else {
            return
        }
        let owners = try Owners(of: self, through: newest, db)
        var withRows: Set<Int64> = []
        var others: [Int64: String] = [:]
        var lostKeys: [Digest16: Int64] = [:]
        for (digests, body) in bodies.sorted(by: { $0.part.id < $1.part.id }) {
            let difference: RecountDifference?
            if let row = rows[digests]?.first {
                difference = try self.difference(row, body, digests.key, &lost)
                if difference != nil {
                    rows[digests] = nil
                }
            } else {
                difference = owners.whole[digests].map { .copy(body.id, of: $0, .bodies) }
            }
            let owner = owners.byKey[digests.key]
            if let difference {
                result.note(difference)
                withRows.insert(body.id)
            } else if body.isTaken {
                if let owner {
                    result.note(.unverified(body.id, reason: RecountDifference.bytes(of: owner)))
                } else {
                    // Nothing but the block tells whether they are the row's own.
                    let isOwn = try lost.isInBlock(body.id, digests.key) == true
                    result.note(
                        isOwn ? .digests(body.id) : .unverified(body.id, reason: RecountDifference.foreignBytes))
                }
            } else if let other = owner ?? lostKeys[digests.key] {
                others[body.id] = "and \(RecountDifference.bytes(of: other))"
            } else {
                lostKeys[digests.key] = body.id
            }
        }
        lost.leaveOut(withRows, andName: others)
        for (digests, id) in rowsWithoutBody.sorted(by: { $0.value < $1.value }) {
            if let whole = owners.whole[digests] {
                rows[digests] = nil
                result.note(.copy(id, of: whole, .postbacks))
            }
        }
        result.note(unlisted: unread, isRepairable: true)
    }

    /// Says which id of a row and of its body is the changed one; nil if both have another body or row besides.
    ///
    /// If neither has, the columns tell, or else it is the greater one: ids are dense, so there may be no such postback.
    private func difference(
        _ row: Part, _ body: Part, _ key: Digest16, _ lost: inout LostRows
    ) throws -> RecountDifference? {
        let isRowChanged: Bool
        if row.isTaken || body.isTaken {
            isRowChanged = row.isTaken
        } else if let isThere = try lost.isInBlock(body.id, key) {
            isRowChanged = isThere
        } else if let isThere = try lost.isInBlock(row.id, key) {
            isRowChanged = !isThere
        } else {
            isRowChanged = row.id > body.id
        }
        guard !(row.isTaken && body.isTaken) else {
            return nil
        }
        return isRowChanged
            ? .changedID(body.id, stored: row.id, .postbacks) : .changedID(row.id, stored: body.id, .bodies)
    }

    /// Which rows say the digests of some rows and bodies.
    private struct Owners {
        /// Rows that are not without their body.
        private(set) var whole: [PostbackDigests: Int64] = [:]
        /// Any rows, of which the content may be another.
        private(set) var byKey: [Digest16: Int64] = [:]

        init(of changed: ChangedIDs, through newest: Int64, _ db: Database) throws {
            guard newest > 0 else {
                return
            }
            let bodies = Set(changed.bodies.lazy.map(\.digests))
            let keys = Set(bodies.lazy.map(\.key))
            let scan = LedgerScan(db: db, columns: "id, key_digest, content_digest", table: "postback")
            try scan.each(1...newest) { row in
                guard let key = try row.digest(at: 1) else {
                    return
                }
                let id = try row.integer(0)
                if keys.contains(key) {
                    byKey[key] = id
                }
                guard let content = try row.digest(at: 2),
                    case let digests = PostbackDigests(key: key, content: content),
                    bodies.contains(digests) || changed.rows[digests] != nil
                else {
                    return
                }
                if changed.rows[digests]?.contains(where: { $0.id == id }) != true {
                    whole[digests] = id
                }
            }
        }
    }
}
