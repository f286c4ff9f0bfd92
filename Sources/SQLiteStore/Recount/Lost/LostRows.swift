import Attribution
import AttributionStore
import GRDB

/// Finds out what can be known of postbacks whose rows are lost and whose bodies are not.
///
/// A body says everything but when it came, for whom, and whether its network was ours. That is taken from the best of
/// ``LostRow/Source``; where none tells, the row is named and not rebuilt.
struct LostRows {
    /// A count of recorded deliveries.
    struct DeliveryKey: Hashable, Comparable {
        let quarter: Int64
        let traffic: String
        let recipient: String

        static func < (first: Self, second: Self) -> Bool {
            (first.quarter, first.traffic, first.recipient) < (second.quarter, second.traffic, second.recipient)
        }
    }

    /// What a body says.
    fileprivate struct Verified {
        let id: Int64
        let digests: PostbackDigests
        let provenance: Provenance
        /// What it would be recorded as now.
        let traffic: Traffic
        let keyName: String
    }

    private let db: Database
    private let judge: ([[UInt8]]) -> [Judgement]
    private let networks: OwnNetworks
    private var pending: [(id: Int64, body: [UInt8])] = []
    private var verified: [Verified] = []
    /// How many more there are than are looked at at once.
    private var unread: Int64 = 0
    private var gone: [RecountDifference] = []
    /// Those whose bodies are lost or do not verify, the first ``Recount/mostLostRows``.
    private var unverified: [Int64] = []
    private var unverifiedCount: Int64 = 0
    /// Whether one of these has a body.
    private var mayVerify = false
    /// The block of the last one.
    private var block: (number: Int64, values: ColumnValues, readable: Set<LedgerColumn>)?
    private var codes: ColumnCodes?

    /// Bodies verified together.
    private static let batchSize = 1_024

    init(_ db: Database, judge: @escaping ([[UInt8]]) -> [Judgement]) throws {
        self.db = db
        self.judge = judge
        let names = try Database.nilIfDamaged {
            try String.fetchAll(db, sql: "SELECT ad_network_id FROM own_network")
        }
        networks = OwnNetworks(names ?? [])
    }

    /// Takes the id of a missing row; ids are to come in ascending order.
    mutating func add(_ id: Int64) throws {
        guard verified.count + pending.count < Recount.mostLostRows else {
            unread += 1
            return
        }
        let body = try Database.nilIfDamaged {
            try Row.fetchOne(
                db.cachedStatement(sql: "SELECT body FROM postback_body WHERE id = ?"), arguments: [id]
            )?.bytes(at: 0)
        }
        guard let body = body.flatMap(\.self) else {
            // More are not listed.
            let values = try unverifiedCount < Recount.differencesListed ? valuesInBlock(id) : nil
            noteUnverified(
                id, "and so are its bytes; a backup may have both" + (values.map { "; its columns say \($0)" } ?? ""))
            return
        }
        pending.append((id, body))
        if pending.count == Self.batchSize {
            verify()
        }
    }

    private mutating func noteUnverified(_ id: Int64, _ reason: String) {
        gone.append(.missingRow(id, reason: reason))
        unverifiedCount += 1
        if unverified.count < Recount.mostLostRows {
            unverified.append(id)
        }
    }

    /// The bodies without a row that verify, of those taken so far.
    mutating func bodies() -> [(id: Int64, digests: PostbackDigests)] {
        verify()
        return verified.map { ($0.id, $0.digests) }
    }

    /// Leaves out ids of which no row is lost, and names others, of which the postback is lost whose row it was.
    mutating func leaveOut(_ ids: Set<Int64>, andName reasons: [Int64: String]) {
        verified.removeAll { ids.contains($0.id) || reasons[$0.id] != nil }
        for (id, reason) in reasons.sorted(by: { $0.key < $1.key }) {
            noteUnverified(id, reason)
        }
    }

