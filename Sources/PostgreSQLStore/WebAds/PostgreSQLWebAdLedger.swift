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
            try connection.recordingTransaction { connection in
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

    // MARK: Answers

    /// Uses up nonces and signs, in one transaction; see ``AttributionStore/WebAdLedger/answer(_:signing:)``.
    package func answer(
        _ taps: [ReceivedTap],
        signing sign: ([SKAdNetworkImpression]) -> [Result<SignedSKAdNetworkImpression, any Error>]
    ) throws -> [TapAnswer] {
        let id = BatchID()
        let now = clock()
        var group: TapGroup?
        do {
            return try withConnection { connection in
                try connection.transaction { connection in
                    try id.insert(connection)
                    var decided = try decide(taps, now, connection)
                    decided.sign(with: sign)
                    try Self.useUp(decided.signed, now, connection)
                    group = decided
                    return decided.answers
                }
            }
        } catch StoreError.failed(_, .commitUnknown) {
            guard let group else {
                throw StoreError.failed(path: address.description, .connectionLost)
            }
            // Without a signature nothing was to be committed.
            if !group.signed.isEmpty {
                try id.findCommit(address, closing, connect)
            }
            return group.answers
        }
    }

    /// Decides taps, and locks the nonces that may be answered until the commit.
    private func decide(_ taps: [ReceivedTap], _ now: Int64?, _ connection: PostgreSQLConnection) throws -> TapGroup {
        let nonces = Set(taps.map(\.tap.nonce.text))
        let unanswered = try unanswered(nonces, now, connection)
        let answered = try Self.answered(nonces.subtracting(unanswered.keys), connection)
        return TapGroup(taps) { received in
            let tap = received.tap
            guard let row = unanswered[tap.nonce.text] else {
                return .refused(answered.contains(tap.nonce.text) ? .nonceUsed : .nonceUnknown)
            }
            guard !row.isExpired else {
                return .refused(.nonceExpired)
            }
            guard row.domains.isEmpty || row.domains.contains(where: { $0.elementsEqual(tap.sourceDomain.text.utf8) })
            else {
                return .refused(.domainNotAllowed(tap.sourceDomain))
            }
            return row.ad
        }
    }

    /// A row that may be answered.
    private struct Unanswered {
        let ad: TapGroup.StoredAd
        let isExpired: Bool
        let domains: [Substring.UTF8View]
    }

    /// Locks the rows of nonces that were not answered, and reads them.
    ///
    /// Every node locks in the order of the nonces, so that none waits for one that waits for it. A row that another node
    /// answered meanwhile is not among them.
    private func unanswered(
        _ nonces: Set<String>, _ now: Int64?, _ connection: PostgreSQLConnection
    ) throws -> [String: Unanswered] {
        let result = try connection.run(
            """
            SELECT nonce, ad_network_id, itunes_item_id, source_identifier, array_to_string(domains, ' '),
                expires_at <= coalesce($2, skan.clock())
            FROM skan.web_ad WHERE nonce = ANY ($1) AND answered_at IS NULL ORDER BY nonce FOR UPDATE
            """, [.texts(nonces.sorted()), .integer(now)])
        var rows: [String: Unanswered] = [:]
        for row in 0..<result.count {
            let ad = TapGroup.StoredAd(
                usable: try result.text(row, 1), try result.integer(row, 2), try result.integer(row, 3),
                path: address.description)
            // No domain has a space.
            let domains = try result.text(row, 4).split(separator: " ").map(\.utf8)
            rows[try result.text(row, 0)] = Unanswered(
                ad: ad, isExpired: try result.bool(row, 5), domains: domains)
        }
        return rows
    }

    /// Those of some nonces that were answered; the others do not exist.
    private static func answered(_ nonces: Set<String>, _ connection: PostgreSQLConnection) throws -> Set<String> {
        guard !nonces.isEmpty else {
            return []
        }
        let result = try connection.run(
            "SELECT nonce FROM skan.web_ad WHERE nonce = ANY ($1) AND answered_at IS NOT NULL",
            [.texts(nonces.sorted())])
        return Set(try (0..<result.count).map { try result.text($0, 0) })
    }

    private static func useUp(
        _ taps: [ReceivedTap], _ now: Int64?, _ connection: PostgreSQLConnection
    ) throws {
        guard !taps.isEmpty else {
            return
        }
        let result = try connection.run(
            """
            UPDATE skan.web_ad AS ad
            SET answered_at = coalesce($3, skan.clock()), answered_domain = tap.domain
            FROM unnest($1::text[], $2::text[]) AS tap (nonce, domain)
            WHERE ad.nonce = tap.nonce AND ad.answered_at IS NULL
            """,
            [.texts(taps.map(\.tap.nonce.text)), .texts(taps.map(\.tap.sourceDomain.text)), .integer(now)])
        guard result.changedCount == Int64(taps.count) else {
            throw DamagedValue(column: 0)
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
                let connection = try connect()
                kept = connection
                return try work(connection)
            }
        }
    }

    private func connect() throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(address)
        closing.watch(connection, of: .recording)
        _ = try SchemaMigrator(connection, address).migrate()
        return connection
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
