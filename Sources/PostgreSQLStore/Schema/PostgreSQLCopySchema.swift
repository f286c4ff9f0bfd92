/// The seventh migration: what a store made itself of deliveries that were copied into its quarantine.
enum PostgreSQLCopySchema {
    static let moves = """
        CREATE INDEX copy_quarantine_target ON skan.copy_quarantine (target_id);

        -- Changes of the counts of this store, until the source made something of the same deliveries, too.
        CREATE TABLE skan.copy_moved (
            store text NOT NULL,
            source_id int8 NOT NULL,
            postback_id int8, -- as which it was recorded
            quarter int4 NOT NULL,
            status text NOT NULL,
            traffic text NOT NULL,
            reason text NOT NULL,
            recipient skan.recipient NOT NULL,
            count int8 NOT NULL,
            delay int2 -- of a repeat
        );
        CREATE INDEX copy_moved_source ON skan.copy_moved (store, source_id);
        CREATE INDEX copy_moved_postback ON skan.copy_moved (postback_id) WHERE postback_id IS NOT NULL;

        """
}
