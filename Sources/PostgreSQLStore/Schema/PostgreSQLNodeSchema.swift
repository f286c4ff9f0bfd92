/// The third migration: what nodes know of each other, and sums over what was copied that outlive old bodies.
enum PostgreSQLNodeSchema {
    static let sql = """
        -- The nodes that record, each seen every few seconds: they share the quarantine's budgets.
        CREATE TABLE skan.node (
            id uuid PRIMARY KEY,
            seen_at timestamptz NOT NULL
        );

        -- One sum over everything could not be compared any more once some bodies were dropped.
        ALTER TABLE skan.copy_source DROP COLUMN checksum;
        -- Over what came by copying; none for what was copied before.
        ALTER TABLE skan.copy_run ADD COLUMN checksum uuid;

        """
}
