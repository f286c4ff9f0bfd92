/// The tables of a store of postbacks.
///
/// Dimensions are texts and never NULL, empty where a postback carries no such value: so they can be keys.
enum LedgerSchema {
    /// Marked "skan", version 1.
    static let schema = StoreSchema(
        applicationID: StoreHeader.ledgerApplication, version: 1, tables: ledger + quarantine + counts)

    private static let ledger = """
        -- Each verified postback once, for ever. Ids are dense and in the order of the commits.
        CREATE TABLE postback (
            id INTEGER PRIMARY KEY,
            recorded_at INTEGER NOT NULL, -- Unix milliseconds by our clock at the commit, as all times here
            received_at INTEGER NOT NULL,
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')), -- of the first copy
            traffic TEXT NOT NULL CHECK (traffic IN ('apple', 'foreign', 'development', 'test')),
            key_name TEXT NOT NULL, -- of the key that verified it
            digest_version INTEGER NOT NULL,
            key_digest BLOB NOT NULL, -- 16 bytes: what makes it one and the same
            content_digest BLOB NOT NULL, -- 16 bytes: what it says
            transaction_id TEXT NOT NULL,
            framework TEXT NOT NULL,
            ad_network_id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            campaign_id TEXT NOT NULL,
            source_identifier TEXT NOT NULL,
            source_app_id TEXT NOT NULL,
            source_domain TEXT NOT NULL,
            version TEXT NOT NULL,
            fidelity_type TEXT NOT NULL,
            redownload TEXT NOT NULL,
            sequence_index TEXT NOT NULL,
            conversion_type TEXT NOT NULL,
            marketplace TEXT NOT NULL,
            country TEXT NOT NULL,
            interaction_type TEXT NOT NULL,
            did_win TEXT NOT NULL,
            conversion TEXT NOT NULL
        ) STRICT;

        -- The bytes as received; everything else of a postback follows from them.
        CREATE TABLE postback_body (
            id INTEGER PRIMARY KEY,
            body BLOB NOT NULL
        ) STRICT;

        -- The first eight bytes of the key digests of consecutive postbacks, a row for each transaction: what the exact
        -- index in the owner's memory is filled from, so that ten million are read in a second.
        CREATE TABLE key_block (
            first_id INTEGER PRIMARY KEY,
            digests BLOB NOT NULL,
            checksum BLOB NOT NULL CHECK (length(checksum) = 8)
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

        -- Which rows were received in a quarter of an hour, for ranges of time: rows come nearly in its order, and one
        -- row a quarter costs less than an index entry a postback.
        CREATE TABLE postback_quarter (
            quarter INTEGER PRIMARY KEY, -- quarters of an hour since 1970-01-01 UTC
            first_id INTEGER NOT NULL,
            last_id INTEGER NOT NULL
        ) STRICT;

        """

    private static let quarantine = """
        -- What was received and is no genuine postback, and copies that contradict a recorded one, as far as the bounds
        -- allow. Ids are never used twice.
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            class TEXT NOT NULL CHECK (class IN ('garbage', 'forged', 'conflict', 'future')),
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

        -- The last postback each family of tallies holds; those behind it are counted from the ledger.
        CREATE TABLE tally_mark (
            tally TEXT PRIMARY KEY,
            postback_id INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO tally_mark VALUES ('campaign', 0), ('source', 0), ('kind', 0), ('conversion', 0);

        CREATE TABLE tally (
            id INTEGER PRIMARY KEY,
            traffic TEXT NOT NULL,
            day INTEGER NOT NULL, -- days since 1970-01-01 UTC
            framework TEXT NOT NULL,
            ad_network_id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            part INTEGER NOT NULL, -- from 0 on; another when the last has grown large
            -- Row after row: a byte that names the family, the values of its dimensions, each after its length, and the
            -- counts after theirs.
            counts BLOB NOT NULL,
            UNIQUE (traffic, day, framework, ad_network_id, app_id, part)
        ) STRICT;
        """
}
