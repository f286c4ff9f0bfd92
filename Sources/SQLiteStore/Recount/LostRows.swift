import Attribution
import AttributionStore
import GRDB

/// Finds out what can be known of postbacks whose rows are lost and whose bodies are not.
///
/// A body says everything but when it came, for whom, and whether its network was ours. That is taken from the best of
/// ``LostRow/Source``.
struct LostRows {
    /// A count of recorded deliveries.
    struct DeliveryKey: Hashable {
        let quarter: Int64
        let traffic: String
        let recipient: String
    }

    /// What a body says.
    fileprivate struct Verified {
        let id: Int64
        let key: Digest16
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
        guard verified.count + pending.count < Recount.lostRowsListed else {
            unread += 1
            return
        }
        let body = try Database.nilIfDamaged {
            try Row.fetchOne(
                db.cachedStatement(sql: "SELECT body FROM postback_body WHERE id = ?"), arguments: [id]
            )?.bytes(at: 0)
        }
        guard let body = body.flatMap(\.self) else {
            gone.append(.missingRow(id, reason: "and so are its bytes; a backup may have both"))
            return
        }
        pending.append((id, body))
        if pending.count == Self.batchSize {
            verify()
        }
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
        guard !verified.isEmpty else {
            findings.gone = takeGone()
            findings.unread = unread
            return findings
        }
        let inFile = try FoundRow.all(of: verified.lazy.map(\.key), db)
        var uncounted = uncounted
        var others: [(lost: Verified, found: LostRow?)] = []
        for lost in verified {
            // A row has no checksum, so the block or the counts have to confirm it.
            let found = inFile[lost.key].flatMap { LostRow(lost, $0) }
            let known = try rowInBlock(lost)
            let isFound = found.map { DeliveryKey($0) == known.map { DeliveryKey($0) } } ?? false
            if let row = isFound ? found : known {
                uncounted[DeliveryKey(row), default: 0] -= 1
                findings.rows.append(row)
            } else if let found, uncounted[DeliveryKey(found), default: 0] > 0 {
                uncounted[DeliveryKey(found), default: 0] -= 1
                findings.rows.append(found)
            } else {
                others.append((lost, found))
            }
        }
        var left = DeliveriesWithoutRow(uncounted)
        for (lost, found) in others {
            if let row = try left.take(lost.id, lost.traffic, lost.keyName) ?? found ?? rowBeside(lost) {
                findings.rows.append(row)
            } else {
                gone.append(.missingRow(lost.id, reason: "and nothing says when its bytes came; a backup may have it"))
            }
        }
        findings.gone = takeGone()
        findings.unread = unread
        return findings
    }

    private mutating func verify() {
        for ((id, _), judgement) in zip(pending, judge(pending.map(\.body))) {
            guard case .verified(let postback) = judgement else {
                gone.append(.missingRow(id, reason: "and its bytes do not verify with the keys named"))
                continue
            }
            verified.append(
                Verified(
                    id: id, key: PostbackDigests.key(of: postback.postback, provenance: postback.provenance),
                    provenance: postback.provenance, traffic: networks.traffic(of: postback),
                    keyName: postback.keyName))
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// What the columns say of a postback; nil if they are not those of its body.
    private mutating func rowInBlock(_ lost: Verified) throws -> LostRow? {
        guard try DerivedTables.columns.exist(db) else {
            return nil
        }
        let number = ColumnBlock.number(of: lost.id)
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
        let values = block.values.row(at: Int(lost.id - ColumnBlock.ids(number).lowerBound))
        func text(_ column: LedgerColumn) -> String? {
            let texts = codes.values(column)
            return Int(exactly: values[column]).flatMap { texts.indices.contains($0) ? texts[$0] : nil }
        }
        guard let traffic = text(.traffic).flatMap({ Traffic(rawValue: $0) }),
            let recipient = text(.recipient).flatMap({ Delivery.Recipient(rawValue: $0) }),
            traffic.provenance == lost.provenance, values[.key] == Int64(bitPattern: lost.key.high)
        else {
            return nil
        }
        return LostRow(
            id: lost.id, receivedAtMilliseconds: values[.quarter].startOfQuarterOfAnHour, recipient: recipient,
            traffic: traffic, keyName: lost.keyName, source: .columns)
    }

    /// What the nearest row says, because postbacks are recorded in the order in which they come.
    private func rowBeside(_ lost: Verified) throws -> LostRow? {
        for sql in [
            "SELECT received_at, recipient FROM postback WHERE id < ? ORDER BY id DESC LIMIT 1",
            "SELECT received_at, recipient FROM postback WHERE id > ? ORDER BY id LIMIT 1",
        ] {
            let row = try Database.nilIfDamaged {
                try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [lost.id]).map { row in
                    LostRow(
                        id: lost.id, receivedAtMilliseconds: try row.integer(0), recipient: try row.word(1),
                        traffic: lost.traffic, keyName: lost.keyName, source: .neighbor)
                }
            }
            if let row = row.flatMap(\.self) {
                return row
            }
        }
        return nil
    }
}

extension LostRow {
    /// Takes what was found; nil if another key verified that postback.
    fileprivate init?(_ lost: LostRows.Verified, _ found: FoundRow) {
        guard found.traffic.provenance == lost.provenance else {
            return nil
        }
        self.init(
            id: lost.id, receivedAtMilliseconds: found.receivedAt, recordedAtMilliseconds: found.recordedAt,
            recipient: found.recipient, traffic: found.traffic, keyName: found.keyName, source: .row)
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
