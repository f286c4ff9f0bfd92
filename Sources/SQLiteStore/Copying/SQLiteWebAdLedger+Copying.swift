package import AttributionStore
import GRDB

extension SQLiteWebAdLedger: WebAdCopying {
    /// Whether there is a file of web ads at a path.
    package static func exists(_ path: String) -> Bool {
        FileStatus(path: path) != nil
    }

    /// A page of ads; see ``AttributionStore/WebAdCopying/ads(after:limit:)``.
    package func ads(after nonce: String, limit: Int) async throws -> [[CopiedValue]] {
        try await write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT nonce, ad_network_id, itunes_item_id, source_identifier,
                        (SELECT ifnull(group_concat(domain, ' '), '') FROM web_ad_domain WHERE nonce = web_ad.nonce),
                        issued_at, expires_at, ifnull(answered_at, 0), ifnull(answered_domain, '')
                    FROM web_ad WHERE nonce > ? ORDER BY nonce LIMIT ?
                    """, arguments: [nonce, limit])
            return try rows.map { try CopiedTable.webAds.values($0) }
        }
    }

    /// Takes ads over; see ``AttributionStore/WebAdCopying/copy(_:)``.
    package func copy(_ ads: [[CopiedValue]]) async throws -> Int64 {
        try await write { db in
            var copied: Int64 = 0
            for ad in ads {
                var values = ad.map(\.databaseValue)
                values.remove(at: 4)
                try db.cachedStatement(
                    sql: """
                        INSERT INTO web_ad VALUES (?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, ''))
                        ON CONFLICT (nonce) DO NOTHING
                        """
                ).execute(arguments: StatementArguments(values))
                guard db.changesCount > 0 else {
                    continue
                }
                copied += 1
                for domain in ad[4].string.split(separator: " ") {
                    try db.cachedStatement(sql: "INSERT INTO web_ad_domain (nonce, domain) VALUES (?, ?)")
                        .execute(arguments: [ad[0].string, String(domain)])
                }
            }
            return copied
        }
    }
}
