package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// The most rounds of recount and repair: a recount lists a bounded number of differences, and mending some may
    /// reveal others.
    private static var repairRounds: Int { 100 }

    /// Mends what follows from the raw bytes; see ``AttributionStore/LedgerWriting/repair(judge:)``.
    package func repair(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        let reader = PostgreSQLLedgerReader(address)
        defer { reader.close() }
        let found = try await reader.recount(judge: judge)
        var result = RecountRepair(found: found, repaired: 0, remaining: found)
        // First, for facts are compared with these texts.
        let damaged: [Int64] = found.differences.compactMap { if case .value(let code) = $0 { code } else { nil } }
        if !damaged.isEmpty {
            try mend(damaged.map { DamagedText(code: $0) }, judge)
            result.remaining = try await reader.recount(judge: judge)
        }
        for _ in 0..<Self.repairRounds {
            let before = result.remaining
            for difference in before.differences where difference.isRepairable && !before.keepsCount(difference) {
                try withRecordingConnection { try Self.mend(difference, $0) }
            }
            let differing = try await reader.read { try RecountBlocks($0.connection).numbers }
            try writeBlocks(rewriting: differing)
            guard before.differenceCount > 0 else {
                break
            }
            result.remaining = try await reader.recount(judge: judge)
            guard result.remaining.repairableCount > 0, result.remaining.repairableCount < before.repairableCount else {
                break
            }
        }
        result.repaired = max(0, found.differenceCount - result.remaining.differenceCount)
        return result
    }

    /// Takes damaged texts from the bytes of postbacks, and removes those that no postback has.
    private func mend(_ texts: [DamagedText], _ judge: @Sendable ([[UInt8]]) -> [Judgement]) throws {
        let unused = try texts.filter { text in
            try withRecordingConnection { try !text.restore($0, judge) }
        }
        for text in unused {
            try withRecordingConnection { try text.retire($0) }
        }
        // Once for all of them: recording waits behind it.
        let mayRemove =
            try unused.isEmpty
            || StoreError.translating(address) {
                try DamagedText.hasSeenRecordingEnd(PostgreSQLConnection(address))
            }
        for text in unused where mayRemove {
            try withRecordingConnection { connection in
                if try !text.restore(connection, judge) { try text.remove(connection) }
            }
        }
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
    private static func mend(_ difference: RecountDifference, _ connection: PostgreSQLConnection) throws {
        switch difference {
        case .facts(let id), .digests(let id):
            try mendPostback(id, connection)
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
        default: break
        }
    }

    /// Makes facts and digests of a postback again from its bytes.
    private static func mendPostback(_ id: Int64, _ connection: PostgreSQLConnection) throws {
        try connection.transaction { connection in
            try BatchID().insert(connection)
            let result = try connection.run(
                "SELECT \(StoredPostback.columns) \(RecordedPostback.tables) WHERE p.id = $1", [.integer(id)])
            guard result.count == 1, case let stored = try StoredPostback(result, 0), let body = stored.recorded.body
            else {
                return
            }
            let recorded = stored.recorded
            guard let postback = try? ReceivedPostback(reading: body) else {
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

extension Recount {
    /// Whether a difference is one of a count that has to stay.
    fileprivate func keepsCount(_ difference: RecountDifference) -> Bool {
        guard case .deliveries(let quarter, _, _, _, _) = difference else {
            return false
        }
        return keptQuarters.contains(quarter)
    }
}
