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
    ///
    /// - Parameter store: The store's file, with links resolved.
    /// - Returns: The path beside it.
    package static func path(besideStore store: String) -> String {
        store + "-web-ads"
    }

    /// Opens the file as its owner, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file; its folder must exist.
    ///   - onEvent: Called with events for the operator, on any thread.
    /// - Throws: ``AttributionStore/StoreError``.
    package init(path: String, onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }) throws {
        // With fewer commits than it had, it would answer a nonce again.
        database = try OwnedDatabase(
            path: path, schema: WebAdSchema.schema, hooks: .init(isSetAside: true, onEvent: onEvent))
    }

    /// Checks that this process could own a file of web ads, without creating or changing it.
    ///
    /// - Parameter path: The file, which need not exist.
    /// - Returns: The version of its format, and whether another process owns it; nil if there is no file yet.
    /// - Throws: ``StoreError``.
    package static func check(_ path: String) throws(StoreError) -> (version: UInt32, isOwned: Bool)? {
        try OwnedDatabase.check(path, WebAdSchema.schema)
    }

    /// Whether the last commit succeeded.
    package var health: StoreHealth {
        database.health
    }

    /// Checks the files, and tries a commit if the last one failed; call it every second.
    package func heartbeat() {
        database.heartbeat()
    }

    /// Checkpoints the log, closes the file and releases the lease; every later call fails.
    ///
    /// - Returns: The state in which the file was closed.
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
}

extension SQLiteWebAdLedger {
    /// The connection's settings that durability depends on, as SQLite reports them.
    package func durabilitySettings() throws -> [String: String] {
        try database.durabilitySettings()
    }
}
