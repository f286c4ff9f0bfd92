import Attribution
import AttributionStore

/// What a database has of the postbacks up to a point, within a transaction that reads one snapshot.
///
/// Columns are derived from facts, which stay when bodies are dropped.
final class PostgreSQLColumnSource: ColumnSource {
    private let connection: PostgreSQLConnection
    private let question: LedgerQuestion
    private let columns: [LedgerColumn]
    private let parts: [Part]
    /// The postbacks behind the last block.
    private let rest: CommitRange
    /// Whether they are so few that they are counted first; if not, they are the last part.
    private let isRestNewest: Bool
    private var texts = CodedTexts()
    /// The blocks read last, column by column.
    private var read: [Int64: [LedgerColumn: StoredColumn]] = [:]
    private var readEnd: Int64 = 0

    private enum Part {
        case block(BlockHeader)
        case facts(CommitRange, isGap: Bool)
    }

    /// Blocks that are read by one statement.
    private static let blocksAtOnce = 32

    init(_ connection: PostgreSQLConnection, _ question: LedgerQuestion, through last: CommitPoint) throws {
        self.connection = connection
        self.question = question
        columns = LedgerColumn.needed(for: question)
        let chain = try BlockChain(connection, through: last)
        var parts: [Part] = chain.parts.map { part in
            switch part {
            case .block(let header): .block(header)
            case .gap(let range): .facts(range, isGap: true)
            }
        }
        rest = CommitRange(after: chain.end, through: max(chain.end, last))
        // The newest block may be among the damaged ones.
        let isDamaged = !chain.strays.isEmpty
        let most = isDamaged ? ColumnBlock.rowCount - 1 : ColumnBlock.rowCount
        isRestNewest = try FactPage(connection, rest, [], limit: most + 1).ids.count <= most
        if !isRestNewest {
            // Nobody has written blocks of them yet.
            parts.append(.facts(rest, isGap: isDamaged))
        }
        self.parts = parts
    }

    var blockCount: Int64 {
        Int64(parts.count)
    }

    private func header(_ block: Int64) -> BlockHeader? {
        if case .block(let header) = parts[Int(block)] { header } else { nil }
    }

    func postbackCount(_ block: Int64) -> Int {
        header(block)?.count ?? 0
    }

    func times(_ block: Int64) -> (quarters: ClosedRange<Int64>, missingCount: Int)? {
        header(block).map { ($0.quarters, $0.missingCount) }
    }

    // MARK: Columns

    func read<Result>(
        _ block: Int64, _ column: LedgerColumn, _ use: (ColumnBlock) throws -> Result
    ) throws -> Result? {
        guard let header = header(block) else {
            return nil
        }
        if block >= readEnd {
            try readBlocks(from: block)
        }
        return try read[header.number]?[column]?.withBlock(header, use)
    }

    /// Reads the next blocks that may have postbacks of the question's time.
    private func readBlocks(from first: Int64) throws {
        var headers: [BlockHeader] = []
        readEnd = first
        while readEnd < blockCount, headers.count < Self.blocksAtOnce {
            if let header = header(readEnd), !ColumnCount.excludes(header.quarters, question) {
                headers.append(header)
            }
            readEnd += 1
        }
        read = try StoredColumn.read(headers, columns, connection)
    }

    // MARK: Facts

    func codes(_ columns: [LedgerColumn]) throws -> ColumnCodes {
        var codes = try ColumnCodes(connection, columns)
        if parts.contains(where: { if case .facts = $0 { true } else { false } }) {
            try codes.noteAll(connection, columns)
        }
        return codes
    }

    func newest(_ columns: [LedgerColumn], _ codes: inout ColumnCodes) throws -> ColumnValues? {
        guard isRestNewest else {
            return nil
        }
        let page = try FactPage(connection, rest, columns)
        return page.ids.isEmpty ? nil : try page.values(connection, &texts, &codes)
    }

    func derive(
        _ block: Int64,
        _ columns: [LedgerColumn],
        _ codes: inout ColumnCodes,
        _ use: (ColumnValues, ColumnCodes) throws -> Void
    ) throws -> [ClosedRange<Int64>] {
        let (range, isDamage) =
            switch parts[Int(block)] {
            // Blocks of other releases are not damaged.
            case .block(let header): (header.range, header.rules == ColumnBlock.rules)
            case .facts(let range, let isGap): (range, isGap)
            }
        var ids: [Int64] = []
        var next = range.after
        while next < range.through {
            let page = try FactPage(connection, CommitRange(after: next, through: range.through), columns)
            guard let last = page.last else {
                break
            }
            try use(try page.values(connection, &texts, &codes), codes)
            if isDamage {
                ids += page.ids
            }
            next = last
        }
        return FactPage.ranges(ids)
    }
}

