package import Attribution
package import AttributionStore
import Dispatch
import Foundation
import Synchronization

/// The web ads of a store in PostgreSQL, which all its nodes share.
///
/// Their time is the database's: what is issued at one node may be tapped at another. A node locks the nonces it answers,
/// and a trigger would refuse to answer one again.
package final class PostgreSQLWebAdLedger: WebAdWriting {
    let address: PostgreSQLAddress
    let clock: @Sendable () -> Int64?
    private let connection = Mutex<PostgreSQLConnection?>(nil)
    private let queue = DispatchQueue(label: "skan-postgresql-web-ads")
    private let closing = ClosingBound()

    /// How long an ad is remembered after its time: 30 days, in milliseconds.
    package static let retentionMilliseconds: Int64 = 30 * 86_400_000
    /// The most ads forgotten by one transaction, which no tap should have to wait for.
    private static let purgedAtOnce: Int64 = 1_000

    /// Names a store; it is reached by the first ad or tap.
    ///
    /// - Parameters:
    ///   - address: The store.
    ///   - clock: The present, in Unix milliseconds; nil, as by default, for the database's.
    package init(_ address: PostgreSQLAddress, clock: @escaping @Sendable () -> Int64? = { nil }) {
        self.address = address
        self.clock = clock
    }

    /// Remembers ads in one transaction; see ``AttributionStore/WebAdLedger/issue(_:at:)``.
    ///
    /// An ad's times are moved by what this machine's clock and the database's differ.
    package func issue(_ ads: [WebAd], at given: UnixMilliseconds) async throws {
        let now = clock()
        try await run { connection in
            try connection.transaction { connection in
                try BatchID().insert(connection)
                try connection.run(
                    """
                    DELETE FROM skan.web_ad WHERE nonce IN (
                        SELECT nonce FROM skan.web_ad WHERE expires_at <= coalesce($1, skan.clock()) - $2
                        ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)
                    """, [.integer(now), .integer(Self.retentionMilliseconds), .integer(Self.purgedAtOnce)])
                for ad in ads {
                    try connection.run(
                        """
                        INSERT INTO skan.web_ad (
                            nonce, ad_network_id, itunes_item_id, source_identifier, domains, issued_at, expires_at)
                        SELECT $1, $2, $3, $4, $5::text[], $6 + ahead, $7 + ahead
                        FROM (SELECT coalesce($8, skan.clock()) - $9 AS ahead) AS clock
                        """,
                        [
                            .text(ad.nonce.text), .text(ad.content.adNetworkID.text),
                            .integer(ad.content.itunesItemID.value), .integer(ad.content.sourceIdentifier.value),
                            .texts(ad.sourceDomains.map(\.text)),
                            .integer(ad.issuedAt.rawValue), .integer(ad.expiresAt.rawValue), .integer(now),
                            .integer(given.rawValue),
                        ])
                }
            }
        }
    }

    // MARK: Connections

    /// Does work with the connection, on a queue of its own.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try withConnection(work) })
            }
        }
    }

    /// Does work with the connection, on the calling thread; on another connection if it broke while it was idle.
    func withConnection<Value: Sendable>(_ work: (PostgreSQLConnection) throws -> Value) throws -> Value {
        try connection.withLock { kept in
            guard !closing.isOver else {
                throw StoreError.failed(path: address.description, .connectionLost)
            }
            return try StoreError.translating(address) {
                if let connection = kept, !connection.isLost {
                    do {
                        return try work(connection)
                    } catch let fault as PostgreSQLFault where fault.isConnectionLost {
                        // It may have been idle while the server was restarted; nothing was committed.
                        kept = nil
                    }
                }
                let connection = try PostgreSQLConnection(address)
                closing.watch(connection, of: .recording)
                _ = try SchemaMigrator(connection, address).migrate()
                kept = connection
                return try work(connection)
            }
        }
    }

    /// Ready: whether a server can be reached is for the node's ledger to say, which looks each second.
    package var health: StoreHealth {
        .ready
    }

    /// Nothing: the ledger of the same node looks after the tables.
    package func heartbeat() {}

    /// Fails what waits for a server or its standbys two seconds from now.
    package func prepareToClose() {
        closing.begin()
    }

    /// Closes the connection; a later call opens another.
    @discardableResult
    package func close() throws -> StoreEnding {
        connection.withLock { $0 = nil }
        closing.end()
        return .whole
    }
}
