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
    /// The most rows of a table that is replaced while it records; see ``CopiedRows/rows``.
    private let mostRows: Int64
    private let didRepair: @Sendable ([(digest: UInt64, row: Int64)]) -> Void

    /// The most rounds of recount and repair; a repair may reveal differences for the next round.
    private static let rounds = 100
    /// The most rows of a table that an owner replaces while it records, or columns of 32 times as many postbacks: a second
    /// or so.
    fileprivate static let mostRowsWhileRecording: Int64 = 100_000

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
        try await StoreError.namingDamageBeyondRecount { try await repairAsOwner(of: path, judge) }
    }

    private static func repairAsOwner(
        of path: String, _ judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]
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
        mostRows: Int64 = .max,
        didRepair: @escaping @Sendable ([(digest: UInt64, row: Int64)]) -> Void
    ) {
        self.database = database
        self.reader = reader
        self.isRecording = isRecording
        self.mostRows = mostRows
        self.didRepair = didRepair
    }

    /// Repairs the store of an owner while it records.
    fileprivate init(_ writer: SQLiteLedgerWriter, mostRows: Int64) throws {
        let memory = writer.memory
        self.init(
            database: writer.database, reader: try SQLiteLedgerReader(writer.path), isRecording: true,
            mostRows: mostRows
        ) {
            memory.didRepair($0)
        }
    }

    fileprivate func run(_ judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        // Few per transaction where recording waits for it.
        let batchSize = isRecording ? 64 : 1_024
        let found = try await reader.recount(judge: judge)
        let leftOut = try await tablesLeftOut(found)
        var result = RecountRepair(found: found, repaired: 0, remaining: found)
        var lost: [RecountDifference] = []
        for step in Step.allCases {
            if step == .others {
                // Counts that are those of the rows again no longer tell what else was recorded.
                lost = result.remaining.differences.filter { difference in
                    switch difference {
                    case .withoutRow, .countedElsewhere: true
                    default: false
                    }
                }
            }
            for _ in 0..<Self.rounds {
                let before = result.remaining.repairableCount
                let pending = step.targets(of: result.remaining, without: leftOut)
                guard !pending.isEmpty else {
                    break
                }
                // Before, because nothing is recorded while a transaction is prepared.
                let bodies =
                    pending.contains(.tables(.bodies))
                    ? try await reader.read { try RecreatableTables.findBodies($0, judge: judge) } : FoundBodies()
                for start in stride(from: 0, to: pending.count, by: batchSize) {
                    try repair(pending[start..<min(start + batchSize, pending.count)], bodies)
                }
                result.remaining = try await reader.recount(judge: judge)
                guard step.isRepeated, result.remaining.repairableCount < before else {
                    break
                }
            }
        }
        for difference in lost where !result.remaining.differences.contains(difference) {
            result.remaining.note(difference)
        }
        result.repaired = max(0, result.found.differenceCount - result.remaining.differenceCount)
        return result
    }

    /// The damaged tables with so many rows that an owner could not record for long while they are copied.
    ///
    /// - Throws: ``AttributionStore/StoreError/longRepair(path:postbacks:)`` if nothing else is to be repaired.
    private func tablesLeftOut(_ found: Recount) async throws -> Set<RecreatableTables> {
        guard isRecording else {
            return []
        }
        let damaged = RecreatableTables.allCases.filter { found.differences.contains(.tables($0)) }
        let copied = try await reader.read { db in try damaged.map { ($0, try CopiedRows($0, db)) } }
        let leftOut = copied.filter { $0.1.rows > mostRows }
        let tables = Set(leftOut.map(\.0))
        if let most = leftOut.map(\.1.postbacks).max(),
            Step.allCases.allSatisfy({ $0.targets(of: found, without: tables).isEmpty })
        {
            throw StoreError.longRepair(path: database.path, postbacks: most)
        }
        return tables
    }
}

extension LedgerRepair {
    /// What is repaired before what.
    ///
    /// What lost rows are rebuilt from is recreated only once they are.
    private enum Step: CaseIterable {
        /// The tables of rows and of bodies; only then is it known which ids are wrong.
        case rows
        /// The ids of rows and of bodies; only then is it known which rows are lost.
        case ids
        case lostRows
        case otherTables
        /// The contents of tables.
        case others

        /// Whether a repair may reveal differences of the same step.
        var isRepeated: Bool {
            switch self {
            case .rows, .otherTables: false
            case .ids, .lostRows, .others: true
            }
        }

