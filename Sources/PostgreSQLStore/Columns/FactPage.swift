import Attribution
import AttributionStore

/// The facts of some postbacks, in the order of the commits, as `skan.postback` has them.
struct FactPage {
    let ids: [Int64]
    /// The last postback.
    let last: CommitPoint?
    private let columns: [LedgerColumn]
    /// The codes of `skan.value`, numbers, or indexes into ``words``, column by column.
    private let stored: [[Int64]]

    /// The words of the two columns that have enumerations.
    private static let words: [LedgerColumn: [String]] = [
        .traffic: Traffic.allCases.map(\.rawValue), .recipient: Delivery.Recipient.allCases.map(\.rawValue),
    ]

    init(
        _ connection: PostgreSQLConnection, _ range: CommitRange, _ columns: [LedgerColumn],
        limit: Int = ColumnBlock.rowCount
    ) throws {
        let result = try connection.run(
            """
            SELECT commit_order, id\(columns.map { ", " + $0.factSQL }.joined()) FROM skan.postback
            WHERE (commit_order, id) > ($1, $2) AND (commit_order, id) <= ($3, $4)
            ORDER BY commit_order, id LIMIT $5
            """, range.after.parameters + range.through.parameters + [.integer(Int64(limit))])
        self.columns = columns
        ids = try (0..<result.count).map { try result.integer($0, 1) }
        last = try ids.last.map { CommitPoint(order: try result.integer(result.count - 1, 0), id: $0) }
        stored = try columns.enumerated().map { index, column in
            if let words = Self.words[column] {
                return try (0..<result.count).map { Int64(try result.index($0, index + 2, of: words)) }
            }
            return try (0..<result.count).map { try result.integer($0, index + 2) }
        }
    }

    /// The values of the postbacks.
    ///
    /// A postback with traits that only a later release knows is read again from its bytes; without them, or when they
    /// are not those of its digests, it is marked as missing.
    ///
    /// - Returns: The values, in the same order.
    func values(
        _ connection: PostgreSQLConnection,
        _ texts: inout CodedTexts,
        _ codes: inout ColumnCodes,
        isCounting: Bool = true
    ) throws -> ColumnValues {
        var values = ColumnValues(count: ids.count, columns)
        var unknown: Set<Int> = []
        for (column, stored) in zip(columns, stored) where column.isCoded {
            let distinct = Set(stored)
            var found: [Int64: Int64] = [:]
            if column.kind != nil {
                try texts.learn(distinct.lazy.map { Int32(truncatingIfNeeded: $0) }, connection)
            }
            for value in distinct {
                if let text = text(value, column, texts),
                    !isCounting || column != .traits || PostbackTraits(text) != nil
                {
                    found[value] = codes.code(text, column)
                }
            }
            if found.count < distinct.count {
                unknown.formUnion(stored.indices.filter { found[stored[$0]] == nil })
            }
            values[column] = stored.map { found[$0, default: 0] }
        }
        for (column, stored) in zip(columns, stored) where !column.isCoded {
            values[column] = stored
        }
        if !unknown.isEmpty {
            try readAgain(unknown, &values, connection, &codes)
        }
        return values
    }

    private func text(_ value: Int64, _ column: LedgerColumn, _ texts: CodedTexts) -> String? {
        if let words = Self.words[column] {
            return words.indices.contains(Int(value)) ? words[Int(value)] : nil
        }
        return column.kind.flatMap { texts.text(Int32(truncatingIfNeeded: value), $0) }
    }

    private func readAgain(
        _ indexes: Set<Int>, _ values: inout ColumnValues, _ connection: PostgreSQLConnection,
        _ codes: inout ColumnCodes
    ) throws {
        let result = try connection.run(
            "SELECT \(RecordedPostback.columns) \(RecordedPostback.tables) WHERE p.id = ANY ($1::int8[])",
            [.integers(indexes.map { ids[$0] })])
        let read = try (0..<result.count).compactMap { row in
            let recorded = try RecordedPostback(result, row)
            return recorded.body.flatMap { try? ReceivedPostback(reading: $0) }.map { postback in
                let digests = PostbackDigests(postback, provenance: recorded.traffic.provenance)
                return (recorded: recorded, postback: postback, digests: digests)
            }
        }
        let known = try PostbackInsertion.known(read.map(\.digests.key), connection)
        var rows: [Int64: ColumnRow] = [:]
        for (recorded, postback, digests) in read {
            // What damaged bytes say is not counted.
            guard let row = known[digests.key], row.id == recorded.id, row.content == digests.content else { continue }
            let facts = PostbackFacts(
                postback, traffic: recorded.traffic, recipient: recorded.recipient,
                receivedAtMilliseconds: recorded.receivedAtMilliseconds, key: digests.key)
            rows[recorded.id] = codes.row(facts, columns)
        }
        for index in indexes {
            values.set(rows[ids[index]] ?? .missing, at: index, columns)
        }
        values.unreadableCount = indexes.count - rows.count
    }

    /// Ids as ranges of consecutive ones.
    static func ranges(_ ids: [Int64]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for id in ids.sorted() {
            if let last = ranges.last, last.upperBound == id - 1 {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges
    }
}

/// The texts that codes of `skan.value` stand for, as far as they were looked up.
struct CodedTexts {
    private var texts: [Int32: CodedValue] = [:]

    /// Looks up codes that are not known yet.
    mutating func learn(_ codes: some Sequence<Int32>, _ connection: PostgreSQLConnection) throws {
        let unknown = Set(codes).filter { $0 != 0 && texts[$0] == nil }
        guard !unknown.isEmpty else {
            return
        }
        let found = try connection.run(
            "SELECT code, kind, value FROM skan.value WHERE code = ANY ($1::int4[])", [.smallIntegers(Array(unknown))])
        for row in 0..<found.count {
            texts[Int32(truncatingIfNeeded: try found.integer(row, 0))] = CodedValue(
                kind: try found.word(row, 1), text: try found.text(row, 2))
        }
    }

    /// The text of a code; nil for one that stands for none of that kind.
    func text(_ code: Int32, _ kind: CodedValue.Kind) -> String? {
        code == 0 ? "" : texts[code].flatMap { $0.kind == kind ? $0.text : nil }
    }
}

extension LedgerColumn {
    /// The columns of blocks; the others serve lookups, for which PostgreSQL has indexes.
    static let ofBlocks = all.filter { $0 != .transaction && $0 != .key }

    /// The values that `skan.postback` has codes for in this column; nil for the others.
    var kind: CodedValue.Kind? {
        switch self {
        case .traits: .traits
        case .app: .app
        case .campaignID: .campaignID
        case .sourceIdentifier: .sourceIdentifier
        case .sourceApp: .sourceApp
        case .sourceDomain: .sourceDomain
        case .network: .network
        case .country: .country
        case .marketplace: .marketplace
        case .traffic, .quarter, .recipient, .transaction, .key: nil
        }
    }

    /// The column of `skan.postback` that it is made from.
    var factSQL: String {
        kind?.column ?? (self == .key ? "key_check" : "\(self)")
    }
}
