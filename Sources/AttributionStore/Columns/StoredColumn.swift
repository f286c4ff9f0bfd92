/// One column of a block, copied out of the store and not checked yet, so that another thread can do so.
package struct StoredColumn: Sendable {
    package let column: LedgerColumn
    private let identity: Checksum
    private let count: Int
    private let rules: Int64
    /// What the store says; true only if ``withBlock(_:)`` finds it whole.
    let lowest: Int64
    let highest: Int64
    private let offsets: [UInt8]
    private let checksum: Int64

    /// Takes what is stored; see ``ColumnBlock/init(_:count:rules:lowest:highest:offsets:checksum:)``.
    package init(
        _ column: LedgerColumn,
        _ identity: Checksum,
        count: Int,
        rules: Int64,
        lowest: Int64,
        highest: Int64,
        offsets: [UInt8],
        checksum: Int64
    ) {
        self.column = column
        self.identity = identity
        self.count = count
        self.rules = rules
        self.lowest = lowest
        self.highest = highest
        self.offsets = offsets
        self.checksum = checksum
    }

    /// Passes the block to a closure.
    ///
    /// - Returns: What `use` returned; nil if the block is damaged or built by other rules.
    package func withBlock<Result>(_ use: (ColumnBlock) throws -> Result) rethrows -> Result? {
        try offsets.withUnsafeBytes { offsets in
            try ColumnBlock(
                identity, count: count, rules: rules, lowest: lowest, highest: highest, offsets: offsets,
                checksum: checksum
            ).map(use)
        }
    }
}
