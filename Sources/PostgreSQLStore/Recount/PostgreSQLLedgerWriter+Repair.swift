package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// Makes anew what is derived from the raw bytes; see ``AttributionStore/LedgerWriting/repair(judge:)``.
    package func repair(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> RecountRepair {
        let reader = PostgreSQLLedgerReader(address)
        defer { reader.close() }
        return try await RecountRepair {
            try await reader.recount(judge: judge)
        } repair: { differences in
            for difference in differences {
                try withRecordingConnection { try Self.repair(difference, $0) }
            }
            try writeBlocks(differences)
        }
    }

    /// Writes blocks that differ from the facts again, those that are missing, and those that are due.
    private func writeBlocks(_ differences: [RecountDifference]) throws {
        try StoreError.translating(address) {
            // On a connection of its own, for it takes a while.
            let writer = BlockWriter(connection: try PostgreSQLConnection(address))
            for case .block(let ids) in differences {
                try writer.forget(ids.lowerBound)
            }
            while try writer.step(isWaiting: true).isMore {}
        }
    }

    /// Repairs one difference in a transaction of its own.
    private static func repair(_ difference: RecountDifference, _ connection: PostgreSQLConnection) throws {
        switch difference {
        case .facts(let id), .digests(let id):
            try repairPostback(id, keyName: nil, connection)
        case .keyName(let id, let name):
            try repairPostback(id, keyName: name, connection)
        case .deliveries(let quarter, let traffic, let recipient, _, _):
            try connection.transaction { connection in
                try BatchID().insert(connection)
                // Counted again, for postbacks may have come since.
                try connection.run(
                    """
                    WITH difference AS (
                        SELECT (
                            SELECT count(*) FROM skan.postback
                            WHERE quarter = $1::int4 AND traffic::text = $2 AND recipient::text = $3
                        ) - (
                            SELECT coalesce(sum(count), 0)::int8 FROM skan.delivery
                            WHERE quarter = $1::int4 AND status = 'recorded' AND traffic = $2 AND recipient::text = $3
                        ) AS count
                    )
                    INSERT INTO skan.delivery (quarter, status, traffic, reason, recipient, count, kept)
                    SELECT $1::int4, 'recorded', $2, '', $3::skan.recipient, count, count FROM difference WHERE count <> 0
                    """, [.integer(quarter), .text(traffic), .text(recipient)]
                )
            }
        case .quarantineTotal(let kind):
            try connection.transaction { connection in
                try BatchID().insert(connection)
                try connection.run(
                    """
                    INSERT INTO skan.quarantine_change (class, count, bytes)
                    SELECT $1,
                        (SELECT count(*) FROM skan.quarantine WHERE class = $1)
                            - (SELECT coalesce(sum(count), 0)::int8 FROM skan.quarantine_change WHERE class = $1),
                        (SELECT coalesce(sum(octet_length(body)), 0)::int8 FROM skan.quarantine WHERE class = $1)
                            - (SELECT coalesce(sum(bytes), 0)::int8 FROM skan.quarantine_change WHERE class = $1)
                    """, [.text(kind)]
                )
            }
        case .copyWithoutRow(let id):
            try connection.transaction { connection in
                try BatchID().insert(connection)
                try connection.run("DELETE FROM skan.recipient_copy WHERE id = $1", [.integer(id)])
            }
        case .missingRows, .unreadable, .unverified, .sameKey, .index, .block, .strayColumns: break
        }
    }

    /// Makes facts and digests of a postback again from its bytes.
    private static func repairPostback(_ id: Int64, keyName: String?, _ connection: PostgreSQLConnection) throws {
        try connection.transaction { connection in
            try BatchID().insert(connection)
            let result = try connection.run(
                "SELECT \(RecordedPostback.columns) \(RecordedPostback.tables) WHERE p.id = $1", [.integer(id)])
            guard result.count == 1, case let recorded = try RecordedPostback(result, 0),
                let postback = recorded.body.flatMap({ try? ReceivedPostback(reading: $0) })
            else {
                return
            }
            let digests = PostbackDigests(postback, provenance: recorded.traffic.provenance)
            // Another postback may have the key by now: then the bytes are its own, or the two are one, and nothing here
            // decides which.
            let isTaken =
                try connection.run(
                    "SELECT FROM skan.postback_key WHERE key = $1 AND id <> $2", [.digest(digests.key), .integer(id)]
                ).count > 0
            guard !isTaken else {
                return
            }
            let facts = PostbackFacts(
                postback, traffic: recorded.traffic, recipient: recorded.recipient,
                receivedAtMilliseconds: recorded.receivedAtMilliseconds, key: digests.key)
            var codes = ValueCodes()
            let values = facts.values(keyName: keyName ?? recorded.keyName)
            try codes.learn(values, connection)
            let assignments = PostbackFacts.codedColumns.enumerated().map { "\($1) = $\($0 + 6)::int4" }
            try connection.run(
                """
                UPDATE skan.postback SET quarter = $2::int4, transaction = $3::int4, key_check = $4::int2,
                    digest_version = $5::int2, \(assignments.joined(separator: ", "))
                WHERE id = $1
                """,
                [
                    .integer(id), .integer(facts.quarter),
                    .integer(Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: facts.transaction)))),
                    .integer(Int64(Int16(bitPattern: digests.key.positionCheck))), .integer(PostbackDigests.version),
                ] + values.map { .integer(codes.code($0).map { Int64($0) }) })
            try connection.run(
                "DELETE FROM skan.postback_key WHERE id = $1 AND key <> $2", [.integer(id), .digest(digests.key)])
            try connection.run(
                """
                INSERT INTO skan.postback_key (key, content, id) VALUES ($1, $2, $3)
                ON CONFLICT (key) DO UPDATE SET content = excluded.content
                """, [.digest(digests.key), .digest(digests.content), .integer(id)])
        }
    }
}
