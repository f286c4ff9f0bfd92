extension PostgreSQLConnection {
    /// Inserts into every table that recording inserts into, and takes it back, within a transaction.
    ///
    /// It finds out what a transaction without rows does not: a right that was revoked, a table that is missing, a disk
    /// without room. All values are out of the range of real ones, and those of unique columns are chosen at random, so
    /// that no two nodes wait for each other; no number of a sequence is used up.
    func rehearse() throws {
        try runScript(
            """
            SAVEPOINT rehearsal;
            INSERT INTO skan.postback_key (key, content, id)
            VALUES (gen_random_uuid(), gen_random_uuid(), \(Self.unusedID));
            INSERT INTO skan.postback (
                id, commit_order, recorded_at, received_at, quarter, traffic, recipient, traits, network, app, campaign_id,
                source_identifier, source_app, source_domain, country, marketplace, key_name, transaction, key_check,
                digest_version)
            VALUES (
                \(Self.unusedID), 0, now(), 0, 0, 'test', 'network', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            INSERT INTO skan.postback_body (id, recorded_at, body) VALUES (\(Self.unusedID), now(), '');
            INSERT INTO skan.value (code, kind, value) OVERRIDING SYSTEM VALUE
            VALUES (-floor(random() * 2e9)::int4 - 1, '', gen_random_uuid()::text);
            INSERT INTO skan.recipient_copy (id, recipient, received_at) VALUES (\(Self.unusedID), 'network', 0);
            INSERT INTO skan.quarantine (id, class, received_at, recipient, client, reason, detail, traffic, body)
            OVERRIDING SYSTEM VALUE VALUES (\(Self.unusedID), 'garbage', 0, 'network', '', '', '', '', '');
            INSERT INTO skan.quarantine_change (class, count, bytes) VALUES ('garbage', 0, 0);
            INSERT INTO skan.delivery (quarter, status, traffic, reason, recipient, count, kept)
            VALUES (0, '', '', '', 'network', 0, 0);
            INSERT INTO skan.repeat_delay (quarter, delay, count) VALUES (0, 0, 0);
            ROLLBACK TO SAVEPOINT rehearsal
            """)
    }

    private static let unusedID = "-floor(random() * 9e15)::int8 - 1"
}
