import AttributionStore

/// The tables of a store of postbacks.
enum LedgerSchema {
    /// Application id "skan", version 2.
    static let schema = StoreSchema(
        applicationID: StoreHeader.ledgerApplication, version: 2,
        tables: postbacks + bodies + copies + networks + appleKeys + columns + quarantine + quarantineTotals + counts
            + imports + costs)

    static let postbacks = """
        -- Each verified postback once; rows are never deleted. Ids are dense, in commit order.
        CREATE TABLE postback (
            id INTEGER PRIMARY KEY,
            recorded_at INTEGER NOT NULL, -- Unix milliseconds at the commit; so are all times here
            received_at INTEGER NOT NULL,
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')), -- of the first copy
            traffic TEXT NOT NULL CHECK (
                -- IN with more than two values would create a temporary table for each row.
                traffic = 'apple' OR traffic = 'foreign' OR traffic = 'development' OR traffic = 'test'),
            key_name TEXT NOT NULL, -- of the key that verified it
            digest_version INTEGER NOT NULL,
            key_digest BLOB NOT NULL, -- 16 bytes, of the dedupe key
            content_digest BLOB NOT NULL -- 16 bytes, of all fields but the signature
        ) STRICT;

        """

    static let bodies = """
        -- The bytes as received; everything else about a postback can be derived from them.
        CREATE TABLE postback_body (
            id INTEGER PRIMARY KEY,
            body BLOB NOT NULL
        ) STRICT;

        """

    static let copies = """
        -- The first copy for each other recipient, only for the report of deliveries.
        CREATE TABLE IF NOT EXISTS recipient_copy (
            id INTEGER NOT NULL, -- the postback's
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')),
            received_at INTEGER NOT NULL,
            PRIMARY KEY (id, recipient)
        ) STRICT, WITHOUT ROWID;

        """

    private static let networks = """
        -- The own networks that the last owner named, for commands that record without naming any; empty: all networks.
        CREATE TABLE own_network (
            ad_network_id TEXT PRIMARY KEY -- in lower case
        ) STRICT, WITHOUT ROWID;

        """

    private static let appleKeys = """
        -- Apple's keys that operators added, and dates of built-in ones: with them, history is verified again.
        CREATE TABLE apple_key (
            name TEXT NOT NULL,
            public_key BLOB NOT NULL, -- DER SubjectPublicKeyInfo
            framework TEXT NOT NULL CHECK (framework IN ('skadnetwork', 'adattributionkit')),
            signer TEXT NOT NULL, -- the version, or the kid
            provenance TEXT NOT NULL CHECK (provenance IN ('apple', 'development')),
            valid_from INTEGER NOT NULL, -- of the first receipt; the smallest number says that there is no such date
            valid_until INTEGER NOT NULL, -- likewise the greatest
            PRIMARY KEY (public_key, framework, signer)
        ) STRICT, WITHOUT ROWID;

        """

    /// What reports are counted from, derived from the bodies: see StoreFormat.md.
    static let columns = """
        CREATE TABLE IF NOT EXISTS column_block (
            id INTEGER PRIMARY KEY, -- number of the block * 64 + number of the column
            rules INTEGER NOT NULL,
            lowest INTEGER NOT NULL,
            highest INTEGER NOT NULL,
            offsets BLOB NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX IF NOT EXISTS column_block_highest ON column_block (\(ColumnBlock.columnSQL), highest);

        -- The texts that codes in columns stand for.
        CREATE TABLE IF NOT EXISTS column_value (
            column_number INTEGER NOT NULL,
            code INTEGER NOT NULL,
            value TEXT NOT NULL,
            checksum INTEGER NOT NULL,
            PRIMARY KEY (column_number, code)
        ) STRICT, WITHOUT ROWID;

        """

