extension PostgreSQLSchema {
    /// Version 2: how far destinations have come.
    static let forwarding = """
        -- How far each destination has come in the order of the commits; ids are those of postbacks, and times Unix
        -- milliseconds.
        CREATE TABLE skan.destination (
            name text COLLATE "C" PRIMARY KEY,
            start_order int8 NOT NULL, -- after which it began
            start_id int8 NOT NULL,
            last_order int8 NOT NULL, -- up to which everything is done with
            last_id int8 NOT NULL,
            last_recorded_at int8 NOT NULL, -- of that postback, as the bits of its digest: ids come again after a restore
            last_check int8,
            state text NOT NULL CHECK (state IN ('running', 'paused', 'gone')),
            failure_run int8 NOT NULL DEFAULT 0,
            last_success_at int8,
            last_failure_at int8,
            last_failure text NOT NULL DEFAULT '',
            node text NOT NULL DEFAULT '', -- that delivers to it, until it says so no more
            node_until timestamptz NOT NULL DEFAULT 'epoch'
        );

        -- Postbacks that a destination did not take.
        CREATE TABLE skan.destination_postback (
            destination text COLLATE "C" NOT NULL,
            id int8 NOT NULL,
            recorded_at int8 NOT NULL,
            attempts int8 NOT NULL,
            due_at int8, -- NULL: parked
            attempted_at int8 NOT NULL,
            status int8,
            text text NOT NULL,
            PRIMARY KEY (destination, id)
        );

        -- Transactions that recorded an import or another store's postbacks: history, which is not forwarded.
        CREATE TABLE skan.imported_batch (
            commit_order int8 PRIMARY KEY
        );
        """
}
