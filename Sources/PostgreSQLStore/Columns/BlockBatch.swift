import AttributionStore

/// Blocks on their way into the tables, of one transaction.
struct BlockBatch {
    private let connection: PostgreSQLConnection
    private let limit: Int
    private var texts = CodedTexts()
    /// Of this batch alone; ``StoredTexts`` knows those of the store.
    private var codes = ColumnCodes()
    private var blocks: [(range: CommitRange, values: ColumnValues)] = []
    private var replaced: [Int64] = []

    init(_ connection: PostgreSQLConnection, limit: Int) {
        self.connection = connection
        self.limit = limit
    }

    /// How many blocks there are.
    var count: Int {
        blocks.count
    }

    var isFull: Bool {
        blocks.count >= limit
    }

    /// Adds blocks of some postbacks, until it is full.
    ///
    /// - Parameters:
    ///   - range: The postbacks.
    ///   - number: The block that has them now.
    ///   - isWhole: Whether the last block ends with the range, however few it has; if not, all are full.
    /// - Throws: ``PostgreSQLFault``.
    mutating func add(_ range: CommitRange, replacing number: Int64? = nil, isWhole: Bool) throws {
        var after = range.after
        while after < range.through, !isFull {
            let page = try FactPage(
                connection, CommitRange(after: after, through: range.through), LedgerColumn.ofBlocks)
            guard let last = page.last, isWhole || page.ids.count == ColumnBlock.rowCount else {
                break
            }
            var end = last
            if isWhole {
                let rest = CommitRange(after: last, through: range.through)
                end = try FactPage(connection, rest, [], limit: 1).ids.isEmpty ? range.through : last
            }
            let values = try page.values(connection, &texts, &codes, isCounting: false)
            blocks.append((CommitRange(after: after, through: end), values))
            after = end
        }
        if let number {
            replaced.append(number)
        }
    }

    /// Writes the blocks and the texts that they need.
    ///
    /// - Parameter strays: The numbers of blocks that nobody reads.
    /// - Throws: ``PostgreSQLFault``.
    func write(deleting strays: [Int64]) throws {
        let gone = strays + replaced
        if !gone.isEmpty {
            // Their columns go with them.
            try connection.run("DELETE FROM skan.block WHERE number = ANY ($1::int8[])", [.integers(gone)])
        }
        guard !blocks.isEmpty else {
            return
        }
        let stored = try StoredTexts(connection, codes)
        let first = try connection.run("SELECT coalesce(max(number), 0) + 1 FROM skan.block").integer(0, 0)
        var headers: [BlockHeader] = []
        var columns: [(header: BlockHeader, column: LedgerColumn, encoded: EncodedColumn)] = []
        for (number, (range, values)) in zip(first..., blocks) {
            let quarters = EncodedColumn(values[.quarter])
            let header = BlockHeader(
                number: number, range: range, count: values.count, missingCount: values.unreadableCount,
                quarters: quarters.lowest...quarters.highest)
            headers.append(header)
            for column in LedgerColumn.ofBlocks {
                let encoded = column == .quarter ? quarters : EncodedColumn(stored.codes(values[column], column))
                columns.append((header, column, encoded))
            }
        }
        try insert(headers)
        try connection.run(
            """
            INSERT INTO skan.block_column (number, column_number, lowest, highest, offsets, checksum)
            SELECT * FROM unnest($1::int8[], $2::int4[], $3::int8[], $4::int8[], $5::bytea[], $6::int8[])
            """,
            [
                .integers(columns.map(\.header.number)), .smallIntegers(columns.map { Int32($0.column.rawValue) }),
                .integers(columns.map(\.encoded.lowest)), .integers(columns.map(\.encoded.highest)),
                .blobs(columns.map(\.encoded.offsets)),
                .integers(columns.map { $0.encoded.checksum($0.header.identity($0.column)) }),
            ])
    }

