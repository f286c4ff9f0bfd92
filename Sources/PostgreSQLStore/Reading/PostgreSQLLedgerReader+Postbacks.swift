import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// Recorded postbacks in the order of their ids; see ``AttributionStore/LedgerReading/postbacks(_:)``.
    package func postbacks(_ query: PostbackQuery) async throws -> [RecordedPostback] {
        try await read { snapshot in
            var found: [RecordedPostback] = []
            var page = query
            while found.count < query.limit {
                page.limit = query.limit - found.count
                let candidates = try page.candidates(snapshot.connection)
                found += candidates.filter(page.matchesBody(of:))
                guard let last = candidates.last, candidates.count == page.limit else {
                    break
                }
                page.after = last.id
            }
            return found
        }
    }

    /// A page of recorded postbacks; see ``AttributionStore/LedgerReading/export(_:)``.
    ///
    /// Nothing at or above the horizon is handed out: a transaction that still runs may add postbacks before it.
    package func export(_ query: ExportQuery) async throws -> ExportPage {
        try await read(isSettled: true) { snapshot in
            // Checked before anything is handed out.
            let start = try query.after.map { try snapshot.ordered($0) }
            let newest = try snapshot.ordered()
            let result = try snapshot.connection.run(
                """
                SELECT \(RecordedPostback.columns) \(RecordedPostback.tables)
                WHERE p.commit_order < $1 AND (p.commit_order, p.id) > ($2, $3)
                    AND ($4::text IS NULL OR p.traffic = $4::skan.traffic)
                    AND ($6::int8 IS NULL OR p.received_at >= $6) AND ($7::int8 IS NULL OR p.received_at < $7)
                    AND \(Self.isOfApps("$8"))
                ORDER BY p.commit_order, p.id LIMIT $5
                """,
                [
                    .integer(snapshot.horizon), .integer(start?.commitOrder ?? .min),
                    .integer(start?.position.last ?? 0), .text(query.traffic?.rawValue), .integer(Int64(query.limit)),
                    .integer(query.received?.lowerBound), .integer(query.received?.upperBound),
                    .texts(query.apps.map(\.description)),
                ])
            let postbacks = try (0..<result.count).map { try RecordedPostback(result, $0) }
            let positions = postbacks.map {
                LedgerPosition(store: snapshot.store, last: $0.id, check: $0.check)
            }
            let isLast = postbacks.count < query.limit
            return ExportPage(
                postbacks: Array(zip(positions, postbacks)),
                position: isLast ? newest.position : positions.last ?? newest.position, isLast: isLast,
                isSettled: snapshot.newestOrder.map { $0 < snapshot.horizon } ?? true)
        }
    }

    /// Whether a postback is of one of the apps in a parameter, or the parameter is empty.
    fileprivate static func isOfApps(_ parameter: String) -> String {
        """
        (\(parameter)::text[] = '{}' OR p.app IN (
            SELECT code FROM skan.value WHERE kind = 'app' AND value = ANY (\(parameter)::text[])))
        """
    }
}

extension RecordedPostback {
    /// What ``init(_:_:)`` takes.
    static let columns = """
        p.id, floor(extract(epoch FROM p.recorded_at) * 1000)::int8, p.received_at, p.recipient::text,
        p.traffic::text, coalesce(v.value, ''), p.key_check, b.body
        """
    static let columnCount = 8
    /// Where they are read from.
    ///
    /// Each body is looked up by its key: a join, as the server plans one before it has statistics, reads the bodies of
    /// all partitions for every page. `OFFSET 0` keeps it from making a join of the lookup.
    static let tables = """
        FROM skan.postback AS p
            LEFT JOIN skan.value AS v ON v.code = p.key_name
            LEFT JOIN LATERAL (
                SELECT body FROM skan.postback_body WHERE id = p.id AND recorded_at = p.recorded_at OFFSET 0
            ) AS b ON true
        """

    /// Takes a row of ``columns``.
    init(_ result: PostgreSQLResult, _ row: Int) throws {
        self.init(
            id: try result.integer(row, 0), recordedAtMilliseconds: try result.integer(row, 1),
            receivedAtMilliseconds: try result.integer(row, 2), recipient: try result.word(row, 3),
            traffic: try result.word(row, 4), keyName: try result.text(row, 5),
            body: try result.isNull(row, 7) ? nil : result.bytes(row, 7),
            check: UInt16(bitPattern: Int16(truncatingIfNeeded: try result.integer(row, 6))))
    }
}

extension PostbackQuery {
    /// Postbacks that match but for the text of their transaction id, of which the tables have a hash.
    fileprivate func candidates(_ connection: PostgreSQLConnection) throws -> [RecordedPostback] {
        let hash = transactionID.map { id in
            Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: PostbackFacts.transaction(id))))
        }
        let quarters = received?.quarters
        let result = try connection.run(
            """
            SELECT \(RecordedPostback.columns) \(RecordedPostback.tables)
            WHERE p.id > $1 AND ($2::int8 IS NULL OR p.transaction = $2)
                AND ($3::int8 IS NULL OR p.received_at >= $3) AND ($4::int8 IS NULL OR p.received_at < $4)
                AND ($5::int8 IS NULL OR p.quarter >= $5) AND ($6::int8 IS NULL OR p.quarter < $6)
                AND ($7::text IS NULL OR p.traffic = $7::skan.traffic)
                AND \(PostgreSQLLedgerReader.isOfApps("$9"))
            ORDER BY p.id LIMIT $8
            """,
            [
                .integer(after), .integer(hash), .integer(received?.lowerBound), .integer(received?.upperBound),
                .integer(quarters?.lowerBound), .integer(quarters?.upperBound), .text(traffic?.rawValue),
                .integer(Int64(limit)), .texts(apps.map(\.description)),
            ])
        return try (0..<result.count).map { try RecordedPostback(result, $0) }
    }
}
