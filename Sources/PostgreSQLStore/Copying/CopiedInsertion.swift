import Attribution
import AttributionStore

/// A page of another store's postbacks, on its way into the tables.
struct CopiedInsertion {
    private let page: CopiedPage
    private let insertion: PostbackInsertion

    init(_ page: CopiedPage, _ insertion: PostbackInsertion) {
        self.page = page
        self.insertion = insertion
    }

    /// Inserts the postbacks that are not there, and counts the others as what they are here: copies that came too.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - codes: Has a code for every value.
    ///   - hasKnownIDs: Whether some postbacks are known by their ids alone.
    /// - Returns: The id of each postback, and whether it was new; nil for one that was counted before this store.
    /// - Throws: ``StaleCodes``, and ``PostgreSQLFault``.
    func write(
        _ connection: PostgreSQLConnection, _ codes: ValueCodes, hasKnownIDs: Bool
    ) throws -> [(id: Int64, isNew: Bool)?] {
        let claimed = hasKnownIDs ? try claimed(connection) : []
        let (inserted, known, _) = try insertion.insert(connection, codes, excluding: claimed)
        var sums = DeliverySums()
        var quarantine = QuarantineInsertion(QuarantineRoom(QuarantineBudgets()), isBounded: false)
        try quarantine.prepare(contradicting: known.values.map(\.id), connection)
        let store = page.position.store
        let origins = try MovedDelivery.origins(ofPostbacks: known.values.map(\.id), connection, in: store)
        var takenOrigins: [Int64] = []
        var repeats: [MovedDelivery.Repeat] = []
        let copies = try page.postbacks.map { copied -> (id: Int64, isNew: Bool)? in
            let delivery = copied.delivery
            if let id = inserted[copied.digests.key] {
                sums.count(
                    .init(.recorded(copied.recorded.traffic), recipient: delivery.recipient), kept: 1, at: delivery)
                return (id, true)
            }
            if known[copied.digests.key] == nil, claimed.contains(copied.digests.key) {
                sums.count(
                    .init(.duplicate(copied.recorded.traffic), recipient: delivery.recipient), kept: 1, at: delivery)
                return nil
            }
            // Committed by another transaction that this statement does not see: the next run finds it.
            guard let first = known[copied.digests.key] else {
                throw PostgreSQLFault(sqlState: "40001", message: "a postback is being recorded by a node")
            }
            if first.content == copied.digests.content {
                if let origin = origins[first.id] {
                    guard !first.says(copied.digests.content, delivery) else {
                        // Both stores found the same delivery in their quarantine: it came once.
                        takenOrigins.append(origin)
                        return (first.id, false)
                    }
                    repeats.append(
                        MovedDelivery.Repeat(
                            postback: first.id, traffic: copied.recorded.traffic,
                            delay: RepeatDelay(
                                milliseconds: first.receivedAt &- delivery.receivedAtMilliseconds)))
                }
                sums.countRepeat(
                    of: first.id, receivedAt: first.receivedAt, by: first.recipient, delivery)
                sums.count(.init(.duplicate(first.traffic), recipient: delivery.recipient), kept: 1, at: delivery)
            } else {
                let isKept = quarantine.keepConflict(
                    QuarantinedBody(conflictWith: first.id, copied.digests.content, copied.body, delivery))
                sums.count(
                    .init(.conflict(first.traffic), recipient: delivery.recipient), kept: isKept ? 1 : 0, at: delivery)
            }
            return (first.id, false)
        }
        try MovedDelivery.takeMoves(of: takenOrigins, connection, in: store)
        try MovedDelivery.note(repeats, connection, in: store)
        try quarantine.write(connection, &sums)
        try sums.write(connection)
        return copies
    }

    /// The keys of postbacks whose ids were claimed here, and not at the source, which recorded them.
    private func claimed(_ connection: PostgreSQLConnection) throws -> Set<Digest16> {
        let ids = page.postbacks.map { (id: KnownID($0.key), key: $0.digests.key) }
            .filter { !page.knownIDs.contains($0.id) }
        let claimed = try KnownID.claimed(ids.map(\.id), connection)
        return Set(ids.filter { claimed.contains($0.id) }.map(\.key))
    }
}

extension PostbackInsertion.Copy {
    /// A postback of another store.
    init(_ copied: CopiedPostback) {
        self.init(
            body: copied.body, keyName: copied.recorded.keyName, digests: copied.digests, facts: copied.facts,
            receivedAt: copied.recorded.receivedAtMilliseconds, recordedAt: copied.recorded.recordedAtMilliseconds)
    }
}

extension LedgerCopyProgress {
    /// How far a store was copied; nil before the first copy.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - store: The source.
    ///   - isLocking: Whether other copies of the source wait for the end of the transaction.
    /// - Throws: ``PostgreSQLFault``.
    init?(_ connection: PostgreSQLConnection, of store: String, isLocking: Bool = false) throws {
        let result = try connection.run(
            "SELECT position, copied, lost FROM skan.copy_source WHERE store = $1"
                + (isLocking ? " FOR UPDATE" : ""), [.text(store)])
        guard result.count == 1 else {
            return nil
        }
        self.init(of: store)
        position = LedgerPosition(try result.text(0, 0))
        copied = try result.integer(0, 1)
        lost = try result.integer(0, 2)
    }

    /// Reads which postbacks are which.
    mutating func readRuns(_ connection: PostgreSQLConnection) throws {
        let result = try connection.run(
            "SELECT source_id, target_id, count, is_new, checksum FROM skan.copy_run WHERE store = $1", [.text(store)])
        runs = try (0..<result.count).map { row in
            CopiedRun(
                source: try result.integer(row, 0), target: try result.integer(row, 1),
                count: try result.integer(row, 2), isNew: try result.bool(row, 3),
                checksum: try result.isNull(row, 4) ? nil : CopyChecksum(result.bytes(row, 4)))
        }
    }

    /// Notes how far the copy came, and its last runs.
    func note(_ connection: PostgreSQLConnection, adding runs: [CopiedRun]) throws {
        try connection.run(
            """
            INSERT INTO skan.copy_source (store, position, copied, lost) VALUES ($1, $2, $3, $4)
            ON CONFLICT (store) DO UPDATE SET position = excluded.position, copied = excluded.copied,
                lost = excluded.lost
            """,
            [.text(store), .text(position?.description ?? ""), .integer(copied), .integer(lost)])
        guard !runs.isEmpty else {
            return
        }
        try connection.run(
            """
            INSERT INTO skan.copy_run (store, source_id, target_id, count, is_new, checksum)
            SELECT $1, source_id, target_id, count, is_new <> 0, checksum
            FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int4[], $6::uuid[])
                AS run (source_id, target_id, count, is_new, checksum)
            """,
            [
                .text(store), .integers(runs.map(\.source)), .integers(runs.map(\.target)),
                .integers(runs.map(\.count)), .smallIntegers(runs.map { $0.isNew ? 1 : 0 }),
                .digests(runs.compactMap { ($0.checksum ?? CopyChecksum()).bytes.withUnsafeBytes { Digest16($0) } }),
            ])
    }
}
