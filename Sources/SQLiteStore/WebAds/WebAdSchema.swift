/// The tables of the file of web ads beside a store.
enum WebAdSchema {
    /// Application id "skaw", version 1.
    static let schema = StoreSchema(
        applicationID: StoreHeader.webAdApplication, version: 1, tables: tables)

    private static let tables = """
        CREATE TABLE web_ad (
            nonce TEXT PRIMARY KEY, -- the UUID, lower-case
            ad_network_id TEXT NOT NULL,
            itunes_item_id INTEGER NOT NULL CHECK (itunes_item_id > 0),
            source_identifier INTEGER NOT NULL CHECK (source_identifier BETWEEN 0 AND 9999),
            issued_at INTEGER NOT NULL, -- Unix milliseconds; so are all times here
            expires_at INTEGER NOT NULL CHECK (expires_at > issued_at),
            answered_at INTEGER,
            answered_domain TEXT,
            CHECK ((answered_at IS NULL) = (answered_domain IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX web_ad_expiry ON web_ad (expires_at);

        -- The domains an ad is bound to; an ad without a row may be shown on any domain.
        CREATE TABLE web_ad_domain (
            nonce TEXT NOT NULL REFERENCES web_ad (nonce) ON DELETE CASCADE,
            domain TEXT NOT NULL,
            PRIMARY KEY (nonce, domain)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER web_ad_answered_once BEFORE UPDATE ON web_ad WHEN OLD.answered_at IS NOT NULL
        BEGIN
            SELECT RAISE(ABORT, 'a nonce is answered once');
        END;
        """
}
