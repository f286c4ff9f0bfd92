package import Attribution
import Foundation
import GRDB

/// Makes right what follows from the raw bytes: digests, columns, and the counts of what was recorded.
///
/// It needs no more of a store than that its tables can be read; the exact index is not loaded.
package struct LedgerRepair {
    private let database: OwnedDatabase
    private let reader: LedgerReader
    private let didRepair: @Sendable ([(digest: UInt64, row: Int64)]) -> Void

    /// Rounds of finding and mending at most: one can bring to light what the next one mends.
    private static let rounds = 100
    /// Differences mended in one transaction, for which recording has to wait.
    private static let atOnce = 64

    /// Repairs a store that has no owner, acting as its owner meanwhile.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - judge: Reads and verifies bodies.
    /// - Returns: What was found, mended, and remains.
    /// - Throws: ``StoreError``, ``StoreError/inUse(path:)`` among them when it has an owner.
    package static func repair(
        path: String,
        judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]
    ) async throws -> RecountRepair {
        let reader = try LedgerReader(path)
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
        reader: LedgerReader,
        didRepair: @escaping @Sendable ([(digest: UInt64, row: Int64)]) -> Void
    ) {
        self.database = database
        self.reader = reader
        self.didRepair = didRepair
    }

    /// Repairs the store of an owner, beside what it records.
    fileprivate init(_ writer: LedgerWriter) throws {
        let memory = writer.memory
        self.init(database: writer.database, reader: try LedgerReader(writer.path)) {
            memory.didRepair($0)
        }
    }

    fileprivate func run(_ judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        let found = try await reader.recount(judge: judge)
        var result = RecountRepair(found: found, repaired: 0, remaining: found)
        let tables = found.differences.compactMap(Mending.Target.init).filter(\.isTables)
        if !tables.isEmpty {
            try mend(tables[...])
            result.remaining = try await reader.recount(judge: judge)
        }
        for _ in 0..<Self.rounds {
            let before = result.remaining.repairableCount
            // Several differences may have one cure.
            var targets: Set<Mending.Target> = []
            let pending = result.remaining.differences.compactMap(Mending.Target.init).filter {
                targets.insert($0).inserted
            }
            guard !pending.isEmpty else {
                break
            }
            for start in stride(from: 0, to: pending.count, by: Self.atOnce) {
                try mend(pending[start..<min(start + Self.atOnce, pending.count)])
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
    private func mend(
        _ targets: ArraySlice<Mending.Target>,
        _ removal: DerivedTables.Removal = .dropping
    ) throws {
        var digests: [(digest: UInt64, row: Int64)] = []
        do {
            try database.write { db in
                for target in targets {
                    digests += try Mending(db: db, removal: removal).mend(target)
                }
            } didCommit: {
                didRepair(digests)
            }
        } catch StoreError.failed(_, .damaged) {
            // What meets a damaged page remains, and keeps nothing else from being mended.
            if targets.count > 1 {
                for target in targets {
                    try mend([target])
                }
            } else if targets.first?.isTables == true, removal == .dropping {
                try mend(targets, .forgetting)
            }
        }
    }
}

extension LedgerWriter {
    /// Makes right what follows from the raw bytes, in small transactions between those that record.
    ///
    /// - Parameter judge: Reads and verifies bodies.
    /// - Returns: What was found, mended, and remains.
    /// - Throws: ``StoreError``.
    package func repair(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        try await LedgerRepair(self).run(judge)
    }
}
