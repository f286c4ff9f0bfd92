/// The tables of a store in PostgreSQL, in the schema `skan`.
///
/// Migrations are numbered, and never edited once released; names are written out, so that a later change of the program
/// cannot change what an earlier migration did.
enum PostgreSQLSchema {
    /// A step from one version to the next.
    struct Migration {
        let version: Int64
        /// The oldest program that can go on working beside it: of two releases that run side by side, the older one.
        let oldestProgram: Int64
        let sql: String
    }

    /// What this program reads and writes.
    static let version: Int64 = 2

    static let migrations = [
        Migration(version: 1, oldestProgram: 1, sql: first),
        Migration(version: 2, oldestProgram: 1, sql: forwarding),
    ]

    /// Makes the partitions of bodies for this month and the next three.
    static let makePartitions = """
        SELECT skan.make_partition(now() + make_interval(months => month)) FROM generate_series(0, 3) AS month
        """

    private static let first =
        ledger + quarantine + counts + webAds + imports + costs + functions + columns + views

    private static let ledger = """
        CREATE TYPE skan.traffic AS ENUM ('apple', 'foreign', 'development', 'test');
        CREATE TYPE skan.recipient AS ENUM ('network', 'developer');

        CREATE TABLE skan.store (
            one boolean PRIMARY KEY DEFAULT true CHECK (one),
            id text NOT NULL CHECK (id ~ '^[0-9a-f]{8}$'), -- part of every position
            version int8 NOT NULL,
            oldest_program int8 NOT NULL, -- versions of the schema below it are refused by the program's own
            -- Transaction numbers begin anew when a dump is loaded into another cluster; commit_order must not.
            commit_base int8 NOT NULL DEFAULT 0,
            cluster int8 NOT NULL -- system_identifier of the cluster that commit_base was made for
        );
        INSERT INTO skan.store (id, version, oldest_program, cluster)
        SELECT left(gen_random_uuid()::text, 8), 0, 0, system_identifier FROM pg_control_system();

        -- What makes a postback one and the same, and what it says: kept for ever, whatever becomes of the bodies.
        -- Digests are of 16 bytes, as uuid the smallest that PostgreSQL has for them.
        CREATE TABLE skan.postback_key (
            key uuid PRIMARY KEY,
            content uuid NOT NULL,
            id int8 NOT NULL
        );

        CREATE SEQUENCE skan.postback_id;

        -- What reports count: a row of fixed width for each postback. Codes are those of skan.value, and 0 says that the
        -- postback carries none.
        CREATE TABLE skan.postback (
            id int8 PRIMARY KEY,
            commit_order int8 NOT NULL, -- ids are not in the order of the commits: see skan.horizon()
            recorded_at timestamptz NOT NULL, -- by the database's clock, at the beginning of the transaction
            received_at int8 NOT NULL, -- Unix milliseconds by the clock of the node
            quarter int4 NOT NULL, -- of an hour since 1970-01-01 UTC
            traffic skan.traffic NOT NULL,
            recipient skan.recipient NOT NULL, -- of the first copy
            traits int4 NOT NULL,
            network int4 NOT NULL,
            app int4 NOT NULL,
            campaign_id int4 NOT NULL,
            source_identifier int4 NOT NULL,
            source_app int4 NOT NULL,
            source_domain int4 NOT NULL,
            country int4 NOT NULL,
            marketplace int4 NOT NULL,
            key_name int4 NOT NULL,
            transaction int4 NOT NULL, -- 32 bits of a hash of the transaction id or postback identifier
            key_check int2 NOT NULL, -- bits of the key's digest
            digest_version int2 NOT NULL
        );
        CREATE INDEX postback_commit_order ON skan.postback (commit_order, id);
        CREATE INDEX postback_transaction ON skan.postback (transaction);
        CREATE INDEX postback_quarter ON skan.postback USING brin (quarter);

        -- The bytes as received. A partition can be dropped without changing a count.
        CREATE TABLE skan.postback_body (
            id int8 NOT NULL,
            recorded_at timestamptz NOT NULL,
            body bytea NOT NULL,
            PRIMARY KEY (id, recorded_at)
        ) PARTITION BY RANGE (recorded_at);
        -- What is recorded in a month that has no partition yet.
        CREATE TABLE skan.postback_body_other PARTITION OF skan.postback_body DEFAULT;

        -- The texts that codes stand for.
        CREATE TABLE skan.value (
            code int4 PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            kind text COLLATE "C" NOT NULL,
            value text COLLATE "C" NOT NULL,
            UNIQUE (kind, value)
        );

        -- The first copies that came for another recipient than the recorded one, for the report of deliveries alone.
        CREATE TABLE skan.recipient_copy (
            id int8 NOT NULL, -- the postback's
            recipient skan.recipient NOT NULL,
            received_at int8 NOT NULL,
            PRIMARY KEY (id, recipient)
        );

        -- The networks the last node named as ours, for commands that record without being told; none: all are.
        CREATE TABLE skan.own_network (
            ad_network_id text PRIMARY KEY
        );

        -- Apple's keys that operators added, and dates of built-in ones: with them, history is verified again.
        CREATE TABLE skan.apple_key (
            name text NOT NULL,
            public_key bytea NOT NULL, -- DER SubjectPublicKeyInfo
            framework text NOT NULL CHECK (framework IN ('skadnetwork', 'adattributionkit')),
            signer text NOT NULL, -- the version, or the kid
            provenance text NOT NULL CHECK (provenance IN ('apple', 'development')),
            valid_from int8 NOT NULL, -- of the first receipt; the smallest number says that there is no such date
            valid_until int8 NOT NULL, -- likewise the greatest
            PRIMARY KEY (public_key, framework, signer)
        );

        -- One row for each transaction that recorded, by which a node finds out whether a commit happened whose answer
        -- was lost. A day's rows are kept.
        CREATE TABLE skan.batch (
            id uuid PRIMARY KEY,
            begun_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE INDEX batch_begun ON skan.batch USING brin (begun_at);

        """

