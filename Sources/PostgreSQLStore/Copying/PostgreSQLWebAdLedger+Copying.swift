package import AttributionStore

extension PostgreSQLWebAdLedger: WebAdCopying {
    /// Ads in the order of their nonces; see ``AttributionStore/WebAdCopying/ads(after:limit:)``.
    package func ads(after last: String, limit: Int) async throws -> [StoredWebAd] {
        try await run { connection in
            let result = try connection.run(
                """
                SELECT nonce, ad_network_id, itunes_item_id, source_identifier, array_to_string(domains, ' '),
                    issued_at, expires_at, answered_at, answered_domain
                FROM skan.web_ad WHERE nonce > $1 ORDER BY nonce LIMIT $2
                """, [.text(last), .integer(Int64(limit))])
            return try (0..<result.count).map { row in
                StoredWebAd(
                    nonce: try result.text(row, 0), adNetworkID: try result.text(row, 1),
                    itunesItemID: try result.integer(row, 2), sourceIdentifier: try result.integer(row, 3),
                    // No domain has a space.
                    domains: try result.text(row, 4).split(separator: " ").map { String($0) }.sorted(),
                    issuedAt: try result.integer(row, 5), expiresAt: try result.integer(row, 6),
                    answer: try result.optional(row, 7).map { .init(at: $0, domain: try result.text(row, 8)) })
            }
        }
    }

    /// Takes ads over; see ``AttributionStore/WebAdCopying/copy(_:)``.
    package func copy(_ ads: [StoredWebAd]) async throws -> Int64 {
        try await run { connection in
            try connection.transaction { connection in
                try BatchID().insert(connection)
                var copied: Int64 = 0
                for ad in ads {
                    copied += try connection.run(
                        """
                        INSERT INTO skan.web_ad (
                            nonce, ad_network_id, itunes_item_id, source_identifier, domains, issued_at, expires_at,
                            answered_at, answered_domain)
                        SELECT $1, $2, $3, $4, $5::text[], $6, $7, $8, $9
                        ON CONFLICT (nonce) DO NOTHING
                        """,
                        [
                            .text(ad.nonce), .text(ad.adNetworkID), .integer(ad.itunesItemID),
                            .integer(ad.sourceIdentifier), .texts(ad.domains), .integer(ad.issuedAt),
                            .integer(ad.expiresAt), .integer(ad.answer?.at), .text(ad.answer?.domain),
                        ]
                    ).changedCount
                }
                return copied
            }
        }
    }
}
