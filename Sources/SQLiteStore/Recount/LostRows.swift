import Attribution
import AttributionStore
import GRDB

/// Finds out what can be known of postbacks whose rows are lost and whose bodies are not.
///
/// A body says everything but when it came, for whom, and whether its network was ours. A block of columns says that,
/// and so do the counts of deliveries where they leave no choice. It is never guessed.
struct LostRows {
    /// A count of recorded deliveries.
    struct DeliveryKey: Hashable {
        let quarter: Int64
        let traffic: String
        let recipient: String
    }

    private let db: Database
    private let judge: ([[UInt8]]) -> [Judgement]
    private var pending: [(id: Int64, body: [UInt8])] = []
    /// As many as are listed.
    private var rebuilt: [LostRow] = []
    /// How many there are in all.
    private var rebuiltCounts: [DeliveryKey: Int64] = [:]
    /// Those that are in no block: as many as are listed, and how many there are in all.
    private var undated: [Provenance: (rows: [(id: Int64, keyName: String)], count: Int64)] = [:]
    private var gone: [RecountDifference] = []
    /// The block of the last one.
    private var block: (number: Int64, values: ColumnValues, readable: Set<LedgerColumn>)?
    private var codes: ColumnCodes?

    /// Bodies verified together.
    private static let batchSize = 1_024

    init(_ db: Database, judge: @escaping ([[UInt8]]) -> [Judgement]) {
        self.db = db
        self.judge = judge
    }

    /// Takes the id of a missing row; ids are to come in ascending order.
    mutating func add(_ id: Int64) throws {
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
            try verify()
        }
    }

    /// The postbacks found since the last call of which nothing can be rebuilt.
    mutating func takeGone() -> [RecountDifference] {
        defer { gone = [] }
        return gone
    }

    /// What was found out.
    struct Findings {
        /// The remaining differences, as many of each kind as are listed.
        var differences: [RecountDifference]
        /// How many more rows can be rebuilt.
        var unlistedLost: Int64
        /// How many more cannot.
        var unlistedGone: Int64
        /// How many rows can be rebuilt in all.
        var rebuilt: [DeliveryKey: Int64]
    }

    /// Says what is left, once all rows were read.
    ///
    /// - Parameter uncounted: How many more recorded deliveries were counted than there are rows.
    /// - Returns: What was found out.
    /// - Throws: SQLite's errors, except for damage.
    mutating func finish(_ uncounted: [DeliveryKey: Int64]) throws -> Findings {
        try verify()
        let uncounted = uncounted.merging(rebuiltCounts.mapValues { -$0 }, uniquingKeysWith: +)
        var unlistedGone: Int64 = 0
        for (provenance, (rows, count)) in undated {
            let keys = uncounted.filter { key, count in
                count > 0 && Traffic(rawValue: key.traffic)?.provenance == provenance
            }
            guard keys.count == 1, let key = keys.first, key.value == count,
                let traffic = Traffic(rawValue: key.key.traffic),
                let recipient = Delivery.Recipient(rawValue: key.key.recipient)
            else {
                gone += rows.map { row in
                    .missingRow(
                        row.id, reason: "and nothing says when and for whom its bytes came; a backup may have it")
                }
                unlistedGone += count - Int64(rows.count)
                continue
            }
            rebuiltCounts[key.key, default: 0] += count
            rebuilt += rows.map { row in
                LostRow(
                    id: row.id, quarter: key.key.quarter, recipient: recipient, traffic: traffic, keyName: row.keyName)
            }
        }
        return Findings(
            differences: takeGone() + rebuilt.map { .lostRow($0) },
            unlistedLost: rebuiltCounts.values.reduce(0, +) - Int64(rebuilt.count), unlistedGone: unlistedGone,
            rebuilt: rebuiltCounts)
    }

    private mutating func verify() throws {
        for ((id, _), judgement) in zip(pending, judge(pending.map(\.body))) {
            guard case .verified(let verified) = judgement else {
                gone.append(.missingRow(id, reason: "and its bytes do not verify with the keys named"))
                continue
            }
            if let row = try rowInBlock(id, verified) {
                rebuiltCounts[DeliveryKey(row), default: 0] += 1
                if rebuilt.count < Recount.differencesListed {
                    rebuilt.append(row)
                }
            } else {
                undated[verified.provenance, default: ([], 0)].count += 1
                if undated[verified.provenance, default: ([], 0)].rows.count < Recount.differencesListed {
                    undated[verified.provenance]?.rows.append((id, verified.keyName))
                }
            }
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// What the columns say of a postback; nil if they are not those of its body.
    private mutating func rowInBlock(_ id: Int64, _ verified: VerifiedPostback) throws -> LostRow? {
        guard try DerivedTables.columns.exist(db) else {
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
            let recipient = text(.recipient).flatMap({ Delivery.Recipient(rawValue: $0) }),
            traffic.provenance == verified.provenance,
            case let key = PostbackDigests.key(of: verified.postback, provenance: verified.provenance),
            values[.key] == Int64(bitPattern: key.high)
        else {
            return nil
        }
        return LostRow(
            id: id, quarter: values[.quarter], recipient: recipient, traffic: traffic, keyName: verified.keyName)
    }
}

extension LostRows.DeliveryKey {
    /// Where a postback was counted.
    init(_ row: LostRow) {
        self.init(quarter: row.quarter, traffic: row.traffic.rawValue, recipient: row.recipient.rawValue)
    }
}
