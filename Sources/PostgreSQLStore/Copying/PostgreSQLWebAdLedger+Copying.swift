package import AttributionStore

extension PostgreSQLWebAdLedger: WebAdCopying {
    /// A page of ads; see ``AttributionStore/WebAdCopying/ads(after:limit:)``.
    package func ads(after nonce: String, limit: Int) async throws -> [[CopiedValue]] {
        try await run { connection in
            let result = try connection.run(
                """
                SELECT nonce, ad_network_id, itunes_item_id, source_identifier,
                    array_to_string(ARRAY(SELECT unnest(domains) COLLATE "C" ORDER BY 1), ' '),
                    issued_at, expires_at, coalesce(answered_at, 0), coalesce(answered_domain, '')
                FROM skan.web_ad WHERE nonce > $1 ORDER BY nonce LIMIT $2
                """, [.text(nonce), .integer(Int64(limit))])
            return try (0..<result.count).map { try CopiedTable.webAds.values(result, $0) }
        }
    }

    /// Takes ads over; see ``AttributionStore/WebAdCopying/copy(_:)``.
    package func copy(_ ads: [[CopiedValue]]) async throws -> Int64 {
        try await run { connection in
            try connection.recordingTransaction { connection in
                let table = CopiedTable.webAds
                return try connection.run(
                    """
                    INSERT INTO skan.web_ad (\(table.names))
                    SELECT nonce, ad_network_id, itunes_item_id, source_identifier, string_to_array(domains, ' '),
                        issued_at, expires_at, nullif(answered_at, 0), nullif(answered_domain, '')
                    FROM unnest(\(table.arrays)) AS ad (\(table.names))
                    ON CONFLICT (nonce) DO NOTHING
                    """, table.parameters(ads)
                ).changedCount
            }
        }
    }
}
