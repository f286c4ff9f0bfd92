import AttributionStore

/// A node's row in `skan.node`, by which the others know how many share the quarantine's budgets.
struct NodePresence: Sendable {
    private let id: Digest16?

    init() {
        var generator = SystemRandomNumberGenerator()
        let words = (generator.next() as UInt64, generator.next() as UInt64)
        id = withUnsafeBytes(of: words) { Digest16($0) }
    }

    /// Says that the node is there; for a quarter of a minute.
    ///
    /// Nothing depends on whether it is on disk, and so nobody waits for that.
    ///
    /// - Returns: How many nodes there are, this one among them.
    func renew(_ connection: PostgreSQLConnection) throws -> Int64 {
        try connection.run(
            """
            WITH settings AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
            INSERT INTO skan.node (id, seen_at) SELECT $1::uuid, now() FROM settings
            ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
            RETURNING 1 + (SELECT count(*) FROM skan.node WHERE id <> $1 AND seen_at > now() - interval '15 s')
            """, [.digest(id)]
        ).integer(0, 0)
    }
}
