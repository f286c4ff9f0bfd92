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
        var writtenCount = 0
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
    ///
    /// - Parameters:
    ///   - damaged: The number of a block to write again.
    ///   - isWaiting: Whether to wait for another node.
    /// - Returns: What was done.
    /// - Throws: ``PostgreSQLFault``.
    @discardableResult
    func step(rewriting damaged: Int64? = nil, isWaiting: Bool = false) throws -> Step {
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
                case .block(let header) where header.rules < ColumnBlock.rules || header.number == damaged:
                    try batch.add(header.range, replacing: header.number, isWhole: true)
                case .block:
                    break
                }
            }
            if chain.end < horizon {
                try batch.add(CommitRange(after: chain.end, through: horizon), isWhole: false)
            }
            try batch.write(deleting: chain.strays)
            return Step(writtenCount: batch.count, isMore: batch.isFull, strayCount: chain.strays.count)
        }
    }
}
