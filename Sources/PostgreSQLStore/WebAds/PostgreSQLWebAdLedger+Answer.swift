package import Attribution
package import AttributionStore
import Foundation

extension PostgreSQLWebAdLedger {
    /// Beyond it, taps whose commit was lost are refused.
    private static let attempts = 20

    /// Uses up nonces and signs, in one transaction; see ``AttributionStore/WebAdLedger/answer(_:signing:)``.
    package func answer(
        _ taps: [ReceivedTap],
        signing sign: ([SKAdNetworkImpression]) -> [Result<SignedSKAdNetworkImpression, any Error>]
    ) throws -> [TapAnswer] {
        let answer = AnswerID()
        let now = clock()
        var group: TapGroup?
        do {
            return try withConnection { connection in
                try connection.transaction { connection in
                    try BatchID().insert(connection)
                    var decided = try decide(taps, now, connection)
                    decided.sign(with: sign)
                    try Self.useUp(decided.signed, answer, now, connection)
                    group = decided
                    return decided.answers
                }
            }
        } catch StoreError.failed(_, .commitUnknown) {
            // Without a signature nothing was to be committed.
            guard let group, try group.signed.first.map({ try isOurs($0, answer) }) ?? true else {
                throw StoreError.failed(path: address.description, .connectionLost)
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
        _ taps: [ReceivedTap], _ answer: AnswerID, _ now: Int64?, _ connection: PostgreSQLConnection
    ) throws {
        guard !taps.isEmpty else {
            return
        }
        let result = try connection.run(
            """
            UPDATE skan.web_ad AS ad
            SET answered_at = coalesce($3, skan.clock()), answered_domain = tap.domain, answer = $4
            FROM unnest($1::text[], $2::text[]) AS tap (nonce, domain)
            WHERE ad.nonce = tap.nonce AND ad.answered_at IS NULL
            """,
            [
                .texts(taps.map(\.tap.nonce.text)), .texts(taps.map(\.tap.sourceDomain.text)), .integer(now),
                answer.parameter,
            ])
        guard result.changedCount == Int64(taps.count) else {
            throw DamagedValue(column: 0)
        }
    }

    // MARK: Lost commits

    /// Whether answers whose commit was lost were committed after all.
    private func isOurs(_ received: ReceivedTap, _ answer: AnswerID) throws -> Bool {
        for _ in 1..<Self.attempts {
            if let isOurs = try? withConnection({ try Self.isOurs(received, answer, $0) }) {
                return isOurs
            }
            Thread.sleep(forTimeInterval: 0.2)
        }
        return try withConnection { try Self.isOurs(received, answer, $0) }
    }

    private static func isOurs(
        _ received: ReceivedTap, _ answer: AnswerID, _ connection: PostgreSQLConnection
    ) throws -> Bool {
        try connection.transaction { connection in
            // Waits for the transaction if it still runs; this commit comes after it, on the standbys too.
            try BatchID().insert(connection)
            return try connection.run(
                "SELECT FROM skan.web_ad WHERE nonce = $1 AND answer = $2 FOR UPDATE",
                [.text(received.tap.nonce.text), answer.parameter]
            ).count == 1
        }
    }
}

/// Identifies the answers of one transaction, so that the node that gave them recognizes them.
private struct AnswerID {
    let parameter: PostgreSQLParameter

    init() {
        var generator = SystemRandomNumberGenerator()
        let words: (UInt64, UInt64) = (generator.next(), generator.next())
        parameter = .digest(withUnsafeBytes(of: words) { Digest16($0) })
    }
}
