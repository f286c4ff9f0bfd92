package import Attribution
package import AttributionStore
import Dispatch
import Foundation
import Synchronization

/// The web ads of a store in PostgreSQL, which all its nodes share.
///
/// Their time is the database's: what is issued at one node may be tapped at another. That a nonce is answered once is
/// decided by one statement.
package final class PostgreSQLWebAdLedger: WebAdWriting {
    private let address: PostgreSQLAddress
    private let clock: @Sendable () -> Int64?
    private let connection = Mutex<PostgreSQLConnection?>(nil)
    private let queue = DispatchQueue(label: "skan-postgresql-web-ads")
    private let closing = ClosingBound()

    /// How long an ad is remembered after its time: 30 days, in milliseconds.
    package static let retentionMilliseconds: Int64 = 30 * 86_400_000
    /// The most ads forgotten by one transaction, which no tap should have to wait for.
    private static let purgedAtOnce: Int64 = 1_000
    /// Beyond it a tap whose commit was lost is refused.
    private static let attempts = 20

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

    /// Uses up a nonce and signs, in one transaction; see
    /// ``AttributionStore/WebAdLedger/answer(_:at:signing:)``.
    package func answer(
        _ tap: WebAdTap,
        at now: UnixMilliseconds,
        signing sign: @escaping @Sendable (SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression
    ) async throws -> Result<SignedSKAdNetworkImpression, WebAdRefusal> {
        let databaseNow = clock()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try answer(tap, now, databaseNow, sign) })
            }
        }
    }

    private func answer(
        _ tap: WebAdTap,
        _ now: UnixMilliseconds,
        _ databaseNow: Int64?,
        _ sign: (SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression
    ) throws -> Result<SignedSKAdNetworkImpression, WebAdRefusal> {
        let answer = AnswerID()
        var signed: Result<SignedSKAdNetworkImpression, WebAdRefusal>?
        do {
            return try withConnection { connection in
                try connection.transaction { connection in
                    try BatchID().insert(connection)
                    guard let content = try Self.useUp(tap, answer, databaseNow, connection) else {
                        return .failure(try Self.refusal(tap, databaseNow, connection))
                    }
                    let impression = try content.impression(
                        nonce: tap.nonce, sourceDomain: tap.sourceDomain, at: now)
                    let result = Result<SignedSKAdNetworkImpression, WebAdRefusal>.success(try sign(impression))
                    signed = result
                    return result
                }
            }
        } catch StoreError.failed(_, .commitUnknown) {
            guard let signed, try isOurs(tap, answer) else {
                throw StoreError.failed(path: address.description, .connectionLost)
            }
            return signed
        }
    }

    /// Decides and marks in one statement; nil when the nonce is not there to be used.
    private static func useUp(
        _ tap: WebAdTap, _ answer: AnswerID, _ now: Int64?, _ connection: PostgreSQLConnection
    ) throws -> WebAdContent? {
        let result = try connection.run(
            """
            UPDATE skan.web_ad
            SET answered_at = coalesce($3, skan.clock()), answered_domain = $2, answer = $4
            WHERE nonce = $1 AND answered_at IS NULL AND expires_at > coalesce($3, skan.clock())
                AND (domains = '{}' OR $2 = ANY (domains))
            RETURNING ad_network_id, itunes_item_id, source_identifier
            """, [.text(tap.nonce.text), .text(tap.sourceDomain.text), .integer(now), answer.parameter])
        guard result.count == 1 else {
            return nil
        }
        let (network, item, source) = (
            try result.text(0, 0), try result.integer(0, 1), try result.integer(0, 2)
        )
        do {
            return try WebAdContent(adNetworkID: network, itunesItemID: item, sourceIdentifier: source)
        } catch {
            throw DamagedValue(column: 0)
        }
    }

    /// Why ``useUp(_:_:_:_:)`` found nothing.
    private static func refusal(
        _ tap: WebAdTap, _ now: Int64?, _ connection: PostgreSQLConnection
    ) throws -> WebAdRefusal {
        let result = try connection.run(
            """
            SELECT answered_at IS NOT NULL, expires_at <= coalesce($2, skan.clock()) FROM skan.web_ad WHERE nonce = $1
            """, [.text(tap.nonce.text), .integer(now)])
        guard result.count == 1 else {
            return .nonceUnknown
        }
        if try result.bool(0, 0) {
            return .nonceUsed
        }
        return try result.bool(0, 1) ? .nonceExpired : .domainNotAllowed(tap.sourceDomain)
    }

    /// Whether an answer whose commit was lost was committed after all.
    private func isOurs(_ tap: WebAdTap, _ answer: AnswerID) throws -> Bool {
        for _ in 1..<Self.attempts {
            if let isOurs = try? withConnection({ try Self.isOurs(tap, answer, $0) }) {
                return isOurs
            }
            Thread.sleep(forTimeInterval: 0.2)
        }
        return try withConnection { try Self.isOurs(tap, answer, $0) }
    }

    private static func isOurs(_ tap: WebAdTap, _ answer: AnswerID, _ connection: PostgreSQLConnection) throws -> Bool {
        try connection.transaction { connection in
            // Waits for the transaction if it still runs; this commit comes after it, on the standbys too.
            try BatchID().insert(connection)
            return try connection.run(
                "SELECT FROM skan.web_ad WHERE nonce = $1 AND answer = $2 FOR UPDATE",
                [.text(tap.nonce.text), answer.parameter]
            ).count == 1
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

    private func withConnection<Value: Sendable>(_ work: (PostgreSQLConnection) throws -> Value) throws -> Value {
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

/// By which whoever answered a tap knows the answer again.
private struct AnswerID {
    let parameter: PostgreSQLParameter

    init() {
        var generator = SystemRandomNumberGenerator()
        let words: (UInt64, UInt64) = (generator.next(), generator.next())
        parameter = .digest(withUnsafeBytes(of: words) { Digest16($0) })
    }
}
