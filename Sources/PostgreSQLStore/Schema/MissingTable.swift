import AttributionStore

/// A table of the store that somebody dropped.
struct MissingTable: Hashable {
    let name: String

    /// Without these nothing is recorded, or nobody knows what was.
    private static let recording = [
        "postback_key", "postback", "postback_body", "value", "recipient_copy", "own_network", "batch", "quarantine",
        "quarantine_change", "delivery", "repeat_delay", "node",
    ]

    /// Without these other things fail.
    private static let others =
        ["web_ad", "known_id", "imported_file"]
        + ["copy_source", "copy_run", "copy_quarantine", "copy_delivery", "copy_repeat", "copy_moved"]
        + ["signed_impressions", "signed_sequences", "spend", "copy_signed", "copy_sequences", "copy_spend"]
        .flatMap { [$0, "\($0)_test"] }

    /// Whether nothing is recorded without it.
    var isRecordedInto: Bool {
        Self.recording.contains(name)
    }

    /// Whether it follows from others, so that it can be made again.
    var isDerived: Bool {
        PostgreSQLBlockSchema.names.contains(name)
    }

    /// Looks for the first one, those before that are recorded into.
    ///
    /// - Parameter connection: To a store; of another version than this release's nothing is known.
    /// - Returns: The table; nil if all are there.
    /// - Throws: ``PostgreSQLFault``.
    static func first(_ connection: PostgreSQLConnection) throws -> MissingTable? {
        let found = try connection.run(
            """
            SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS known (name, position)
            WHERE (SELECT version FROM skan.store) = $2 AND NOT EXISTS (
                SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = 'skan' AND c.relname = name
            ) ORDER BY position LIMIT 1
            """,
            [.texts(recording + others + PostgreSQLBlockSchema.names), .integer(PostgreSQLSchema.version)])
        return try found.count == 0 ? nil : MissingTable(name: found.text(0, 0))
    }

    /// Whether a table is missing that can be made again.
    static func areColumnsMissing(_ connection: PostgreSQLConnection) throws -> Bool {
        try connection.run(
            """
            SELECT (SELECT version FROM skan.store) = $2 AND count(*) < cardinality($1::text[])
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = 'skan' AND c.relname = ANY ($1::text[])
            """, [.texts(PostgreSQLBlockSchema.names), .integer(PostgreSQLSchema.version)]
        ).bool(0, 0)
    }

    /// What a person is told.
    func error(_ address: PostgreSQLAddress) -> StoreError {
        .failed(path: address.description, .missingTable(name))
    }
}
