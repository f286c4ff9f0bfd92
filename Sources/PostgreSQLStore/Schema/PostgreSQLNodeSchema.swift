/// The third migration: what nodes know of each other.
enum PostgreSQLNodeSchema {
    static let sql = """
        -- The nodes that record, each seen every few seconds: they share the quarantine's budgets.
        CREATE TABLE skan.node (
            id uuid PRIMARY KEY,
            seen_at timestamptz NOT NULL
        );

        """
}
