package import Attribution
import GRDB

extension SQLiteWebAdLedger {
    /// Uses up a nonce and signs, in one transaction; see ``AttributionStore/WebAdLedger/answer(_:at:signing:)``.
    package func answer(
        _ tap: WebAdTap,
        at now: UnixMilliseconds,
        signing sign: @escaping @Sendable (SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression
    ) async throws -> Result<SignedSKAdNetworkImpression, WebAdRefusal> {
        try await write { db in
            guard let content = try Self.useUp(tap, now, db) else {
                return .failure(try Self.refusal(tap, now, db))
            }
            let impression = try content.impression(nonce: tap.nonce, sourceDomain: tap.sourceDomain, at: now)
            return .success(try sign(impression))
        }
    }

    /// Checks and marks a nonce in one statement; nil if it cannot be used.
    private static func useUp(_ tap: WebAdTap, _ now: UnixMilliseconds, _ db: Database) throws -> WebAdContent? {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE web_ad SET answered_at = :now, answered_domain = :domain
                WHERE nonce = :nonce AND answered_at IS NULL AND expires_at > :now
                    AND (EXISTS (SELECT 1 FROM web_ad_domain AS d WHERE d.nonce = :nonce AND d.domain = :domain)
                        OR NOT EXISTS (SELECT 1 FROM web_ad_domain AS d WHERE d.nonce = :nonce))
                RETURNING ad_network_id, itunes_item_id, source_identifier
                """)
        // fetchAll, although there is at most one row, so that the statement runs to completion.
        let rows = try Row.fetchAll(
            statement, arguments: ["now": now.rawValue, "domain": tap.sourceDomain.text, "nonce": tap.nonce.text])
        guard let row = rows.first else {
            return nil
        }
        let (network, item, source): (String, Int64, Int64) = (
            try row.text(0), try row.checked(1), try row.checked(2)
        )
        do {
            return try WebAdContent(adNetworkID: network, itunesItemID: item, sourceIdentifier: source)
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a web ad: \(error)")
        }
    }

    /// Why ``useUp(_:_:_:)`` returned nil, in the same transaction.
    private static func refusal(_ tap: WebAdTap, _ now: UnixMilliseconds, _ db: Database) throws -> WebAdRefusal {
        let statement = try db.cachedStatement(
            sql: "SELECT answered_at IS NOT NULL, expires_at <= ? FROM web_ad WHERE nonce = ?")
        guard let row = try Row.fetchOne(statement, arguments: [now.rawValue, tap.nonce.text]) else {
            return .nonceUnknown
        }
        let (isUsed, isExpired) = (try row.integer(0) != 0, try row.integer(1) != 0)
        return isUsed ? .nonceUsed : isExpired ? .nonceExpired : .domainNotAllowed(tap.sourceDomain)
    }
}
