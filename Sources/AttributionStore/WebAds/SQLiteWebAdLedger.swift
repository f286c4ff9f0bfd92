package import Attribution
import Foundation
import GRDB

/// The web ads in an SQLite file of their own beside the store, which keeps taps and postbacks from waiting for each
/// other.
///
/// It has one owner, leased and watched as the store is; that a nonce is answered once is decided by one statement.
package final class SQLiteWebAdLedger: WebAdLedger {
    /// How long an ad is remembered after its time, so that `nonce-expired` and `nonce-used` can be told from
    /// `nonce-unknown`: 30 days, in milliseconds.
    package static let retentionMilliseconds: Int64 = 30 * 86_400_000
    /// The most ads forgotten by one transaction, which no tap should have to wait for.
    private static let purgedAtOnce = 1_000

    private let database: OwnedDatabase

    /// The file of web ads that belongs to a store.
    ///
    /// - Parameter store: The store's file.
    /// - Returns: The path beside it.
    package static func path(besideStore store: String) -> String {
        store + "-web-ads"
    }

    /// Opens the file for one owner, and creates it when it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file; its folder must exist.
    ///   - onEvent: Told what an operator should hear of, on any thread.
    /// - Throws: ``StoreError``.
    package init(path: String, onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }) throws {
        database = try OwnedDatabase(path: path, schema: WebAdSchema.schema, hooks: .init(onEvent: onEvent))
    }

    /// Whether the last commit succeeded.
    package var health: StoreHealth {
        database.health
    }

    /// Looks after the files, and proves itself with a commit while the last one failed; to be called each second.
    package func heartbeat() {
        database.heartbeat()
    }

    /// Moves the log into the file, closes it and gives the lease back; every method fails afterwards.
    ///
    /// - Returns: How it was left.
    @discardableResult
    package func close() throws -> StoreEnding {
        try database.close()
    }

    /// Waits for other programs' locks for half a second at most from now on.
    package func prepareToClose() {
        database.prepareToClose()
    }

    /// Does work in one transaction, beside the caller's thread.
    func write<Result: Sendable>(_ work: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        let database = database
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try database.write(work) })
            }
        }
    }

    private let queue = DispatchQueue(label: "skan-web-ads")

    /// Remembers ads in one transaction; see ``WebAdLedger/issue(_:at:)``.
    package func issue(_ ads: [WebAd], at now: UnixMilliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM web_ad WHERE nonce IN
                        (SELECT nonce FROM web_ad WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
                    """, arguments: [now.rawValue - Self.retentionMilliseconds, Self.purgedAtOnce])
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
}

extension SQLiteWebAdLedger {
    /// The settings of the connection on which durability rests, as SQLite reports them.
    package func durabilitySettings() throws -> [String: String] {
        try database.durabilitySettings()
    }
}
