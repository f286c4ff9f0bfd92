package import Attribution
package import AttributionStore
import Foundation
import GRDB

/// Web ads in a separate SQLite file, so that taps and postbacks do not wait for each other.
///
/// Like the store it has one owner, with a lease and a watch. Its transactions, one after the other, make sure that a
/// nonce is answered once, and a trigger would refuse to answer it again.
package final class SQLiteWebAdLedger: WebAdWriting {
    /// How long an ad is kept after it expires, to distinguish `nonce-expired` and `nonce-used` from `nonce-unknown`.
    ///
    /// 30 days, in milliseconds.
    package static let retentionMilliseconds: Int64 = 30 * 86_400_000
    /// The most ads deleted per transaction; few, because taps wait for it.
    private static let purgeBatchSize = 1_000

    let database: OwnedDatabase

    /// The file of web ads that belongs to a store.
    package static func path(besideStore store: String) -> String {
        store + "-web-ads"
    }

    /// Opens the file as its owner, and creates it if it does not exist.
    package init(path: String, onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }) throws {
        // With fewer commits than it had, it would answer a nonce again.
        database = try OwnedDatabase(
            path: path, schema: WebAdSchema.schema, hooks: .init(isSetAside: true, onEvent: onEvent))
    }

    /// Checks that this process could own a file of web ads, without creating or changing it.
    ///
    /// - Returns: The version of its format, and whether another process owns it; nil if there is no file yet.
    package static func check(_ path: String) throws(StoreError) -> (version: UInt32, isOwned: Bool)? {
        try OwnedDatabase.check(path, WebAdSchema.schema)
    }

    package var health: StoreHealth {
        database.health
    }

    /// Checks the files, and tries a commit if the last one failed; call it every second.
    package func heartbeat() {
        database.heartbeat()
    }

    /// Checkpoints the log, closes the file and releases the lease; every later call fails.
    @discardableResult
    package func close() throws -> StoreEnding {
        try database.close()
    }

    /// Limits waits for other programs' locks to half a second from now on.
    package func prepareToClose() {
        database.prepareToClose()
    }

    /// Runs one transaction on a queue of its own.
    func write<Result: Sendable>(_ work: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        let database = database
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try database.write(work) })
            }
        }
    }

    private let queue = DispatchQueue(label: "skan-web-ads")

    /// Stores ads in one transaction; see ``AttributionStore/WebAdLedger/issue(_:at:)``.
    package func issue(_ ads: [WebAd], at now: UnixMilliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM web_ad WHERE nonce IN
                        (SELECT nonce FROM web_ad WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
                    """, arguments: [now.rawValue - Self.retentionMilliseconds, Self.purgeBatchSize])
            for ad in ads {
                try Self.insert(ad, db)
            }
        }
    }

    private static func insert(_ ad: WebAd, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO web_ad
                    (nonce, ad_network_id, itunes_item_id, source_identifier, issued_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            ad.nonce.text, ad.content.adNetworkID.text, ad.content.itunesItemID.value,
            ad.content.sourceIdentifier.value,
            ad.issuedAt.rawValue, ad.expiresAt.rawValue,
        ])
        for domain in ad.sourceDomains {
            try db.cachedStatement(sql: "INSERT INTO web_ad_domain (nonce, domain) VALUES (?, ?)")
                .execute(arguments: [ad.nonce.text, domain.text])
        }
    }

    /// The connection's settings that durability depends on, as SQLite reports them.
    package func durabilitySettings() throws -> [String: String] {
        try database.durabilitySettings()
    }

    // MARK: Answers

    /// Uses up nonces and signs, in one transaction; see ``AttributionStore/WebAdLedger/answer(_:signing:)``.
    ///
    /// The transaction holds the lock of the file from its beginning, so that nothing is written between reading a nonce
    /// and using it up.
    package func answer(
        _ taps: [ReceivedTap],
        signing sign: ([SKAdNetworkImpression]) -> [Result<SignedSKAdNetworkImpression, any Error>]
    ) throws -> [TapAnswer] {
        try database.write { db in
            let arena = HotStatement.Arena()
            var group = try decide(taps, db, arena)
            group.sign(with: sign)
            try Self.useUp(group.signed, db, arena)
            return group.answers
        }
    }

    private func decide(_ taps: [ReceivedTap], _ db: Database, _ arena: HotStatement.Arena) throws -> TapGroup {
        let statement = try HotStatement(
            db,
            sql: """
                SELECT answered_at IS NOT NULL, expires_at <= ?3, ad_network_id, itunes_item_id, source_identifier,
                    EXISTS (SELECT 1 FROM web_ad_domain AS d WHERE d.nonce = ?1 AND d.domain = ?2)
                        OR NOT EXISTS (SELECT 1 FROM web_ad_domain AS d WHERE d.nonce = ?1)
                FROM web_ad WHERE nonce = ?1
                """, arena)
        return try TapGroup(taps) { received in
            let tap = received.tap
            var stored = TapGroup.StoredAd.refused(.nonceUnknown)
            try statement.fetch { parameters in
                parameters.bind(tap.nonce.text)
                parameters.bind(tap.sourceDomain.text)
                parameters.bind(received.receivedAt.rawValue)
            } _: { row in
                stored =
                    if row.integer(0) != 0 {
                        .refused(.nonceUsed)
                    } else if row.integer(1) != 0 {
                        .refused(.nonceExpired)
                    } else if row.integer(5) == 0 {
                        .refused(.domainNotAllowed(tap.sourceDomain))
                    } else {
                        TapGroup.StoredAd(
                            usable: row.text(2), row.integer(3), row.integer(4), path: database.path)
                    }
            }
            return stored
        }
    }

    private static func useUp(_ taps: [ReceivedTap], _ db: Database, _ arena: HotStatement.Arena) throws {
        let statement = try HotStatement(
            db,
            sql: """
                UPDATE web_ad SET answered_at = ?2, answered_domain = ?3
                WHERE nonce = ?1 AND answered_at IS NULL AND expires_at > ?2
                """, arena)
        for received in taps {
            try statement.run { parameters in
                parameters.bind(received.tap.nonce.text)
                parameters.bind(received.receivedAt.rawValue)
                parameters.bind(received.tap.sourceDomain.text)
            }
            guard db.changesCount == 1 else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a web ad changed while it was answered")
            }
        }
    }
}

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
