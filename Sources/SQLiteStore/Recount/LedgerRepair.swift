package import Attribution
package import AttributionStore
import Foundation
import GRDB

/// Repairs what can be derived from the raw bytes: digests, columns, and counts of recorded postbacks.
///
/// It does not load the exact index.
package struct LedgerRepair {
    private let database: OwnedDatabase
    private let reader: SQLiteLedgerReader
    /// Whether postbacks are recorded meanwhile, by an owner that has to find its newest row again.
    private let isRecording: Bool
    private let didRepair: @Sendable ([(digest: UInt64, row: Int64)]) -> Void

    /// The most rounds of recount and repair; a repair may reveal differences for the next round.
    private static let rounds = 100
    /// Differences repaired per transaction; few, because recording waits for it.
    private static let batchSize = 64

    /// Repairs a store that has no owner, as its owner.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - judge: Parses and verifies bodies.
    /// - Returns: What was found, repaired, and remains.
    /// - Throws: ``AttributionStore/StoreError``, such as ``AttributionStore/StoreError/inUse(path:)`` if it has an
    ///   owner.
    package static func repair(
        path: String,
        judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]
    ) async throws -> RecountRepair {
        let reader = try SQLiteLedgerReader(path)
        let database = try OwnedDatabase(path: path, schema: LedgerSchema.schema)
        let result: Result<RecountRepair, any Error>
        do {
            result = .success(try await LedgerRepair(database: database, reader: reader) { _ in }.run(judge))
        } catch {
            result = .failure(error)
        }
        reader.close()
        _ = try database.close()
        return try result.get()
    }

    private init(
        database: OwnedDatabase,
        reader: SQLiteLedgerReader,
        isRecording: Bool = false,
        didRepair: @escaping @Sendable ([(digest: UInt64, row: Int64)]) -> Void
    ) {
        self.database = database
        self.reader = reader
        self.isRecording = isRecording
        self.didRepair = didRepair
    }

    /// Repairs the store of an owner while it records.
    fileprivate init(_ writer: SQLiteLedgerWriter) throws {
        let memory = writer.memory
        self.init(database: writer.database, reader: try SQLiteLedgerReader(writer.path), isRecording: true) {
            memory.didRepair($0)
        }
    }

    fileprivate func run(_ judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        let found = try await reader.recount(judge: judge)
        var result = RecountRepair(found: found, repaired: 0, remaining: found)
        let tables = found.differences.compactMap(TargetedRepair.Target.init).filter { $0.tables != nil }
        if !tables.isEmpty {
            try repair(tables[...])
            result.remaining = try await reader.recount(judge: judge)
        }
        for _ in 0..<Self.rounds {
            let before = result.remaining.repairableCount
            // Several differences may have the same target.
            var targets: Set<TargetedRepair.Target> = []
            let pending = result.remaining.differences.compactMap(TargetedRepair.Target.init).filter {
                targets.insert($0).inserted
            }
            guard !pending.isEmpty else {
                break
            }
            for start in stride(from: 0, to: pending.count, by: Self.batchSize) {
                try repair(pending[start..<min(start + Self.batchSize, pending.count)])
            }
            result.remaining = try await reader.recount(judge: judge)
            guard result.remaining.repairableCount < before else {
                break
            }
        }
        result.repaired = max(0, result.found.differenceCount - result.remaining.differenceCount)
        return result
    }
}

extension LedgerRepair {
    private func repair(
        _ targets: ArraySlice<TargetedRepair.Target>,
        _ removal: DerivedTables.Removal = .dropping
    ) throws {
        var digests: [(digest: UInt64, row: Int64)] = []
        do {
            try database.write { db in
                // SQLite commits nothing of a transaction that read a damaged page.
                let remains = try DerivedTables.Remains(db, of: targets.compactMap(\.tables))
                if isRecording, let rows = remains.rows[.postbacks] {
                    let newest = try LedgerScan.newestRow(db)
                    guard rows.last?.upperBound == newest else {
                        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                    }
                }
                return remains
            } _: { db, remains in
                for target in targets {
                    digests += try TargetedRepair(db: db, removal: removal, remains: remains).repair(target)
                }
            } didCommit: {
                didRepair(digests)
            }
        } catch StoreError.failed(_, .damaged) {
            // Retried one by one: a target on a damaged page must not stop the repair of the others.
            if targets.count > 1 {
                for target in targets {
                    try repair([target])
                }
            } else if targets.first?.tables != nil, removal == .dropping {
                try repair(targets, .forgetting)
            }
        }
    }
}

extension SQLiteLedgerWriter {
    /// Repairs what can be derived from the raw bytes, in small transactions between those that record.
    ///
    /// - Parameter judge: Parses and verifies bodies.
    /// - Returns: What was found, repaired, and remains.
    /// - Throws: ``AttributionStore/StoreError``.
    package func repair(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        try await LedgerRepair(self).run(judge)
    }
}
