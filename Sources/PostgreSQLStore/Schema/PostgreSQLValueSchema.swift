/// The fifth migration: a checksum of each text that codes stand for.
enum PostgreSQLValueSchema {
    static let sql = """
        CREATE FUNCTION skan.value_checksum(code int4, kind text, value text) RETURNS bytea
        LANGUAGE sql STABLE PARALLEL SAFE
        RETURN substring(
            pg_catalog.sha256(pg_catalog.convert_to(code::text || ' ' || kind || ' ' || value, 'UTF8')) FROM 1 FOR 8);

        ALTER TABLE skan.value ADD COLUMN checksum bytea;
        UPDATE skan.value SET checksum = skan.value_checksum(code, kind, value);
        ALTER TABLE skan.value ALTER COLUMN checksum SET NOT NULL;

        -- Only when a row is made, so that a later change shows; nodes of earlier releases give none.
        CREATE FUNCTION skan.seal_value() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            NEW.checksum := skan.value_checksum(NEW.code, NEW.kind, NEW.value);
            RETURN NEW;
        END $$;
        CREATE TRIGGER value_checksum BEFORE INSERT ON skan.value
            FOR EACH ROW EXECUTE FUNCTION skan.seal_value();

        -- A text may have two codes: a damaged row, whatever it says now, must keep no text from getting one.
        ALTER TABLE skan.value DROP CONSTRAINT value_kind_value_key;
        CREATE INDEX value_kind_value ON skan.value (kind, value);

        CREATE OR REPLACE VIEW skan.postbacks AS
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

        """

    /// A damaged text is shown as none.
    private static let joins =
        [
            ("traits", "traits"), ("network", "network"), ("app", "app"), ("campaign", "campaign_id"),
            ("source_identifier", "source_identifier"), ("source_app", "source_app"),
            ("source_domain", "source_domain"),
            ("country", "country"), ("marketplace", "marketplace"),
        ].map { name, column in
            "    LEFT JOIN skan.value AS \(name) ON \(name).code = p.\(column)\n"
                + "        AND \(name).checksum = skan.value_checksum(\(name).code, \(name).kind, \(name).value)"
        }.joined(separator: "\n") + ";"
}
