import AttributionStore

/// A point in the order of the commits, in which a later transaction puts nothing before an earlier one: a postback's
/// `commit_order` and id.
struct CommitPoint: Hashable, Comparable {
    let order: Int64
    let id: Int64

    /// Before the first postback.
    static let start = CommitPoint(order: 0, id: 0)

    static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.order, lhs.id) < (rhs.order, rhs.id)
    }

    /// Both numbers, as parameters of a statement.
    var parameters: [PostgreSQLParameter] {
        [.integer(order), .integer(id)]
    }
}

/// The postbacks behind one point and up to another.
struct CommitRange: Hashable {
    let after: CommitPoint
    let through: CommitPoint
}

/// What `skan.block` says of a block, whole.
struct BlockHeader {
    let number: Int64
    /// The postbacks it has, and no others: it ends where the next one begins.
    let range: CommitRange
    let count: Int
    /// How many of them could not be read when it was written.
    let missingCount: Int
    /// The times of its postbacks.
    let quarters: ClosedRange<Int64>
    let rules: Int64

    /// What ``init(_:_:)`` takes.
    static let columns = """
        number, after_order, after_id, last_order, last_id, row_count, missing_count, lowest_quarter, highest_quarter,
        rules, checksum
        """

    init(
        number: Int64, range: CommitRange, count: Int, missingCount: Int, quarters: ClosedRange<Int64>,
        rules: Int64 = ColumnBlock.rules
    ) {
        self.number = number
        self.range = range
        self.count = count
        self.missingCount = missingCount
        self.quarters = quarters
        self.rules = rules
    }

    /// Takes a row of ``columns``; nil for a damaged one.
    init?(_ result: PostgreSQLResult, _ row: Int) throws {
        let numbers = try (0...9).map { try result.integer(row, $0) }
        guard (1...Int64(ColumnBlock.rowCount)).contains(numbers[5]), numbers[7] <= numbers[8] else {
            return nil
        }
        self.init(
            number: numbers[0],
            range: CommitRange(
                after: CommitPoint(order: numbers[1], id: numbers[2]),
                through: CommitPoint(order: numbers[3], id: numbers[4])),
            count: Int(numbers[5]), missingCount: Int(numbers[6]), quarters: numbers[7]...numbers[8], rules: numbers[9])
        guard range.after < range.through, try result.integer(row, 10) == checksum else {
            return nil
        }
    }

    /// Every number of the row, in the order of ``columns``.
    var numbers: [Int64] {
        [
            number, range.after.order, range.after.id, range.through.order, range.through.id, Int64(count),
            Int64(missingCount), quarters.lowerBound, quarters.upperBound, rules,
        ]
    }

    /// Of everything the row says.
    var checksum: Int64 {
        Int64(bitPattern: sum.value)
    }

    private var sum: Checksum {
        var sum = Checksum()
        for number in numbers {
            sum.add(number)
        }
        return sum
    }

    /// What tells a column of this block from those of others, and of other blocks that had its number.
    func identity(_ column: LedgerColumn) -> Checksum {
        var identity = sum
        identity.add(Int64(column.rawValue))
        return identity
    }
}

/// The blocks of a store in the order of the commits, each of which begins where the last one ended, and the gaps
/// between them.
///
/// Whatever the rows of `skan.block` say, every postback is in one part, or behind the last: a row that is damaged, or
/// that claims postbacks of an earlier block, is left out, and nothing is counted twice or passed over.
struct BlockChain {
    enum Part {
        case block(BlockHeader)
        /// Postbacks that were in a block, which is lost.
        case gap(CommitRange)

        var range: CommitRange {
            switch self {
            case .block(let header): header.range
            case .gap(let range): range
            }
        }
    }

    private(set) var parts: [Part] = []
    /// Where the last block ends.
    private(set) var end = CommitPoint.start
    /// The numbers of rows that are no part of the chain.
    private(set) var strays: [Int64] = []

    /// Reads the blocks.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - last: Where the last block ends at the latest; nil for all.
    /// - Throws: ``PostgreSQLFault``.
    init(_ connection: PostgreSQLConnection, through last: CommitPoint? = nil) throws {
        let result = try connection.run("SELECT \(BlockHeader.columns) FROM skan.block")
        var headers: [BlockHeader] = []
        for row in 0..<result.count {
            if let header = try BlockHeader(result, row) {
                headers.append(header)
            } else {
                strays.append(try result.integer(row, 0))
            }
        }
        headers.sort { ($0.range.after, $0.range.through) < ($1.range.after, $1.range.through) }
        for header in headers {
            guard header.range.after >= end else {
                strays.append(header.number)
                continue
            }
            if let last, header.range.after > last {
                break
            }
            if header.range.after > end {
                parts.append(.gap(CommitRange(after: end, through: header.range.after)))
                end = header.range.after
            }
            if let last, header.range.through > last {
                break
            }
            parts.append(.block(header))
            end = header.range.through
        }
    }

    /// The blocks, without the gaps.
    var headers: [BlockHeader] {
        parts.compactMap { if case .block(let header) = $0 { header } else { nil } }
    }
}