    private func insert(_ headers: [BlockHeader]) throws {
        let numbers = headers.map { $0.numbers + [$0.checksum] }
        let arrays = (1...11).map { "$\($0)::int8[]" }.joined(separator: ", ")
        try connection.run(
            "INSERT INTO skan.block (\(BlockHeader.columns)) SELECT * FROM unnest(\(arrays))",
            (0..<11).map { column in .integers(numbers.map { $0[column] }) })
    }
}

/// The codes that a store has for the texts of a batch.
private struct StoredTexts {
    /// By column, and by the batch's own code.
    private var codes: [LedgerColumn: [Int64]] = [:]

    /// Finds the codes of all texts, and gives new ones to texts that have none.
    init(_ connection: PostgreSQLConnection, _ own: ColumnCodes) throws {
        var fresh: [(column: LedgerColumn, code: Int64, value: String)] = []
        let known = try Self.known(connection, own)
        for column in LedgerColumn.ofBlocks where column.isCoded {
            var next: Int64?
            codes[column] = try own.values(column).map { text in
                guard let text, !text.isEmpty else {
                    return 0
                }
                if let code = known[column]?[text] {
                    return code
                }
                let code = try next ?? Self.firstFree(connection, column)
                next = code + 1
                fresh.append((column, code, text))
                return code
            }
        }
        guard !fresh.isEmpty else {
            return
        }
        try connection.run(
            """
            INSERT INTO skan.column_value (column_number, code, value, checksum)
            SELECT * FROM unnest($1::int4[], $2::int8[], $3::text[], $4::int8[])
            """,
            [
                .smallIntegers(fresh.map { Int32($0.column.rawValue) }), .integers(fresh.map(\.code)),
                .texts(fresh.map(\.value)),
                .integers(fresh.map { ColumnCodes.checksum($0.column, $0.code, $0.value) }),
            ])
    }

    private static func known(
        _ connection: PostgreSQLConnection, _ own: ColumnCodes
    ) throws -> [LedgerColumn: [String: Int64]] {
        let wanted = LedgerColumn.ofBlocks.flatMap { column in
            own.values(column).compactMap(\.self).filter { !$0.isEmpty }.map { (column: column, text: $0) }
        }
        let found = try connection.run(
            """
            SELECT column_number, value, code, checksum
            FROM unnest($1::int4[], $2::text[]) AS wanted (column_number, value)
                JOIN skan.column_value USING (column_number, value)
            ORDER BY code
            """, [.smallIntegers(wanted.map { Int32($0.column.rawValue) }), .texts(wanted.map(\.text))])
        var known: [LedgerColumn: [String: Int64]] = [:]
        for row in 0..<found.count {
            guard let column = LedgerColumn(rawValue: Int(try found.integer(row, 0))) else {
                continue
            }
            let (text, code) = (try found.text(row, 1), try found.integer(row, 2))
            // One that is damaged is no code of this text.
            if try found.integer(row, 3) == ColumnCodes.checksum(column, code, text), known[column]?[text] == nil {
                known[column, default: [:]][text] = code
            }
        }
        return known
    }

    /// The first code that neither a text nor a block has, but for numbers so high that they are damage.
    private static func firstFree(_ connection: PostgreSQLConnection, _ column: LedgerColumn) throws -> Int64 {
        try connection.run(
            """
            WITH limits AS MATERIALIZED (
                SELECT count(*) + $2 AS code FROM skan.column_value WHERE column_number = $1
            )
            SELECT 1 + greatest(
                0,
                (SELECT max(v.code) FROM skan.column_value AS v
                    WHERE v.column_number = $1 AND v.code <= (SELECT code FROM limits)),
                (SELECT max(b.highest) FROM skan.block_column AS b
                    WHERE b.column_number = $1 AND b.highest <= (SELECT code FROM limits)))
            """, [.integer(Int64(column.rawValue)), .integer(ColumnCodes.longestGap)]
        ).integer(0, 0)
    }

    /// The store's codes for the batch's.
    func codes(_ values: [Int64], _ column: LedgerColumn) -> [Int64] {
        codes[column].map { codes in values.map { codes[Int($0)] } } ?? values
    }
}
