/// The fourth and the sixth migration: what reports divide by.
enum PostgreSQLCostSchema {
    static let sql = """
        -- Ads that were signed, by the day of UTC and the campaign. A campaign id that is missing is 0, and a source
        -- identifier empty.
        CREATE TABLE skan.signed_impressions (
            day int8 NOT NULL, -- since 1970-01-01
            network text COLLATE "C" NOT NULL, -- in lower case
            app int8 NOT NULL,
            campaign_id int8 NOT NULL,
            source_identifier text COLLATE "C" NOT NULL,
            count int8 NOT NULL CHECK (count > 0),
            PRIMARY KEY (day, network, app, campaign_id, source_identifier)
        );

        -- Which lines of which process are in these sums, so that each is added once; ranges do not touch.
        CREATE TABLE skan.signed_sequences (
            writer text COLLATE "C" NOT NULL, -- the id of the process that counted
            first int8 NOT NULL,
            last int8 NOT NULL CHECK (last >= first),
            PRIMARY KEY (writer, first)
        );

        -- What ads cost, as imported; ids as above, of which two or three digits are those of a group.
        CREATE TABLE skan.spend (
            day int8 NOT NULL,
            network text COLLATE "C" NOT NULL,
            app int8 NOT NULL,
            campaign_id int8 NOT NULL,
            source_identifier text COLLATE "C" NOT NULL,
            currency text COLLATE "C" NOT NULL,
            micros int8 NOT NULL CHECK (micros >= 0), -- millionths of the currency's unit
            PRIMARY KEY (day, network, app, campaign_id, source_identifier, currency)
        );

        """

    static let ofTests = """
        -- The same of test ads, in tables of their own: no sum of real ads can have them in it.
        CREATE TABLE skan.signed_impressions_test (LIKE skan.signed_impressions INCLUDING ALL);
        CREATE TABLE skan.signed_sequences_test (LIKE skan.signed_sequences INCLUDING ALL);
        CREATE TABLE skan.spend_test (LIKE skan.spend INCLUDING ALL);

        """
}
