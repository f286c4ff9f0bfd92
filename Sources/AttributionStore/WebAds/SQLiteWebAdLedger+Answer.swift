package import Attribution
import GRDB

extension SQLiteWebAdLedger {
    /// Uses up a nonce and signs, in one transaction; see ``WebAdLedger/answer(_:nowMilliseconds:signing:)``.
    package func answer(
        _ tap: WebAdTap,
        nowMilliseconds now: Int64,
        signing sign: @escaping @Sendable (Impression) throws -> SignedImpression
    ) async throws -> Result<SignedImpression, WebAdRefusal> {
        try await write { db in
            guard let content = try Self.useUp(tap, now, db) else {
                return .failure(try Self.refusal(tap, now, db))
            }
            let impression = try content.impression(
                nonce: tap.nonce, sourceDomain: tap.sourceDomain, timestampMilliseconds: now)
            return .success(try sign(impression))
        }
    }

    /// Decides and marks in one statement; nil when the nonce is not there to be used.
    private static func useUp(_ tap: WebAdTap, _ now: Int64, _ db: Database) throws -> WebAdContent? {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE web_ad SET answered_at = :now, answered_domain = :domain
                WHERE nonce = :nonce AND answered_at IS NULL AND expires_at > :now
                    AND (EXISTS (SELECT 1 FROM web_ad_domain AS d WHERE d.nonce = :nonce AND d.domain = :domain)
                        OR NOT EXISTS (SELECT 1 FROM web_ad_domain AS d WHERE d.nonce = :nonce))
                RETURNING ad_network_id, itunes_item_id, source_identifier
                """)
        // All rows, though there is one at most: the statement has run to its end then.
        let rows = try Row.fetchAll(
            statement, arguments: ["now": now, "domain": tap.sourceDomain.text, "nonce": tap.nonce.text])
        guard let row = rows.first else {
            return nil
        }
        guard let network = AdNetworkID(try row.text(0)) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "ad_network_id of a web ad")
        }
        return WebAdContent(
            adNetworkID: network, itunesItemID: AppStoreItemID(try row.checked(1)), sourceIdentifier: try row.checked(2)
        )
    }

    /// Why ``useUp(_:_:_:)`` found nothing, in the same transaction.
    private static func refusal(_ tap: WebAdTap, _ now: Int64, _ db: Database) throws -> WebAdRefusal {
        let statement = try db.cachedStatement(
            sql: "SELECT answered_at IS NOT NULL, expires_at <= ? FROM web_ad WHERE nonce = ?")
        guard let row = try Row.fetchOne(statement, arguments: [now, tap.nonce.text]) else {
            return .nonceUnknown
        }
        let (isUsed, isExpired) = (try row.integer(0) != 0, try row.integer(1) != 0)
        return isUsed ? .nonceUsed : isExpired ? .nonceExpired : .domainNotAllowed(tap.sourceDomain)
    }
}
