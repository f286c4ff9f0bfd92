package import Attribution
package import AttributionStore
import GRDB

extension SQLiteWebAdLedger {
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
