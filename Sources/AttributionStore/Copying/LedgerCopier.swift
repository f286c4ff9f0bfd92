package import Attribution
import Synchronization

/// Copies a store into another one, while the source may go on receiving.
///
/// Recording is idempotent, and how far the copy came is kept with what was copied: a copy that was stopped resumes, and a
/// repeated one takes over what has come since. Sums follow with the last run, when the source has stopped.
package struct LedgerCopier {
    private let source: any LedgerCopySource
    private let target: any LedgerCopyTarget
    private let judge: ([ReceivedBody]) async throws -> [Judgement]
    private let onProgress: (Int64) -> Void

    /// What a run did.
    package struct Summary: Hashable, Sendable {
        /// The postbacks that were copied.
        package var postbacks: Int64 = 0
        /// The deliveries in quarantine that were copied.
        package var quarantined: Int64 = 0
        /// The postbacks that cannot be read, have no bytes or other ones, or do not verify under the key they name.
        package var leftOut: Int64 = 0
        /// The ids in the source of the first of them that can be told.
        package var leftOutIDs: [Int64] = []
        /// The last postback that was copied.
        package var position: LedgerPosition?
        /// Whether an earlier run copied the sums.
        package var hadEnded = false
    }

    /// The most ids of ``Summary/leftOutIDs``.
    private static let mostNamed = 8
    /// Postbacks of one transaction.
    private static let pageSize = 4_096

    package init(
        from source: any LedgerCopySource,
        to target: any LedgerCopyTarget,
        judge: @escaping ([ReceivedBody]) async throws -> [Judgement],
        onProgress: @escaping (Int64) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.judge = judge
        self.onProgress = onProgress
    }

    /// Copies what is not copied yet.
    ///
    /// - Throws: ``LedgerCopyError``, ``LedgerQuestionError`` when the source was replaced by an older copy of it, and
    ///   ``StoreError``. What was copied until then stays copied.
    package func run(isStopped: Bool) async throws -> Summary {
        let store = try await source.export(ExportQuery(traffic: nil, limit: 1)).position.store
        var progress = try target.beginCopy(of: store)
        var summary = Summary(hadEnded: progress.hasEnded)
        for table in CopiedTable.first {
            try await add(table)
        }
        let isSettled = try await copyPostbacks(&progress, &summary)
        if isStopped {
            try await add(.otherRecipients)
        }
        if isStopped, !progress.hasEnded {
            guard isSettled else {
                throw LedgerCopyError.notSettled
            }
            var tables: [CopiedPage] = []
            for table in CopiedTable.sums {
                tables.append(try await source.rows(of: table))
            }
            progress.hasEnded = true
            try target.end(progress, replacing: tables)
            summary.quarantined = Int64(tables.first { $0.table.name == "quarantine" }?.rows.count ?? 0)
        }
        summary.position = progress.position
        return summary
    }

    /// - Returns: Whether every committed postback was copied.
    private func copyPostbacks(_ progress: inout CopyProgress, _ summary: inout Summary) async throws -> Bool {
        while true {
            let query = ExportQuery(traffic: nil, after: progress.position, limit: Self.pageSize)
            let page = try await source.export(query)
            let recorded = page.postbacks.map(\.postback)
            var copied: [CopiedPostback] = []
            for (postback, judgement) in zip(recorded, try await judge(recorded.map(\.receivedBody))) {
                if let postback = CopiedPostback(postback, judgement) {
                    copied.append(postback)
                } else if summary.leftOutIDs.count < Self.mostNamed {
                    summary.leftOutIDs.append(postback.id)
                }
            }
            summary.leftOut += Int64(recorded.count - copied.count)
            if page.position != progress.position {
                progress.position = page.position
                summary.postbacks += try target.record(copied, progress)
                onProgress(summary.postbacks)
            }
            try Task.checkCancellation()
            if page.isLast {
                return page.isSettled
            }
        }
    }

    private func add(_ table: CopiedTable) async throws {
        let target = target
        try await source.readRows(of: table) { page, _ in try target.add(page) }
    }
}

extension LedgerCopySource {
    /// All rows of a table.
    func rows(of table: CopiedTable) async throws -> CopiedPage {
        let collected = Collected()
        try await readRows(of: table) { page, isFirst in
            collected.rows.withLock { rows in
                if isFirst {
                    rows.removeAll()
                }
                rows += page.rows
            }
        }
        return CopiedPage(table, collected.rows.withLock(\.self))
    }
}

private final class Collected: Sendable {
    let rows = Mutex<[[CopiedValue]]>([])
}
