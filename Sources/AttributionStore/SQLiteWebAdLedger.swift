public import Attribution
import Foundation
import GRDB

/// The web ads in an SQLite file of their own beside the store: WAL, `synchronous=FULL`.
///
/// Any number of processes may open it for writing: ads are issued on the command line while a server answers for them,
/// and the store of postbacks, which has one writer, is not touched. That a nonce is answered once is decided by one
/// statement, and so for all processes together.
public struct SQLiteWebAdLedger: WebAdLedger {
    /// How long an ad is remembered after its time, so that `nonce-expired` and `nonce-used` can be told from
    /// `nonce-unknown`: 30 days, in milliseconds.
    public static let retentionMilliseconds: Int64 = 30 * 86_400_000
    /// The most ads forgotten by one transaction, which no tap should have to wait for.
    private static let purgedAtOnce = 1_000

    let database: DatabaseQueue

    /// The file of web ads that belongs to a store.
    ///
    /// - Parameter store: The store's file.
    /// - Returns: The path beside it.
    public static func path(besideStore store: String) -> String {
        store + "-web-ads"
    }

    /// Opens the file, creates it when it does not exist, and brings its schema up to date.
    ///
    /// - Parameter path: The file; its folder must exist.
    /// - Throws: What SQLite reports, ``StoreError/noFolder(path:folder:)``, ``StoreError/notAStore(path:)``, and
    ///   ``StoreError/newerSchema(path:)`` for a file of a later release.
    public init(path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw StoreError.noFolder(path: path, folder: folder)
        }
        // One at a time: SQLite does not wait when another process turns the same new file to WAL.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreError.noLock(path: folder, reason: String(cString: strerror(errno)))
        }
        let opening = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? opening.close() }
        guard flock(descriptor, LOCK_EX) == 0 else {
            throw StoreError.noLock(path: folder, reason: String(cString: strerror(errno)))
        }
        var configuration = Configuration()
        configuration.label = "skan.web-ads"
        configuration.journalMode = .wal
        // Another process holds the write lock for one commit; longer means trouble.
        configuration.busyMode = .timeout(10)
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw StoreError.notAStore(path: path)
        }
        // Said after opening, which sets NORMAL: with that, a nonce could be answered again after a power failure.
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        let migrator = WebAdSchema.migrator
        guard try !database.read(migrator.hasBeenSuperseded) else {
            throw StoreError.newerSchema(path: path)
        }
        try migrator.migrate(database)
    }

    /// Closes the file; every method fails afterwards.
    public func close() throws {
        try database.close()
    }

    /// Remembers ads in one transaction; see ``WebAdLedger/issue(_:nowMilliseconds:)``.
    public func issue(_ ads: [WebAd], nowMilliseconds: Int64) async throws {
        try await database.write { db in
            try db.execute(
                sql: """
                    DELETE FROM web_ad WHERE nonce IN
                        (SELECT nonce FROM web_ad WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
                    """, arguments: [nowMilliseconds - Self.retentionMilliseconds, Self.purgedAtOnce])
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
            ad.nonce.text, ad.content.adNetworkID.text, ad.content.itunesItemID.value, ad.content.sourceIdentifier,
            ad.issuedAtMilliseconds, ad.expiresAtMilliseconds,
        ])
        for domain in ad.sourceDomains {
            try db.cachedStatement(sql: "INSERT INTO web_ad_domain (nonce, domain) VALUES (?, ?)")
                .execute(arguments: [ad.nonce.text, domain.text])
        }
    }
}

extension SQLiteWebAdLedger {
    /// The settings of the connection on which durability rests, as SQLite reports them.
    package func durabilitySettings() async throws -> [String: String] {
        try await database.durabilitySettings()
    }
}
