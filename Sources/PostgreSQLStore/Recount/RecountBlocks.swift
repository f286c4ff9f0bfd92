import AttributionStore

/// Compares blocks of columns with the facts they were made of, in one snapshot.
struct RecountBlocks {
    /// The blocks that are missing, damaged, or do not say what the facts say: the lowest and highest id of each.
    private(set) var differing: [ClosedRange<Int64>] = []
    /// The numbers of those that there are.
    private(set) var numbers: Set<Int64> = []
    /// Whether there are rows of `skan.block` that are part of no chain.
    let hasStrays: Bool

    /// Compares everything.
    ///
    /// - Parameter connection: Within a transaction that reads one snapshot.
    /// - Throws: ``PostgreSQLFault``.
    init(_ connection: PostgreSQLConnection) throws {
        let chain = try BlockChain(connection)
        hasStrays = !chain.strays.isEmpty
        var texts = CodedTexts()
        var codes = try ColumnCodes(connection, LedgerColumn.ofBlocks.filter(\.isCoded), isCounting: false)
        for part in chain.parts {
            switch part {
            case .gap(let range):
                try noteGap(range, connection)
            // A later release's blocks are its own.
            case .block(let header) where header.rules <= ColumnBlock.rules:
                let page = try FactPage(connection, header.range, LedgerColumn.ofBlocks, limit: header.count + 1)
                let expected = try page.values(connection, &texts, &codes, isCounting: false)
                if try !isSame(header, expected, codes, connection) {
                    numbers.insert(header.number)
                    if let lowest = page.ids.min(), let highest = page.ids.max() {
                        differing.append(lowest...highest)
                    }
                }
            case .block:
                break
            }
        }
    }

    private mutating func noteGap(_ range: CommitRange, _ connection: PostgreSQLConnection) throws {
        var after = range.after
        while case let page = try FactPage(connection, CommitRange(after: after, through: range.through), []),
            let last = page.last, let lowest = page.ids.min(), let highest = page.ids.max()
        {
            differing.append(lowest...highest)
            after = last
        }
    }

    private func isSame(
        _ header: BlockHeader, _ expected: ColumnValues, _ codes: ColumnCodes, _ connection: PostgreSQLConnection
    ) throws -> Bool {
        let stored = try connection.columns([header], LedgerColumn.ofBlocks)[header.number] ?? []
        guard header.count == expected.count, stored.count == LedgerColumn.ofBlocks.count else {
            return false
        }
        var values = ColumnValues(count: header.count, LedgerColumn.ofBlocks)
        for column in stored where column.withBlock({ values.set($0, column.column) }) == nil {
            return false
        }
        // A block may still have what neither facts nor bytes say any more.
        let known = (0..<values.count).filter { expected[.traffic][$0] != 0 }
        return LedgerColumn.ofBlocks.allSatisfy { column in
            let (values, expected) = (values[column], expected[column])
            return known.allSatisfy { codes.areSame(values[$0], expected[$0], column) }
        }
    }
}
