import AttributionStore

/// Puts the oldest postbacks that are in no block into blocks, of one node at a time.
///
/// Blocks end below the horizon, so that no transaction can put another postback before the end of one. Everything is
/// read and computed before the first row is written: a transaction that writes holds every reader's position back.
struct BlockWriter {
    let connection: PostgreSQLConnection

    /// Held while blocks are written, over the whole database; `skan.forget_block()` takes it too.
    private static let lock: Int64 = 0x736b_616e_0003
    /// Blocks written by one transaction.
    private static let blocksAtOnce = 16

    /// What a transaction did.
    struct Step {
        /// Whether there may be more to write.
        var isMore = false
        /// How many rows of `skan.block` were damaged, or claimed postbacks of another block.
        var strayCount = 0
    }

    /// Whether the postbacks behind the last block fill another one, by two indexes.
    func isDue() throws -> Bool {
        try connection.run(
            """
            SELECT count(*) = $1 FROM (
                SELECT FROM skan.postback WHERE commit_order < skan.horizon() AND (commit_order, id) > (
                    coalesce((SELECT last_order FROM skan.block ORDER BY last_order DESC, last_id DESC LIMIT 1), 0),
                    coalesce((SELECT last_id FROM skan.block ORDER BY last_order DESC, last_id DESC LIMIT 1), 0))
                ORDER BY commit_order, id LIMIT $1
            ) AS pending
            """, [.integer(Int64(ColumnBlock.rowCount))]
        ).bool(0, 0)
    }

    /// Writes blocks in one transaction, unless another node does.
    ///
    /// Blocks are left to a release that makes them by later rules: two releases side by side would write each other's
    /// blocks again and again.
    @discardableResult
    func step(isWaiting: Bool = false) throws -> Step {
        try connection.transaction { connection in
            try connection.run(
                """
                SELECT set_config('statement_timeout', '60s', true), set_config('lock_timeout', '10s', true),
                    set_config('idle_in_transaction_session_timeout', '30s', true), set_config('jit', 'off', true),
                    set_config('synchronous_commit', 'off', true)
                """)
            if isWaiting {
                try connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(Self.lock)])
            } else if try !connection.run("SELECT pg_try_advisory_xact_lock($1)", [.integer(Self.lock)]).bool(0, 0) {
                return Step()
            }
            let store = try connection.run("SELECT version, skan.horizon() FROM skan.store")
            let chain = try BlockChain(connection)
            guard try store.integer(0, 0) <= PostgreSQLSchema.version,
                chain.headers.allSatisfy({ $0.rules <= ColumnBlock.rules })
            else {
                return Step()
            }
            let horizon = CommitPoint(order: try store.integer(0, 1) - 1, id: .max)
            var batch = BlockBatch(connection, limit: Self.blocksAtOnce)
            for part in chain.parts where !batch.isFull {
                switch part {
                case .gap(let range):
                    try batch.add(range, isWhole: true)
                case .block(let header) where header.rules < ColumnBlock.rules:
                    try batch.add(header.range, replacing: header.number, isWhole: true)
                case .block:
                    break
                }
            }
            if chain.end < horizon {
                try batch.add(CommitRange(after: chain.end, through: horizon), isWhole: false)
            }
            try batch.write(deleting: chain.strays)
            return Step(isMore: batch.isFull, strayCount: chain.strays.count)
        }
    }

    /// Deletes the block that has a postback, so that the next step writes it again.
    func forget(_ id: Int64) throws {
        try connection.transaction { connection in
            try connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(Self.lock)])
            try connection.run(
                """
                DELETE FROM skan.block AS b USING skan.postback AS p
                WHERE p.id = $1 AND (b.after_order, b.after_id) < (p.commit_order, p.id)
                    AND (b.last_order, b.last_id) >= (p.commit_order, p.id)
                """, [.integer(id)])
        }
    }
}

/// Blocks on their way into the tables, of one transaction.
private struct BlockBatch {
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

    var isFull: Bool {
        blocks.count >= limit
    }

    /// Adds blocks of some postbacks, until it is full.
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
            SELECT coalesce(max(code), 0) + 1 FROM (
                SELECT code FROM skan.column_value WHERE column_number = $1
                UNION ALL SELECT highest FROM skan.block_column WHERE column_number = $1
            ) AS used WHERE code <= (SELECT count(*) + $2 FROM skan.column_value WHERE column_number = $1)
            """, [.integer(Int64(column.rawValue)), .integer(ColumnCodes.longestGap)]
        ).integer(0, 0)
    }

    /// The store's codes for the batch's.
    func codes(_ values: [Int64], _ column: LedgerColumn) -> [Int64] {
        codes[column].map { codes in values.map { codes[Int($0)] } } ?? values
    }
}
