extension PostgreSQLSchema {
    static let webAds = """
        CREATE TABLE skan.web_ad (
            nonce text PRIMARY KEY, -- the UUID, lower-case
            ad_network_id text NOT NULL,
            itunes_item_id int8 NOT NULL CHECK (itunes_item_id > 0),
            source_identifier int8 NOT NULL CHECK (source_identifier BETWEEN 0 AND 9999),
            domains text[] NOT NULL, -- empty: any
            issued_at int8 NOT NULL, -- Unix milliseconds by the database's clock, as all times here
            expires_at int8 NOT NULL CHECK (expires_at > issued_at),
            answered_at int8,
            answered_domain text,
            CHECK ((answered_at IS NULL) = (answered_domain IS NULL))
        );
        CREATE INDEX web_ad_expiry ON skan.web_ad (expires_at);

        CREATE FUNCTION skan.keep_answer() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'a nonce is answered once' USING ERRCODE = 'check_violation';
        END $$;
        CREATE TRIGGER web_ad_answered_once BEFORE UPDATE ON skan.web_ad
            FOR EACH ROW WHEN (OLD.answered_at IS NOT NULL) EXECUTE FUNCTION skan.keep_answer();

        """

    static let imports = """
        -- Postbacks that were counted before this store, known by their ids alone: they never count here.
        CREATE TABLE skan.known_id (
            digest uuid PRIMARY KEY -- network, transaction id and sequence index
        );

        -- Files that were imported, as far as they were read.
        CREATE TABLE skan.imported_file (
            digest bytea PRIMARY KEY, -- SHA-256 of its bytes
            bytes int8 NOT NULL,
            records int8 NOT NULL -- how many of its records were read
        );

        """

    static let costs = """
        -- How many ads each process signed for a campaign on a day. A campaign id that is missing is 0, and a source
        -- identifier empty.
        CREATE TABLE skan.signed_impressions (
            ads text COLLATE "C" NOT NULL CHECK (ads IN ('real', 'test')),
            writer text COLLATE "C" NOT NULL, -- the id of the process that counted
            sequence int8 NOT NULL, -- of the sum among those of its writer
            day int8 NOT NULL, -- of UTC since 1970-01-01
            network text COLLATE "C" NOT NULL, -- in lower case
            app int8 NOT NULL,
            campaign_id int8 NOT NULL,
            source_identifier text COLLATE "C" NOT NULL,
            count int8 NOT NULL CHECK (count BETWEEN 1 AND 10000000000),
            PRIMARY KEY (ads, writer, sequence)
        );
        CREATE INDEX signed_impressions_day ON skan.signed_impressions (ads, day);

        -- What ads cost, as imported; ids as above, of which two or three digits are those of a group.
        CREATE TABLE skan.spend (
            ads text COLLATE "C" NOT NULL CHECK (ads IN ('real', 'test')),
            day int8 NOT NULL,
            network text COLLATE "C" NOT NULL,
            app int8 NOT NULL,
            campaign_id int8 NOT NULL,
            source_identifier text COLLATE "C" NOT NULL,
            currency text COLLATE "C" NOT NULL,
            micros int8 NOT NULL CHECK (micros >= 0), -- millionths of the currency's unit
            PRIMARY KEY (ads, day, network, app, campaign_id, source_identifier, currency)
        );

        """
}
