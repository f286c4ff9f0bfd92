/// The tables of a store of postbacks.
enum LedgerSchema {
    /// Marked "skan", version 2.
    static let schema = StoreSchema(
        applicationID: StoreHeader.ledgerApplication, version: 2,
        tables: ledger + columns + quarantine + quarantineTotals + counts + imports)

    private static let ledger = """
        -- Each verified postback once, for ever. Ids are dense and in the order of the commits.
        CREATE TABLE postback (
            id INTEGER PRIMARY KEY,
            recorded_at INTEGER NOT NULL, -- Unix milliseconds by our clock at the commit, as all times here
            received_at INTEGER NOT NULL,
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')), -- of the first copy
            traffic TEXT NOT NULL CHECK (
                -- IN, with more than two values, makes a table in memory for each row.
                traffic = 'apple' OR traffic = 'foreign' OR traffic = 'development' OR traffic = 'test'),
            key_name TEXT NOT NULL, -- of the key that verified it
            digest_version INTEGER NOT NULL,
            key_digest BLOB NOT NULL, -- 16 bytes: what makes it one and the same
            content_digest BLOB NOT NULL -- 16 bytes: what it says
        ) STRICT;

        -- The bytes as received; everything else of a postback follows from them.
        CREATE TABLE postback_body (
            id INTEGER PRIMARY KEY,
            body BLOB NOT NULL
        ) STRICT;

        -- The first copies that came for another recipient than the recorded one, for the report of deliveries alone.
        CREATE TABLE recipient_copy (
            id INTEGER NOT NULL, -- the postback's
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')),
            received_at INTEGER NOT NULL,
            PRIMARY KEY (id, recipient)
        ) STRICT, WITHOUT ROWID;

        -- The networks the last owner named as ours, for commands that record without being told; none: all are.
        CREATE TABLE own_network (
            ad_network_id TEXT PRIMARY KEY -- in lower case
        ) STRICT, WITHOUT ROWID;

        """

    static let columns = """
        -- What reports are counted from, made from the bodies: StoreFormat.md in the documentation.
        CREATE TABLE column_block (
            id INTEGER PRIMARY KEY, -- number of the block * 64 + number of the column
            rules INTEGER NOT NULL,
            lowest INTEGER NOT NULL,
            highest INTEGER NOT NULL,
            offsets BLOB NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT;
        -- So that a code whose text is lost is not given to another.
        CREATE INDEX column_block_highest ON column_block (\(ColumnBlock.columnSQL), highest);

        -- The texts that codes in columns stand for.
        CREATE TABLE column_value (
            column_number INTEGER NOT NULL,
            code INTEGER NOT NULL,
            value TEXT NOT NULL,
            checksum INTEGER NOT NULL,
            PRIMARY KEY (column_number, code)
        ) STRICT, WITHOUT ROWID;

        """

    private static let quarantine = """
        -- What was received and is no genuine postback, and copies that contradict a recorded one, as far as the bounds
        -- allow. Ids are never used twice.
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            class TEXT NOT NULL CHECK (
                class = 'garbage' OR class = 'forged' OR class = 'conflict' OR class = 'future'),
            received_at INTEGER NOT NULL,
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')),
            client TEXT NOT NULL, -- the network it came from, empty where that is not known
            reason TEXT NOT NULL,
            detail TEXT NOT NULL,
            postback_id INTEGER CHECK ((postback_id IS NULL) = (class <> 'conflict')),
            content_digest BLOB CHECK ((content_digest IS NULL) = (class <> 'conflict')),
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX quarantine_class ON quarantine (class, id);
        CREATE INDEX quarantine_received ON quarantine (received_at);
        CREATE INDEX quarantine_postback ON quarantine (postback_id) WHERE postback_id IS NOT NULL;

        """

    static let quarantineTotals = """
        -- How much of each class there is now.
        CREATE TABLE quarantine_total (
            class TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    private static let counts = """
        -- Every delivery under one kind; quarters of an hour, for every time zone begins its days on one.
        CREATE TABLE delivery (
            quarter INTEGER NOT NULL,
            status TEXT NOT NULL,
            traffic TEXT NOT NULL, -- empty in quarantine
            reason TEXT NOT NULL, -- empty outside quarantine
            recipient TEXT NOT NULL,
            count INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            PRIMARY KEY (quarter, status, traffic, reason, recipient)
        ) STRICT, WITHOUT ROWID;

        -- Repeats by how long after the first copy they came.
        CREATE TABLE repeat_delay (
            quarter INTEGER NOT NULL,
            delay INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (quarter, delay)
        ) STRICT, WITHOUT ROWID;

        """

    /// Added after the first stores were made: an owner makes what is missing, and a reader needs none of it.
    static let imports = """
        -- Postbacks that were counted before this store, known by their ids alone: they never count here.
        CREATE TABLE IF NOT EXISTS known_id (
            digest BLOB PRIMARY KEY -- 16 bytes: network, transaction id and sequence index
        ) STRICT, WITHOUT ROWID;

        -- Files that were imported, as far as they were read.
        CREATE TABLE IF NOT EXISTS imported_file (
            digest BLOB PRIMARY KEY, -- SHA-256 of its bytes
            bytes INTEGER NOT NULL,
            records INTEGER NOT NULL, -- how many of its records were read
            imported_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
