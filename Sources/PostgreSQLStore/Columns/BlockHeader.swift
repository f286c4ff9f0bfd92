import AttributionStore

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