    private static let quarantine = """
        CREATE TABLE skan.quarantine (
            id int8 PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            class text NOT NULL CHECK (class IN ('garbage', 'forged', 'conflict', 'unknown', 'future')),
            received_at int8 NOT NULL,
            recorded_at timestamptz NOT NULL DEFAULT now(),
            recipient skan.recipient NOT NULL,
            client text NOT NULL,
            reason text NOT NULL,
            detail text NOT NULL,
            postback_id int8 CHECK ((postback_id IS NULL) = (class <> 'conflict')),
            -- of a conflict's fields but the signature, and in class unknown of what is signed
            content uuid CHECK ((content IS NULL) = (class NOT IN ('conflict', 'unknown'))),
            traffic text NOT NULL CHECK ((traffic = '') = (class <> 'unknown')),
            body bytea NOT NULL
        );
        CREATE INDEX quarantine_class ON skan.quarantine (class, id);
        CREATE INDEX quarantine_received ON skan.quarantine (received_at);
        CREATE INDEX quarantine_postback ON skan.quarantine (postback_id) WHERE postback_id IS NOT NULL;
        CREATE UNIQUE INDEX quarantine_unknown ON skan.quarantine (content) WHERE class = 'unknown';

        -- Bodies that came into the quarantine or left it; the sum is what is there.
        CREATE TABLE skan.quarantine_change (
            class text NOT NULL,
            count int8 NOT NULL,
            bytes int8 NOT NULL
        );

        """

    private static let counts = """
        -- What became of deliveries: rows are appended by each batch, summed by readers, and made fewer later. Nodes that
        -- updated one row would wait for each other.
        CREATE TABLE skan.delivery (
            quarter int4 NOT NULL,
            status text NOT NULL,
            traffic text NOT NULL, -- empty in quarantine
            reason text NOT NULL, -- empty outside quarantine
            recipient skan.recipient NOT NULL,
            count int8 NOT NULL,
            kept int8 NOT NULL
        );
        CREATE INDEX delivery_quarter ON skan.delivery (quarter);

        -- Repeats by how long after the first copy they came.
        CREATE TABLE skan.repeat_delay (
            quarter int4 NOT NULL,
            delay int2 NOT NULL,
            count int8 NOT NULL
        );
        CREATE INDEX repeat_delay_quarter ON skan.repeat_delay (quarter);

        """

