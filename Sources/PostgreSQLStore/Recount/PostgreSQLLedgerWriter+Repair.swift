package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// Mends what follows from the raw bytes; see ``AttributionStore/LedgerWriting/repair(judge:)``.
    package func repair(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        let reader = PostgreSQLLedgerReader(address)
        defer { reader.close() }
        let found = try await reader.recount(judge: judge)
        var result = RecountRepair(found: found, repaired: 0, remaining: found)
        for difference in found.differences where difference.isRepairable {
            if try withRecordingConnection({ try Self.mend(difference, $0) }) {
                result.repaired += 1
            }
        }
        let differing = try await reader.read { try RecountBlocks($0.connection).numbers }
        try writeBlocks(rewriting: differing)
        if found.differenceCount > 0 {
            result.remaining = try await reader.recount(judge: judge)
            result.repaired +=
                Int64(found.differences.count { $0.isOfBlocks })
                - Int64(result.remaining.differences.count { $0.isOfBlocks })
        }
        return result
    }

    /// Writes blocks that differ from the facts again, those that are missing, and those that are due.
    private func writeBlocks(rewriting numbers: Set<Int64>) throws {
        try StoreError.translating(address) {
            // On a connection of its own, for it takes a while.
            let writer = BlockWriter(connection: try PostgreSQLConnection(address))
            while try writer.step(isWaiting: true).isMore {}
            for number in numbers.sorted() {
                try writer.step(rewriting: number, isWaiting: true)
            }
        }
    }

    /// Mends one difference in a transaction of its own.
    ///
    /// - Returns: Whether there was something to do.
    private static func mend(_ difference: RecountDifference, _ connection: PostgreSQLConnection) throws -> Bool {
        switch difference {
        case .facts(let id), .digests(let id):
            return try mendPostback(id, connection)
        case .deliveries(let quarter, let traffic, let recipient, _, _):
            return try connection.transaction { connection in
                try BatchID().insert(connection)
                // Counted again, for postbacks may have come since.
                return try connection.run(
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
                ).changedCount > 0
            }
        case .quarantineTotal(let kind):
            return try connection.transaction { connection in
                try BatchID().insert(connection)
                return try connection.run(
                    """
                    INSERT INTO skan.quarantine_change (class, count, bytes)
                    SELECT $1,
                        (SELECT count(*) FROM skan.quarantine WHERE class = $1)
                            - (SELECT coalesce(sum(count), 0)::int8 FROM skan.quarantine_change WHERE class = $1),
                        (SELECT coalesce(sum(octet_length(body)), 0)::int8 FROM skan.quarantine WHERE class = $1)
                            - (SELECT coalesce(sum(bytes), 0)::int8 FROM skan.quarantine_change WHERE class = $1)
                    """, [.text(kind)]
                ).changedCount > 0
            }
        case .copyWithoutRow(let id):
            return try connection.transaction { connection in
                try BatchID().insert(connection)
                return try connection.run("DELETE FROM skan.recipient_copy WHERE id = $1", [.integer(id)])
                    .changedCount > 0
            }
        default:
            return false
        }
    }

    /// Makes facts and digests of a postback again from its bytes.
    private static func mendPostback(_ id: Int64, _ connection: PostgreSQLConnection) throws -> Bool {
        try connection.transaction { connection in
            try BatchID().insert(connection)
            let result = try connection.run(
                "SELECT \(StoredPostback.columns) \(RecordedPostback.tables) WHERE p.id = $1", [.integer(id)])
            guard result.count == 1, case let stored = try StoredPostback(result, 0), let body = stored.recorded.body
            else {
                return false
            }
            let recorded = stored.recorded
            guard let postback = try? ReceivedPostback(reading: body) else {
                return false
            }
            let digests = PostbackDigests(postback, provenance: recorded.traffic.provenance)
            let facts = PostbackFacts(
                postback, traffic: recorded.traffic, recipient: recorded.recipient,
                receivedAtMilliseconds: recorded.receivedAtMilliseconds, key: digests.key)
            var codes = ValueCodes()
            let values = facts.values(keyName: recorded.keyName)
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
            // Another postback may have the key by now: then the two are one, and nothing here decides which.
            let isTaken =
                try connection.run(
                    "SELECT FROM skan.postback_key WHERE key = $1 AND id <> $2", [.digest(digests.key), .integer(id)]
                ).count > 0
            if !isTaken {
                try connection.run(
                    "DELETE FROM skan.postback_key WHERE id = $1 AND key <> $2",
                    [
                        .integer(id), .digest(digests.key),
                    ])
                try connection.run(
                    """
                    INSERT INTO skan.postback_key (key, content, id) VALUES ($1, $2, $3)
                    ON CONFLICT (key) DO UPDATE SET content = excluded.content
                    """, [.digest(digests.key), .digest(digests.content), .integer(id)])
            }
            return true
        }
    }
}

extension RecountDifference {
    /// Whether blocks are written again for it.
    fileprivate var isOfBlocks: Bool {
        switch self {
        case .block, .strayColumns: true
        default: false
        }
    }
}
