import Attribution
package import AttributionStore
import Synchronization

/// A store in PostgreSQL that another one is copied into, on a connection of its own; its role has to own the tables.
package final class PostgreSQLCopyTarget: LedgerCopyTarget {
    private let address: PostgreSQLAddress
    private let state: Mutex<State>

    private struct State {
        var connection: PostgreSQLConnection
        var codes = ValueCodes()
    }

    /// Connects, and makes the tables when they are missing.
    package init(_ address: PostgreSQLAddress) throws {
        self.address = address
        let connection = try StoreError.translating(address) {
            let connection = try PostgreSQLConnection(address)
            _ = try SchemaMigrator(connection, address).migrate()
            return connection
        }
        state = Mutex(State(connection: connection))
    }

    private func transaction<Result: Sendable>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try state.withLock { state in
            try StoreError.translating(address) { try state.connection.recordingTransaction(work) }
        }
    }

    package func beginCopy(of store: String) throws -> CopyProgress {
        try transaction { connection in
            try connection.run(
                """
                CREATE TABLE IF NOT EXISTS skan.copy_source (
                    store text PRIMARY KEY, -- the source's name in positions
                    position text NOT NULL, -- of the last postback that was copied; empty before the first
                    has_ended boolean NOT NULL
                )
                """)
            let progress = try CopyTargetState(connection).progress(of: store, into: address.description)
            try progress.note(connection)
            return progress
        }
    }

    package func record(_ postbacks: [CopiedPostback], _ progress: CopyProgress) throws -> Int64 {
        try state.withLock { state in
            try StoreError.translating(address) {
                let insertion = PostbackInsertion(
                    copies: postbacks.map { PostbackInsertion.Copy($0) }, isFromStore: true)
                try Self.makePartitions(postbacks.map(\.recorded.recordedAtMilliseconds), state.connection)
                try state.codes.learn(insertion.copies.lazy.flatMap(\.values), state.connection)
                let codes = state.codes
                return try state.connection.recordingTransaction { connection in
                    let (inserted, known, _) = try insertion.insert(connection, codes)
                    // Committed by another transaction that this statement does not see: the next run finds it.
                    guard inserted.count + known.count == Set(postbacks.map(\.digests.key)).count else {
                        throw PostgreSQLFault(sqlState: "40001", message: "a postback is being recorded by a node")
                    }
                    if !inserted.isEmpty {
                        try connection.noteImported()
                    }
                    if progress.hasEnded {
                        var sums = DeliverySums()
                        for postback in postbacks where inserted[postback.digests.key] != nil {
                            sums.count(
                                .init(.recorded(postback.recorded.traffic), recipient: postback.recorded.recipient),
                                kept: 1, at: postback.delivery)
                        }
                        try sums.write(connection)
                    }
                    try progress.note(connection)
                    return Int64(inserted.count)
                }
            }
        }
    }

    /// Makes partitions of bodies for the months of a page, so that they can be dropped one by one.
    private static func makePartitions(_ times: [Int64], _ connection: PostgreSQLConnection) throws {
        // A month has 28 days at least, so the first and last moment of 28 days name every month in them.
        for part in Dictionary(grouping: times, by: { $0 / (28 * 86_400_000) }).values {
            for time in Set([part.min(), part.max()].compactMap(\.self)) {
                try connection.run(
                    "SELECT skan.make_partition(timestamptz 'epoch' + $1 * interval '1 millisecond')",
                    [.integer(time)])
            }
        }
    }

    package func add(_ rows: CopiedPage) throws {
        try transaction { try Self.insert(rows, $0) }
    }

    package func end(_ progress: CopyProgress, replacing tables: [CopiedPage]) throws {
        try transaction { connection in
            _ = try CopyTargetState(connection).progress(of: progress.store, into: address.description)
            for rows in tables {
                try connection.run("DELETE FROM skan.\(rows.table.name)")
                try Self.insert(rows, connection)
            }
            try connection.run("DELETE FROM skan.quarantine_change")
            try connection.run(
                """
                INSERT INTO skan.quarantine_change (class, count, bytes)
                SELECT class, count(*), sum(octet_length(body)) FROM skan.quarantine GROUP BY class
                """)
            try progress.note(connection)
        }
    }

    private static func insert(_ rows: CopiedPage, _ connection: PostgreSQLConnection) throws {
        let resolved = try rows.resolved { try PostbackInsertion.known($0, connection).mapValues(\.id) }
        try rows.table.insert(resolved, connection)
    }
}

extension PostbackInsertion.Copy {
    /// A postback of another store.
    fileprivate init(_ copied: CopiedPostback) {
        self.init(
            body: copied.body, keyName: copied.recorded.keyName, digests: copied.digests, facts: copied.facts,
            receivedAt: copied.recorded.receivedAtMilliseconds, recordedAt: copied.recorded.recordedAtMilliseconds)
    }
}

extension CopyTargetState {
    fileprivate init(_ connection: PostgreSQLConnection) throws {
        let found = try connection.run(
            """
            SELECT s.id, EXISTS (SELECT FROM skan.postback), EXISTS (SELECT FROM skan.delivery),
                c.store, c.position, c.has_ended
            FROM skan.store AS s LEFT JOIN skan.copy_source AS c ON true
            """)
        self.init(
            store: try found.text(0, 0), hasPostbacks: try found.bool(0, 1), hasDeliveries: try found.bool(0, 2),
            progress: found.isNull(0, 3)
                ? nil
                : CopyProgress(
                    of: try found.text(0, 3), position: LedgerPosition(try found.text(0, 4)),
                    hasEnded: try found.bool(0, 5)))
    }
}

extension CopyProgress {
    fileprivate func note(_ connection: PostgreSQLConnection) throws {
        try connection.run("DELETE FROM skan.copy_source")
        try connection.run(
            "INSERT INTO skan.copy_source (store, position, has_ended) VALUES ($1, $2, $3)",
            [.text(store), .text(position?.description ?? ""), .bool(hasEnded)])
    }
}