    private static let functions = """
        -- Every row with a smaller commit_order is there: no transaction that runs can add one. Readers that go by order
        -- read no further.
        CREATE FUNCTION skan.horizon() RETURNS int8 LANGUAGE sql STABLE PARALLEL SAFE
        RETURN (SELECT commit_base FROM skan.store) + pg_snapshot_xmin(pg_current_snapshot())::text::int8;

        CREATE FUNCTION skan.clock() RETURNS int8 LANGUAGE sql VOLATILE PARALLEL SAFE
        RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::int8;

        -- Makes the partition of bodies for the month of some time, unless bodies of that month are among the others; as
        -- its owner, so that a node need not be. Recording waits while this waits for readers of bodies: not for long.
        CREATE FUNCTION skan.make_partition(at timestamptz) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
        DECLARE
            month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
            first timestamptz := month AT TIME ZONE 'UTC';
            next timestamptz := (month + interval '1 month') AT TIME ZONE 'UTC';
            partition text := 'postback_body_' || to_char(month, 'YYYY_MM');
        BEGIN
            IF to_regclass('skan.' || partition) IS NULL
                AND NOT EXISTS (
                    SELECT FROM skan.postback_body_other WHERE recorded_at >= first AND recorded_at < next)
            THEN
                EXECUTE format(
                    'CREATE TABLE skan.%I PARTITION OF skan.postback_body FOR VALUES FROM (%L) TO (%L)',
                    partition, first, next);
            END IF;
        END $$;
        REVOKE EXECUTE ON FUNCTION skan.make_partition(timestamptz) FROM PUBLIC;

        """

    private static let views = """
        -- For other programs: these two keep their columns.
        CREATE VIEW skan.postbacks AS
        SELECT
            p.id, p.recorded_at, to_timestamp(p.received_at / 1000.0) AS received_at,
            p.traffic::text AS traffic, p.recipient::text AS recipient,
            split_part(traits.value, '|', 1) AS framework, nullif(split_part(traits.value, '|', 2), '') AS version,
            nullif(split_part(traits.value, '|', 3), '')::int8 AS fidelity,
            nullif(split_part(traits.value, '|', 4), '')::boolean AS did_win,
            nullif(split_part(traits.value, '|', 5), '')::boolean AS redownload,
            nullif(split_part(traits.value, '|', 6), '')::int8 AS sequence_index,
            nullif(split_part(traits.value, '|', 7), '') AS conversion_type,
            nullif(split_part(traits.value, '|', 8), '') AS interaction_type,
            split_part(traits.value, '|', 9) AS conversion_value,
            network.value AS network, app.value AS app, campaign.value AS campaign_id,
            source_identifier.value AS source_identifier, source_app.value AS source_app,
            source_domain.value AS source_domain, country.value AS country, marketplace.value AS marketplace
        FROM skan.postback AS p
        \(joins)

        CREATE VIEW skan.deliveries AS
        SELECT
            to_timestamp(quarter * 900.0) AS quarter, status, nullif(traffic, '') AS traffic,
            nullif(reason, '') AS reason, recipient::text AS recipient, sum(count)::int8 AS count,
            sum(kept)::int8 AS kept
        FROM skan.delivery GROUP BY quarter, status, traffic, reason, recipient;
        """

    private static let joins =
        [
            "traits": "traits", "network": "network", "app": "app", "campaign": "campaign_id",
            "source_identifier": "source_identifier", "source_app": "source_app", "source_domain": "source_domain",
            "country": "country", "marketplace": "marketplace",
        ].sorted { $0.key < $1.key }.map { name, column in
            "    LEFT JOIN skan.value AS \(name) ON \(name).code = p.\(column)"
        }.joined(separator: "\n") + ";"
}