        /// What it repairs, each target once, though several differences may have the same.
        ///
        /// - Parameters:
        ///   - recount: What was found.
        ///   - leftOut: Tables that stay damaged; then it is not known which rows are lost.
        /// - Returns: The targets.
        func targets(of recount: Recount, without leftOut: Set<RecreatableTables>) -> [TargetedRepair.Target] {
            var seen: Set<TargetedRepair.Target> = []
            let all = recount.differences.compactMap(TargetedRepair.Target.init).filter { seen.insert($0).inserted }
            guard self != .ids else {
                return all.filter { target in target.tablesOfID.map { !all.contains(.tables($0)) } ?? false }
            }
            guard self != .lostRows else {
                return leftOut.contains(.postbacks)
                    ? [] : recount.lostRows.map { .lostRow($0) } + all.filter(\.isChangedTime)
            }
            let areRowsWhole =
                recount.lostRows.isEmpty && !recount.mustKeepCounts && !all.contains(.tables(.postbacks))
                && !leftOut.contains(.bodies)
            return all.filter { target in
                switch (self, target) {
                case (_, .tables(let tables)) where leftOut.contains(tables): false
                case (_, .tables(let tables)) where tables.areRecorded: self == .rows
                case (.rows, _), (_, .changedID), (_, .copy), (_, .lostRow), (_, .receivedAt): false
                case (.otherTables, .tables(.columns)): areRowsWhole
                case (.otherTables, .tables(.deliveryCounts)):
                    areRowsWhole && (recount.keptQuarters.isEmpty || recount.areCountsReadable)
                case (.others, .deliveries(let quarter, _, _)):
                    areRowsWhole && !recount.keptQuarters.contains(quarter)
                case (_, .tables): self == .otherTables
                default: self == .others
                }
            }
        }
    }

    /// Whether an owner still finds its newest row once these are repaired, by which it knows that the store is its own.
    private func keepsNewestRow(
        _ targets: ArraySlice<TargetedRepair.Target>, _ remains: RecreatableTables.Remains, _ db: Database
    ) throws -> Bool {
        if let rows = remains.rows[.postbacks], try rows.last?.ids.upperBound != LedgerScan.newestStored(db) {
            return false
        }
        let moved: [Int64] = targets.compactMap { target in
            switch target {
            case .changedID(_, let id, .postbacks), .copy(let id, _, .postbacks): id
            default: nil
            }
        }
        return try moved.isEmpty || !moved.contains(Int64.fetchOne(db, sql: "SELECT max(id) FROM postback") ?? 0)
    }

    private func repair(_ targets: ArraySlice<TargetedRepair.Target>, _ bodies: FoundBodies) throws {
        var digests: [(digest: UInt64, row: Int64)] = []
        database.activity.beginRepair()
        defer { database.activity.endRepair() }
        do {
            try database.write { db in
                // SQLite commits nothing of a transaction that read a damaged page.
                let remains = try RecreatableTables.Remains(db, of: targets.compactMap(\.tables), bodies: bodies)
                guard try !isRecording || keepsNewestRow(targets, remains, db) else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                }
                return remains
            } _: { db, remains in
                for target in targets {
                    digests += try TargetedRepair(db: db, remains: remains).repair(target)
                }
            } didCommit: {
                didRepair(digests)
            }
        } catch StoreError.failed(_, let fault) where fault.isOfTarget {
            // Retried one by one: a target on a damaged page must not stop the repair of the others.
            if targets.count > 1 {
                for target in targets {
                    try repair([target], bodies)
                }
            }
        }
    }
}

extension StoreFault {
    /// Whether it concerns what is repaired alone: a damaged page, or a value read from one that no table accepts.
    fileprivate var isOfTarget: Bool {
        switch self {
        case .damaged: true
        case .other(let code): code & 0xFF == ResultCode.SQLITE_CONSTRAINT.rawValue
        default: false
        }
    }
}

extension SQLiteLedgerWriter {
    /// Repairs what can be derived from the raw bytes, in transactions between those that record.
    ///
    /// They are small, except those that replace damaged tables, and large tables are left out.
    ///
    /// - Parameter judge: Parses and verifies bodies.
    /// - Returns: What was found, repaired, and remains.
    /// - Throws: ``AttributionStore/StoreError``.
    package func repair(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> RecountRepair {
        try await repair(mostRows: LedgerRepair.mostRowsWhileRecording, judge: judge)
    }

    /// Repairs what can be derived from the raw bytes.
    ///
    /// - Parameters:
    ///   - mostRows: The most rows of a table that is replaced, where columns of 32 postbacks are one row; one with more
    ///     is left out.
    ///   - judge: Parses and verifies bodies.
    /// - Returns: What was found, repaired, and remains.
    /// - Throws: ``AttributionStore/StoreError``, such as
    ///   ``AttributionStore/StoreError/longRepair(path:postbacks:)`` if nothing else is to be repaired.
    package func repair(
        mostRows: Int64,
        judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]
    ) async throws -> RecountRepair {
        let result = try await LedgerRepair(self, mostRows: mostRows).run(judge)
        // Finds the tables that were made again.
        database.heartbeat()
        return result
    }
}