    static let quarantine = """
        -- Deliveries that are not genuine postbacks, and copies that contradict a recorded one, within the budgets.
        -- Ids are never reused.
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            class TEXT NOT NULL CHECK (
                class = 'garbage' OR class = 'forged' OR class = 'conflict' OR class = 'unknown'
                OR class = 'future'),
            received_at INTEGER NOT NULL,
            recipient TEXT NOT NULL CHECK (recipient IN ('network', 'developer')),
            client TEXT NOT NULL, -- the IP network of the client, empty if unknown
            reason TEXT NOT NULL,
            detail TEXT NOT NULL,
            postback_id INTEGER CHECK ((postback_id IS NULL) = (class <> 'conflict')),
            -- 16 bytes: of a conflict's fields but the signature, and in class unknown of what is signed
            content_digest BLOB CHECK ((content_digest IS NULL) = (class <> 'conflict' AND class <> 'unknown')),
            traffic TEXT NOT NULL DEFAULT '' CHECK ((traffic = '') = (class <> 'unknown')),
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX quarantine_class ON quarantine (class, id);
        CREATE INDEX quarantine_received ON quarantine (received_at);
        CREATE INDEX quarantine_postback ON quarantine (postback_id) WHERE postback_id IS NOT NULL;
        CREATE UNIQUE INDEX quarantine_unknown ON quarantine (content_digest) WHERE class = 'unknown';

        """

    static let quarantineTotals = """
        -- The current size of each class.
        CREATE TABLE IF NOT EXISTS quarantine_total (
            class TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    static let counts = """
        -- Counts of deliveries by kind and quarter hour; in every time zone, days begin on a quarter hour.
        CREATE TABLE IF NOT EXISTS delivery (
            quarter INTEGER NOT NULL,
            status TEXT NOT NULL,
            traffic TEXT NOT NULL, -- empty in quarantine
            reason TEXT NOT NULL, -- empty outside quarantine
            recipient TEXT NOT NULL,
            count INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            PRIMARY KEY (quarter, status, traffic, reason, recipient)
        ) STRICT, WITHOUT ROWID;

        -- Counts of repeats by their delay after the first copy.
        CREATE TABLE IF NOT EXISTS repeat_delay (
            quarter INTEGER NOT NULL,
            delay INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (quarter, delay)
        ) STRICT, WITHOUT ROWID;

        """

    private static let imports = """
        -- Postbacks that were counted before this store, known by their ids alone: they never count here.
        CREATE TABLE known_id (
            digest BLOB PRIMARY KEY -- 16 bytes: network, transaction id and sequence index
        ) STRICT, WITHOUT ROWID;

        -- Files that were imported, as far as they were read.
        CREATE TABLE imported_file (
            digest BLOB PRIMARY KEY, -- SHA-256 of its bytes
            bytes INTEGER NOT NULL,
            records INTEGER NOT NULL -- how many of its records were read
        ) STRICT, WITHOUT ROWID;

        """

    private static let costs = """
        -- How many ads each process signed for a campaign on a day. A campaign id that is missing is 0, and a source
        -- identifier empty.
        CREATE TABLE signed_impressions (
            ads TEXT NOT NULL CHECK (ads IN ('real', 'test')),
            writer TEXT NOT NULL, -- the id of the process that counted
            sequence INTEGER NOT NULL, -- of the sum among those of its writer
            day INTEGER NOT NULL, -- of UTC since 1970-01-01
            network TEXT NOT NULL, -- in lower case
            app INTEGER NOT NULL,
            campaign_id INTEGER NOT NULL,
            source_identifier TEXT NOT NULL,
            count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 10000000000),
            PRIMARY KEY (ads, writer, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX signed_impressions_day ON signed_impressions (ads, day);

        -- What ads cost, as imported; ids as above, of which two or three digits are those of a group.
        CREATE TABLE spend (
            ads TEXT NOT NULL CHECK (ads IN ('real', 'test')),
            day INTEGER NOT NULL,
            network TEXT NOT NULL,
            app INTEGER NOT NULL,
            campaign_id INTEGER NOT NULL,
            source_identifier TEXT NOT NULL,
            currency TEXT NOT NULL,
            micros INTEGER NOT NULL CHECK (micros >= 0), -- millionths of the currency's unit
            PRIMARY KEY (ads, day, network, app, campaign_id, source_identifier, currency)
        ) STRICT, WITHOUT ROWID;

        """
}
