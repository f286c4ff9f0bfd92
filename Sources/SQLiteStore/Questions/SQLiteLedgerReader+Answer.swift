import Attribution
package import AttributionStore
import GRDB
import Synchronization

extension SQLiteLedgerReader {
    /// Answers a question in one snapshot, with one pass over the columns.
    ///
    /// Cancelling the task stops the pass.
    ///
    /// - Parameter question: What to count.
    /// - Returns: Rows, totals and deliveries.
    /// - Throws: ``AttributionStore/LedgerQuestionError``, ``AttributionStore/StoreError``, and `CancellationError`.
    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        let isCancelled = CancelFlag()
        return try await withTaskCancellationHandler {
            try await read(inBackground: question.limits.isBackground) { db in
                guard try DerivedTables.columns.exist(db) else {
                    throw StoreError.failed(path: self.path, .damaged)
                }
                return try LedgerCount(db, question, blocksAlone: self.blocksAlone) {
                    if isCancelled.isSet {
                        throw CancellationError()
                    }
                }.answer()
            }
        } onCancel: {
            isCancelled.set()
        }
    }
}

/// Whether the task was cancelled, for its work on another thread.
private final class CancelFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool {
        flag.load(ordering: .relaxed)
    }

    func set() {
        flag.store(true, ordering: .relaxed)
    }
}

/// Computes one answer.
private struct LedgerCount {
    private let db: Database
    private let question: LedgerQuestion
    private let blocksAlone: Int64
    private let checkCancellation: () throws -> Void
    private let start = ContinuousClock.now

    init(
        _ db: Database,
        _ question: LedgerQuestion,
        blocksAlone: Int64,
        _ checkCancellation: @escaping () throws -> Void
    ) {
        self.db = db
        self.blocksAlone = blocksAlone
        self.question = question
        self.checkCancellation = checkCancellation
    }

    func answer() throws -> LedgerAnswer {
        let newest = try LedgerScan.newestRow(db)
        let position = try LedgerPosition(of: db, newest: newest, question.asOf)
        let columns = LedgerColumn.needed(for: question)
        var codes = try ColumnCodes(db, columns.filter { $0.isCoded })
        // Postbacks that are in no block yet are counted first, because they may add codes.
        let tail = ColumnBlock.ids(ColumnBlock.number(of: newest + 1)).lowerBound
        var values: ColumnValues?
        if tail <= position.last {
            values = try ColumnDerivation(db: db, columns: columns).values(tail...position.last, &codes)
        }
        let dueCount = try ColumnBlock.dueCount(db, newest: newest)
        while true {
            do {
                let layout = ScanLayout(question, codes)
                return layout.bits <= UInt64.bitWidth
                    ? try answer(layout, codes, values, position, dueCount, as: UInt64.self)
                    : try answer(layout, codes, values, position, dueCount, as: UInt128.self)
            } catch let outgrown as OutgrownLayout {
                codes = outgrown.codes
            }
        }
    }

    private func answer<Key: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ layout: ScanLayout,
        _ codes: ColumnCodes,
        _ tail: ColumnValues?,
        _ position: LedgerPosition,
        _ dueCount: Int64,
        as: Key.Type
    ) throws -> LedgerAnswer {
        guard layout.bits <= Key.bitWidth else {
            throw LedgerQuestionError.tooManyCombinations
        }
        var scan = ColumnScan<Key>(question, layout, codes)
        defer { scan.deallocate() }
        if let tail {
            try scan.count(tail, tail.count, codes)
        }
        let reader = try ColumnBlockReader(db)
        let helper = ScanHelper<Key>(question, layout, scan.codes)
        defer { helper.stop() }
        let last = position.last - Int64(tail?.count ?? 0)
        var unreadableCount = tail?.unreadableCount ?? 0
        var unreadable: [Int64] = []
        func postbacks(_ number: Int64) -> ClosedRange<Int64> {
            ColumnBlock.ids(number).clamped(to: 1...max(1, last))
        }
        for number in 0..<ColumnBlock.number(of: last + Int64(ColumnBlock.rowCount)) {
            try checkCost()
            switch try scan.load(number, postbacks(number).count, reader) {
            case .loaded(let block):
                if number >= blocksAlone, try helper.take(block) {
                    break
                }
                if try !scan.count(block) {
                    unreadable.append(number)
                }
            case .excluded:
                unreadableCount += try reader.missingCount(number, postbacks(number).count)
            case .unreadable:
                unreadable.append(number)
            }
        }
        if let part = try helper.finish() {
            try scan.add(part.cells)
            unreadable += part.damaged
        }
        unreadableCount += scan.missingCount
        for number in unreadable.sorted() {
            try checkCost()
            var grown = scan.codes
            let values = try ColumnDerivation(db: db, columns: LedgerColumn.needed(for: question))
                .values(postbacks(number), &grown)
            try scan.count(values, postbacks(number).count, grown)
            unreadableCount += values.unreadableCount
        }
        let damaged = unreadable.filter { $0 < dueCount }.sorted().map(postbacks)
        let rows = try AnswerRows(scan, question, layout)
        return LedgerAnswer(
            rows: rows.rows, totals: rows.totals, deliveries: try DeliveryCounts(db, received: question.received),
            position: position,
            recordedAtMilliseconds: try Int64.fetchOne(
                db, sql: "SELECT recorded_at FROM postback WHERE id = ?", arguments: [position.last]),
            unseen: scan.unseen, damaged: damaged, unreadableCount: unreadableCount)
    }

    private func checkCost() throws {
        try checkCancellation()
        if let deadline = question.limits.deadline, ContinuousClock.now - start > deadline {
            throw LedgerQuestionError.deadlinePassed(deadline)
        }
    }
}

extension LedgerPosition {
    /// Validates a position of this store, or returns that of the newest postback if there is none.
    init(of db: Database, newest: Int64, _ wanted: LedgerPosition?) throws {
        let store = try String.fetchOne(db, sql: "SELECT store FROM owner") ?? ""
        guard let wanted else {
            self.init(store: store, last: newest, check: try Self.check(db, newest))
            return
        }
        guard wanted.store == store else {
            throw LedgerQuestionError.foreignPosition(wanted)
        }
        guard wanted.last <= newest else {
            throw LedgerQuestionError.futurePosition(wanted)
        }
        if let check = wanted.check, let present = try Self.check(db, wanted.last), present != check {
            throw LedgerQuestionError.replacedPosition(wanted)
        }
        self = wanted
    }

    /// The ``check`` of a postback's position.
    static func check(_ db: Database, _ id: Int64) throws -> UInt16? {
        let row = try Database.nilIfDamaged {
            try Row.fetchOne(db.cachedStatement(sql: "SELECT key_digest FROM postback WHERE id = ?"), arguments: [id])
        }
        return try row.flatMap(\.self)?.digest(at: 0)?.positionCheck
    }
}
