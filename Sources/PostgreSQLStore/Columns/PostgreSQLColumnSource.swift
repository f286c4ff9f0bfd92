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
    private var read: [Int64: [StoredColumn]] = [:]
    private var readEnd: Int64 = 0

    private enum Part {
        case block(BlockHeader)
        case facts(CommitRange, isGap: Bool)
    }

    /// Blocks that are read by one statement.
    private static let blocksAtOnce = 32

    /// Prepares to count.
    ///
    /// - Parameters:
    ///   - connection: Within the transaction.
    ///   - question: What to count.
    ///   - last: The last postback to count.
    /// - Throws: ``PostgreSQLFault``.
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

    func quarters(_ block: Int64) -> ClosedRange<Int64>? {
        header(block)?.quarters
    }

    func missingCount(_ block: Int64) throws -> Int {
        header(block)?.missingCount ?? 0
    }

    // MARK: Columns

    func load(_ block: Int64, _ column: LedgerColumn) throws -> StoredColumn? {
        guard let header = header(block) else {
            return nil
        }
        if block >= readEnd {
            try readBlocks(from: block)
        }
        return read[header.number]?.first { $0.column == column }
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
        read = try connection.columns(headers, columns)
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

extension PostgreSQLConnection {
    /// Reads columns of blocks, none of them checked yet.
    ///
    /// What is on a page that the server finds damaged is left out.
    ///
    /// - Parameters:
    ///   - headers: The blocks.
    ///   - columns: The columns.
    /// - Returns: The columns by the blocks' numbers.
    /// - Throws: ``PostgreSQLFault``, except for damage.
    func columns(_ headers: [BlockHeader], _ columns: [LedgerColumn]) throws -> [Int64: [StoredColumn]] {
        let headerByNumber = Dictionary(headers.map { ($0.number, $0) }) { first, _ in first }
        guard
            let result = try nilIfDamaged({
                try run(
                    """
                    SELECT number, column_number, lowest, highest, checksum, offsets FROM skan.block_column
                    WHERE number = ANY ($1::int8[]) AND column_number = ANY ($2::int4[])
                    """,
                    [
                        .integers(headers.map(\.number)), .smallIntegers(columns.map { Int32($0.rawValue) }),
                    ])
            })
        else {
            guard headers.count > 1 else {
                return [:]
            }
            // Others may be whole.
            return try headers.reduce(into: [:]) { found, header in
                found.merge(try self.columns([header], columns)) { first, _ in first }
            }
        }
        var found: [Int64: [StoredColumn]] = [:]
        for row in 0..<result.count {
            let number = try result.integer(row, 0)
            if let header = headerByNumber[number],
                let column = LedgerColumn(rawValue: Int(try result.integer(row, 1)))
            {
                found[number, default: []].append(
                    StoredColumn(
                        column, header.identity(column), count: header.count, rules: header.rules,
                        lowest: try result.integer(row, 2), highest: try result.integer(row, 3),
                        offsets: try result.bytes(row, 5), checksum: try result.integer(row, 4)))
            }
        }
        return found
    }

    /// Reads within the transaction, which goes on if the server finds its pages damaged; then nil.
    private func nilIfDamaged<Result>(_ work: () throws -> Result) throws -> Result? {
        try run("SAVEPOINT damage")
        do {
            let result = try work()
            try run("RELEASE SAVEPOINT damage")
            return result
        } catch let fault as PostgreSQLFault where fault.sqlState.hasPrefix("XX") {
            try run("ROLLBACK TO SAVEPOINT damage")
            return nil
        }
    }
}