/// One column of a block as it is stored.
struct StoredColumn {
    private let column: LedgerColumn
    private let lowest: Int64
    private let highest: Int64
    private let checksum: Int64
    private let offsets: [UInt8]

    /// Reads columns of blocks, none of them checked yet.
    static func read(
        _ headers: [BlockHeader], _ columns: [LedgerColumn], _ connection: PostgreSQLConnection
    ) throws -> [Int64: [LedgerColumn: StoredColumn]] {
        let result = try connection.run(
            """
            SELECT number, column_number, lowest, highest, checksum, offsets FROM skan.block_column
            WHERE number = ANY ($1::int8[]) AND column_number = ANY ($2::int4[])
            """, [.integers(headers.map(\.number)), .smallIntegers(columns.map { Int32($0.rawValue) })])
        var found: [Int64: [LedgerColumn: StoredColumn]] = [:]
        for row in 0..<result.count {
            if let column = LedgerColumn(rawValue: Int(try result.integer(row, 1))) {
                found[try result.integer(row, 0), default: [:]][column] = StoredColumn(
                    column: column, lowest: try result.integer(row, 2), highest: try result.integer(row, 3),
                    checksum: try result.integer(row, 4), offsets: try result.bytes(row, 5))
            }
        }
        return found
    }

    /// Passes the column to a closure.
    ///
    /// - Returns: What `use` returned; nil if it is damaged or built by other rules.
    func withBlock<Result>(_ header: BlockHeader, _ use: (ColumnBlock) throws -> Result) rethrows -> Result? {
        try offsets.withUnsafeBytes { offsets in
            try ColumnBlock(
                header.identity(column), count: header.count, rules: header.rules, lowest: lowest, highest: highest,
                offsets: offsets, checksum: checksum
            ).map(use)
        }
    }
}

extension ColumnCodes {
    /// Reads the codes of some columns.
    ///
    /// - Throws: ``PostgreSQLFault``.
    init(_ connection: PostgreSQLConnection, _ columns: [LedgerColumn], isCounting: Bool = true) throws {
        self.init()
        let numbers = PostgreSQLParameter.smallIntegers(columns.map { Int32($0.rawValue) })
        let found = try connection.run(
            """
            SELECT column_number, code, value, checksum FROM skan.column_value
            WHERE column_number = ANY ($1::int4[]) ORDER BY column_number, code
            """, [numbers])
        for row in 0..<found.count {
            if let column = LedgerColumn(rawValue: Int(try found.integer(row, 0))) {
                note(
                    try found.text(row, 2), code: try found.integer(row, 1), column,
                    checksum: try found.integer(row, 3))
            }
        }
        let highest = try connection.run(
            "SELECT column_number, max(highest) FROM skan.block_column WHERE column_number = ANY ($1::int4[]) GROUP BY 1",
            [numbers])
        var highestUsed: [Int64: Int64] = [:]
        for row in 0..<highest.count {
            highestUsed[try highest.integer(row, 0)] = try highest.integer(row, 1)
        }
        for column in columns {
            didRead(column, highestUsed: highestUsed[Int64(column.rawValue)] ?? 0, isCounting: isCounting)
        }
    }

    /// Gives codes to every text that facts may have in some columns, so that deriving many postbacks adds none.
    mutating func noteAll(_ connection: PostgreSQLConnection, _ columns: [LedgerColumn]) throws {
        var columnByKind: [String: LedgerColumn] = [:]
        for column in columns {
            if let kind = column.kind {
                columnByKind[kind.rawValue] = column
            }
        }
        let found = try connection.run(
            "SELECT kind, value FROM skan.value WHERE kind = ANY ($1::text[]) ORDER BY code",
            [.texts(Array(columnByKind.keys))])
        for row in 0..<found.count {
            let text = try found.text(row, 1)
            // Traits that only a later release knows are counted by none of this one's codes.
            if let column = columnByKind[try found.text(row, 0)], column != .traits || PostbackTraits(text) != nil {
                _ = code(text, column)
            }
        }
    }
}
