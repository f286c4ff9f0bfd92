package import AttributionStore
import Foundation
import GRDB

extension SQLiteWebAdLedger: WebAdCopying {
    /// Whether there is a file of web ads at a path.
    package static func exists(_ path: String) -> Bool {
        FileStatus(path: path) != nil
    }

    /// Ads in the order of their nonces; see ``WebAdCopying/ads(after:limit:)``.
    package func ads(after last: String, limit: Int) async throws -> [StoredWebAd] {
        try await write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT nonce, ad_network_id, itunes_item_id, source_identifier, issued_at, expires_at, answered_at,
                        answered_domain
                    FROM web_ad WHERE nonce > ? ORDER BY nonce LIMIT ?
                    """, arguments: [last, limit])
            return try rows.map { row in
                let nonce = try row.text(0)
                let domains = try String.fetchAll(
                    db.cachedStatement(sql: "SELECT domain FROM web_ad_domain WHERE nonce = ? ORDER BY domain"),
                    arguments: [nonce])
                let (answeredAt, domain): (Int64?, String?) = (try row.optional(6), try row.optional(7))
                return StoredWebAd(
                    nonce: nonce, adNetworkID: try row.text(1), itunesItemID: try row.integer(2),
                    sourceIdentifier: try row.integer(3), domains: domains, issuedAt: try row.integer(4),
                    expiresAt: try row.integer(5),
                    answer: answeredAt.flatMap { at in domain.map { .init(at: at, domain: $0) } })
            }
        }
    }

    /// Takes ads over; see ``WebAdCopying/copy(_:)``.
    package func copy(_ ads: [StoredWebAd]) async throws -> Int64 {
        try await write { db in
            var copied: Int64 = 0
            for ad in ads {
                try db.cachedStatement(
                    sql: "INSERT INTO web_ad VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (nonce) DO NOTHING"
                ).execute(arguments: [
                    ad.nonce, ad.adNetworkID, ad.itunesItemID, ad.sourceIdentifier, ad.issuedAt, ad.expiresAt,
                    ad.answer?.at, ad.answer?.domain,
                ])
                guard db.changesCount > 0 else {
                    continue
                }
                copied += 1
                for domain in ad.domains {
                    try db.cachedStatement(sql: "INSERT INTO web_ad_domain (nonce, domain) VALUES (?, ?)")
                        .execute(arguments: [ad.nonce, domain])
                }
            }
            return copied
        }
    }
}
