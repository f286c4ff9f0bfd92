import Attribution
package import AttributionStore
import Foundation
import Synchronization

/// A store in PostgreSQL that another one is copied into, on a connection of its own.
///
/// Its role has to own the tables. Nodes may record into the store meanwhile.
package final class PostgreSQLCopyTarget: LedgerCopyTarget {
    let address: PostgreSQLAddress
    private let state: Mutex<State>

    private struct State {
        var connection: PostgreSQLConnection
        var codes = ValueCodes()
        /// Whether the bodies of a month were dropped, by the times in it.
        var months: [Range<Int64>: Bool] = [:]
    }

    /// Connects, and makes the tables when they are missing.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package init(_ address: PostgreSQLAddress) throws {
        self.address = address
        let connection = try StoreError.translating(address) {
            let connection = try PostgreSQLConnection(address)
            _ = try SchemaMigrator(connection, address).migrate()
            return connection
        }
        state = Mutex(State(connection: connection))
    }

    /// A reader of the same store.
    package func makeReader() throws -> any LedgerReading {
        PostgreSQLLedgerReader(address)
    }

    /// Does work in one transaction, behind a lock.
    func transaction<Result: Sendable>(
        behind lock: Int64, _ work: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        try state.withLock { state in
            try StoreError.translating(address) {
                try state.connection.transaction { connection in
                    try BatchID().insert(connection, behind: lock)
                    return try work(connection)
                }
            }
        }
    }

    /// Does work in one transaction.
    func transaction<Result: Sendable>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try state.withLock { state in
            try StoreError.translating(address) {
                try Self.transaction(state.connection) { connection, _ in try work(connection) }
            }
        }
    }

    private static func transaction<Result>(
        _ connection: PostgreSQLConnection, _ work: (PostgreSQLConnection, _ hasKnownIDs: Bool) throws -> Result
    ) throws -> Result {
        try connection.transaction { connection in
            let hasKnownIDs = try BatchID().insert(connection)
            return try work(connection, hasKnownIDs)
        }
    }

    // MARK: Postbacks

    /// Begins a copy, or resumes it; see ``AttributionStore/LedgerCopyTarget/beginCopy(of:)``.
    package func beginCopy(of store: String) throws -> LedgerCopyProgress {
        try transaction { connection in
            guard try connection.run("SELECT id FROM skan.store").text(0, 0) != store else {
                throw LedgerCopyError.same(path: address.description)
            }
            if var progress = try LedgerCopyProgress(connection, of: store) {
                try progress.readRuns(connection)
                return progress
            }
            let isEmpty = try connection.run(
                """
                SELECT NOT EXISTS (SELECT FROM skan.postback) AND NOT EXISTS (SELECT FROM skan.delivery)
                    OR EXISTS (SELECT FROM skan.copy_source)
                """
            ).bool(0, 0)
            guard isEmpty else {
                throw LedgerCopyError.notEmpty(path: address.description)
            }
            let progress = LedgerCopyProgress(of: store)
            try progress.note(connection, adding: [])
            return progress
        }
    }

    /// Takes postbacks over; see ``AttributionStore/LedgerCopyTarget/copy(_:after:)``.
    package func copy(
        _ page: CopiedPage,
        after progress: LedgerCopyProgress
    ) throws -> (LedgerCopyProgress, [CopiedRun]) {
        try state.withLock { state in
            try StoreError.translating(address) {
                let insertion = PostbackInsertion(
                    copies: page.postbacks.map { PostbackInsertion.Copy($0) }, isFromStore: true)
                try Self.makePartitions(page, &state)
                try state.codes.learn(insertion.copies.lazy.flatMap(\.values), state.connection)
                let codes = state.codes
                return try Self.transaction(state.connection) { connection, hasKnownIDs in
                    guard
                        let found = try LedgerCopyProgress(connection, of: progress.store, isLocking: true),
                        found.position == progress.position
                    else {
                        throw LedgerCopyError.overtaken(path: address.description)
                    }
                    var next = progress
                    let copied = try CopiedInsertion(page, insertion).write(
                        connection, codes, hasKnownIDs: hasKnownIDs)
                    let runs = next.advance(behind: page, copied)
                    try next.note(connection, adding: runs)
                    return (next, runs)
                }
            }
        }
    }

    /// Makes partitions of bodies for the months of a page, so that they can be dropped one by one.
    private static func makePartitions(_ page: CopiedPage, _ state: inout State) throws {
        // A month has 28 days at least, so that the first and last moment of 28 days name every month in them.
        let months = Set(page.postbacks.map { $0.recorded.recordedAtMilliseconds / (28 * 86_400_000) })
        for month in months.sorted() {
            let times = page.postbacks.map(\.recorded.recordedAtMilliseconds)
                .filter { $0 / (28 * 86_400_000) == month }
            for time in Set([times.min(), times.max()].compactMap { $0 }) {
                try state.connection.run(
                    "SELECT skan.make_partition(timestamptz 'epoch' + $1 * interval '1 millisecond')",
                    [.integer(time)])
            }
        }
    }

    /// Whether a month has no bodies, neither a partition of its own nor some among the others; see
    /// ``AttributionStore/LedgerCopyTarget/hasDroppedBodies(recordedAt:)``.
    package func hasDroppedBodies(recordedAt recordedAtMilliseconds: Int64) throws -> Bool {
        try state.withLock { state in
            if let known = state.months.first(where: { $0.key.contains(recordedAtMilliseconds) }) {
                return known.value
            }
            return try StoreError.translating(address) {
                let result = try state.connection.run(
                    """
                    WITH month AS MATERIALIZED (
                        SELECT date_trunc('month', to_timestamp($1 / 1000.0) AT TIME ZONE 'UTC') AS first
                    ), span AS MATERIALIZED (
                        SELECT first AT TIME ZONE 'UTC' AS first, (first + interval '1 month') AT TIME ZONE 'UTC' AS next,
                            'skan.postback_body_' || to_char(first, 'YYYY_MM') AS name
                        FROM month
                    )
                    SELECT extract(epoch FROM first)::int8 * 1000, extract(epoch FROM next)::int8 * 1000,
                        to_regclass(name) IS NULL AND NOT EXISTS (
                            SELECT FROM skan.postback_body_other WHERE recorded_at >= first AND recorded_at < next)
                    FROM span
                    """, [.integer(recordedAtMilliseconds)])
                let isDropped = try result.bool(0, 2)
                let (first, next) = (try result.integer(0, 0), try result.integer(0, 1))
                if first < next {
                    state.months[first..<next] = isDropped
                }
                return isDropped
            }
        }
    }

    // MARK: What is beside them

    /// Makes a part of the quarantine what it is in the source; see
    /// ``AttributionStore/LedgerCopyTarget/copyQuarantine(_:)``.
    package func copyQuarantine(_ page: CopiedQuarantine) throws -> Int64 {
        try transaction { try page.write($0) }
    }

    /// Takes over other recipients' copies; see ``AttributionStore/LedgerCopyTarget/copyRecipients(_:)``.
    package func copyRecipients(_ copies: [RecipientCopy]) throws {
        try transaction { connection in
            _ = try connection.run(
                """
                INSERT INTO skan.recipient_copy (id, recipient, received_at)
                SELECT id, recipient::skan.recipient, received_at
                FROM unnest($1::int8[], $2::text[], $3::int8[]) AS copy (id, recipient, received_at)
                WHERE NOT EXISTS (
                    SELECT FROM skan.postback AS first
                    WHERE first.id = copy.id AND first.recipient = copy.recipient::skan.recipient)
                ORDER BY id, recipient ON CONFLICT DO NOTHING
                """,
                [
                    .integers(copies.map(\.id)), .texts(copies.map(\.recipient.rawValue)),
                    .integers(copies.map(\.receivedAtMilliseconds)),
                ])
        }
    }

    /// The copied deliveries that were judged again here; see
    /// ``AttributionStore/LedgerCopyTarget/movedDeliveries(of:)``.
    package func movedDeliveries(of store: String) throws -> [Int64] {
        try transaction { try MovedDelivery.all($0, of: store).keys.sorted() }
    }

    /// Adds what the source's counts have grown by; see ``AttributionStore/LedgerCopyTarget/copyDeliveries(_:of:)``.
    package func copyDeliveries(_ snapshot: DeliverySnapshot, of store: String) throws {
        try transaction { connection in
            // Locked against another copy.
            _ = try LedgerCopyProgress(connection, of: store, isLocking: true)
            let growth = try snapshot.growth(try MovedDelivery.all(connection, of: store)) {
                try DeliveryTable(connection, copiedFrom: store)
            } apply: { decisions in
                try MovedDelivery.apply(decisions, connection, in: store)
            }
            let deliveries = growth.deliveries.filter { $0.value.count != 0 || $0.value.kept != 0 }
                .map { ($0.quarter, $0.kind, $1) }
            let repeats = growth.repeats.filter { $0.value != 0 }.map { ($0.quarter, $0.delay, $1) }
            for store in [nil, store] {
                try DeliverySums.append(deliveries, connection, copiedFrom: store)
                try DeliverySums.append(repeats: repeats, connection, copiedFrom: store)
            }
        }
    }

    /// Claims ids; see ``AttributionStore/LedgerCopyTarget/copyKnownIDs(_:)``.
    package func copyKnownIDs(_ ids: [KnownID]) throws {
        try transaction { connection in
            _ = try connection.run(
                "INSERT INTO skan.known_id SELECT unnest($1::uuid[]) ORDER BY 1 ON CONFLICT DO NOTHING",
                [.digests(ids.map(\.digest))])
        }
    }

    /// Takes over how far files were imported; see ``AttributionStore/LedgerCopyTarget/copyImportedFiles(_:)``.
    package func copyImportedFiles(_ files: [ImportedFile]) throws {
        try transaction { connection in
            _ = try connection.run(
                """
                INSERT INTO skan.imported_file (digest, bytes, records)
                SELECT * FROM unnest($1::bytea[], $2::int8[], $3::int8[])
                ON CONFLICT (digest) DO UPDATE SET records = greatest(imported_file.records, excluded.records)
                """,
                [.blobs(files.map(\.digest)), .integers(files.map(\.bytes)), .integers(files.map(\.records))])
        }
    }

    /// Takes the networks over; see ``AttributionStore/LedgerCopyTarget/copyNetworks(_:)``.
    package func copyNetworks(_ networks: [String]) throws {
        try transaction { connection in
            _ = try connection.run(
                """
                INSERT INTO skan.own_network SELECT unnest($1::text[])
                WHERE NOT EXISTS (SELECT FROM skan.own_network) ON CONFLICT DO NOTHING
                """, [.texts(networks)])
        }
    }
}