    /// Whether the columns of an id are those of a key; nil if they do not say.
    mutating func isInBlock(_ id: Int64, _ key: Digest16) throws -> Bool? {
        try valuesInBlock(id).map { $0.key == key.high }
    }

    /// The postbacks found since the last call of which nothing can be rebuilt.
    mutating func takeGone() -> [RecountDifference] {
        defer { gone = [] }
        return gone
    }

    /// What was found out.
    struct Findings {
        /// The rows that can be rebuilt.
        var rows: [LostRow] = []
        /// Postbacks of which nothing can be rebuilt.
        var gone: [RecountDifference] = []
        /// How many more rows are lost.
        var unread: Int64 = 0
        /// How many rows are lost that cannot be rebuilt, now at least: their deliveries were counted.
        var missing: Int64 = 0
        /// Whether some of these may be rebuilt once their bodies verify, from what is stored besides.
        var mayVerify = false

        /// How many of the rows were counted as which deliveries.
        var deliveries: [DeliveryKey: Int64] {
            rows.reduce(into: [:]) { $0[DeliveryKey($1), default: 0] += 1 }
        }
    }

    /// Says what is left, once all rows were read.
    ///
    /// - Parameter uncounted: How many more recorded deliveries were counted than there are rows.
    /// - Returns: What was found out.
    /// - Throws: SQLite's errors, except for damage.
    mutating func finish(_ uncounted: [DeliveryKey: Int64]) throws -> Findings {
        verify()
        var findings = Findings()
        var unconfirmed: [(lost: Verified, found: LostRow?)] = []
        var uncounted = uncounted
        let inFile = verified.isEmpty ? [:] : try FoundRow.all(of: verified.lazy.map(\.digests.key), db)
        for lost in verified {
            // A row has no checksum, so the block or the counts have to confirm it.
            let found = try inFile[lost.digests.key].flatMap { try LostRow(lost, $0, db) }
            let known = try rowInBlock(lost)
            let isFound = found.map { DeliveryKey($0) == known.map { DeliveryKey($0) } } ?? false
            if let row = isFound ? found : known {
                uncounted[DeliveryKey(row), default: 0] -= 1
                findings.rows.append(row)
            } else if let found, uncounted[DeliveryKey(found), default: 0] > 0 {
                uncounted[DeliveryKey(found), default: 0] -= 1
                findings.rows.append(found)
            } else {
                unconfirmed.append((lost, found))
            }
        }
        let deliveries = unconfirmed.isEmpty ? nil : try self.deliveries(uncounted, of: unconfirmed.map(\.lost))
        findings.missing = unverifiedCount
        for (lost, found) in unconfirmed {
            if let row = deliveries?.row(lost.id, lost.keyName) ?? found {
                findings.rows.append(row)
            } else {
                findings.missing += 1
                gone.append(.missingRow(lost.id, reason: "and nothing says when its bytes came; a backup may have it"))
            }
        }
        findings.gone = takeGone()
        findings.unread = unread
        findings.mayVerify = mayVerify
        return findings
    }

    /// The deliveries that belong to some lost rows and to those whose bodies do not verify.
    private mutating func deliveries(_ uncounted: [DeliveryKey: Int64], of verified: [Verified]) throws
        -> DeliveriesWithoutRow?
    {
        guard unread == 0, unverifiedCount == Int64(unverified.count) else {
            return nil
        }
        var uncounted = uncounted
        var rows = verified.map { DeliveriesWithoutRow.Row(id: $0.id, provenance: $0.provenance) }
        for id in unverified.sorted() {
            if let values = try valuesInBlock(id) {
                let delivery = DeliveryKey(
                    quarter: values.quarter, traffic: values.traffic.rawValue, recipient: values.recipient.rawValue)
                uncounted[delivery, default: 0] -= 1
            } else {
                rows.append(DeliveriesWithoutRow.Row(id: id, provenance: nil))
            }
        }
        return try DeliveriesWithoutRow(uncounted, of: rows, db)
    }

