extension PostgreSQLSchema {
    static let copies = """
        -- How far other stores were copied into this one.
        CREATE TABLE skan.copy_source (
            store text PRIMARY KEY, -- the source's name in positions
            position text NOT NULL, -- of the last postback that was copied; empty before the first
            copied int8 NOT NULL,
            lost int8 NOT NULL -- whose bytes were gone
        );
        -- Which postbacks of the source are which here.
        CREATE TABLE skan.copy_run (
            store text NOT NULL,
            source_id int8 NOT NULL,
            target_id int8 NOT NULL,
            count int8 NOT NULL,
            is_new boolean NOT NULL,
            checksum uuid, -- over what came by copying
            PRIMARY KEY (store, source_id)
        );
        CREATE TABLE skan.copy_quarantine (
            store text NOT NULL,
            source_id int8 NOT NULL,
            target_id int8 NOT NULL,
            PRIMARY KEY (store, source_id)
        );
        -- What was added to the counts of deliveries; summed as they are.
        CREATE TABLE skan.copy_delivery (
            store text NOT NULL,
            quarter int4 NOT NULL,
            status text NOT NULL,
            traffic text NOT NULL,
            reason text NOT NULL,
            recipient skan.recipient NOT NULL,
            count int8 NOT NULL,
            kept int8 NOT NULL
        );
        CREATE TABLE skan.copy_repeat (
            store text NOT NULL,
            quarter int4 NOT NULL,
            delay int2 NOT NULL,
            count int8 NOT NULL
        );
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