    private mutating func verify() {
        for ((id, _), judgement) in zip(pending, judge(pending.map(\.body))) {
            guard case .verified(let postback) = judgement else {
                noteUnverified(id, "and its bytes do not verify with the keys named")
                mayVerify = true
                continue
            }
            verified.append(
                Verified(
                    id: id, digests: PostbackDigests(postback.postback, provenance: postback.provenance),
                    provenance: postback.provenance, traffic: networks.traffic(of: postback),
                    keyName: postback.keyName))
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// What the columns say of a postback; nil if they are not those of its body.
    private mutating func rowInBlock(_ lost: Verified) throws -> LostRow? {
        guard let values = try valuesInBlock(lost.id), values.traffic.provenance == lost.provenance,
            values.key == lost.digests.key.high
        else {
            return nil
        }
        return LostRow(
            id: lost.id, receivedAtMilliseconds: values.quarter.startOfQuarterOfAnHour, recipient: values.recipient,
            traffic: values.traffic, keyName: lost.keyName, source: .columns)
    }

    /// What the columns say besides the body.
    private struct BlockValues: CustomStringConvertible {
        let quarter: Int64
        let traffic: Traffic
        let recipient: Delivery.Recipient
        let key: UInt64

        var description: String {
            let digits = String(key, radix: 16)
            return "\(traffic.rawValue), \(recipient.rawValue), quarter \(quarter), key "
                + String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    private mutating func valuesInBlock(_ id: Int64) throws -> BlockValues? {
        guard try RecreatableTables.columns.exist(db) else {
            return nil
        }
        let number = ColumnBlock.number(of: id)
        if block?.number != number {
            var values = ColumnValues(count: ColumnBlock.rowCount)
            let readable = try values.read(number, try ColumnBlockReader(db))
            block = (number, values, readable)
        }
        guard let block, block.readable.isSuperset(of: [.traffic, .quarter, .recipient, .key]) else {
            return nil
        }
        let codes = try self.codes ?? ColumnCodes(db, [.traffic, .recipient])
        self.codes = codes
        let values = block.values.row(at: Int(id - ColumnBlock.ids(number).lowerBound))
        func text(_ column: LedgerColumn) -> String? {
            let texts = codes.values(column)
            return Int(exactly: values[column]).flatMap { texts.indices.contains($0) ? texts[$0] : nil }
        }
        guard let traffic = text(.traffic).flatMap({ Traffic(rawValue: $0) }),
            let recipient = text(.recipient).flatMap({ Delivery.Recipient(rawValue: $0) })
        else {
            return nil
        }
        return BlockValues(
            quarter: values[.quarter], traffic: traffic, recipient: recipient,
            key: UInt64(bitPattern: values[.key]))
    }
}

extension LostRow {
    /// Takes what was found and its body does not say; nil if it was not recorded as what that verifies as.
    ///
    /// Nothing confirms when it was recorded, so that is left out if it is not between the rows before and after.
    fileprivate init?(_ lost: LostRows.Verified, _ found: FoundRow, _ db: Database) throws {
        guard found.traffic.provenance == lost.provenance else {
            return nil
        }
        let nearest = try NearestRows("recorded_at", of: lost.id, db)
        self.init(
            id: lost.id, receivedAtMilliseconds: found.receivedAt,
            recordedAtMilliseconds: found.recordedAt.flatMap { nearest.contains($0) ? $0 : nil },
            recipient: found.recipient,
            traffic: found.traffic, keyName: lost.keyName, source: .row)
    }
}

extension LostRows.DeliveryKey {
    /// Where a postback was counted.
    init(_ row: LostRow) {
        self.init(
            quarter: row.receivedAtMilliseconds.quarterOfAnHour, traffic: row.traffic.rawValue,
            recipient: row.recipient.rawValue)
    }
}
