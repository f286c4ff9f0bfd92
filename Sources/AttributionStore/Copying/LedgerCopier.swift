import Attribution

/// Copies a store into another one, while the source may go on receiving.
///
/// Everything that was copied is kept with how far the copy came, in one transaction: whoever is stopped goes on, and
/// whoever copies again takes over what has come since. When the source has stopped receiving, one more run makes both the
/// same.
package struct LedgerCopier {
    private let source: any LedgerCopySource
    private let target: any LedgerCopyTarget
    private let targetName: String
    private let onProgress: (Int64) -> Void

    /// What a run did.
    package struct Summary: Hashable, Sendable {
        /// The postbacks that this run copied.
        package var postbacks: Int64 = 0
        /// The postbacks that were copied by this run and by earlier ones.
        package var all: Int64 = 0
        /// The postbacks that no run copied or will copy: they cannot be read, or their bytes are gone or another's.
        package var lost: Int64 = 0
        /// The ids in the source of those that this run left out, the first ones that can be told.
        package var leftOut: [Int64] = []
        /// How many of those that this run left out have an id that can be told.
        package var leftOutCount: Int64 = 0
        /// The most ids that are named.
        package static let mostNamed = 8
        /// The copied postbacks whose bytes were dropped in the target since, with those of a whole month.
        package var dropped: Int64 = 0
        /// The deliveries in quarantine that this run copied.
        package var quarantined: Int64 = 0
        /// The ids of deliveries in the source's quarantine that cannot be copied, because they or the postbacks they
        /// contradict cannot be read; copies made before stay.
        package var leftInQuarantine: [Int64] = []
        /// Whether the source's counts of deliveries are damaged, and copied as far as they can be read.
        package var areCountsIncomplete = false
        /// Whether some copies for other recipients cannot be read in the source, and were left out.
        package var areCopiesIncomplete = false
        /// The last postback that was copied.
        package var position: LedgerPosition?
    }

    /// Deliveries of the quarantine in one transaction.
    private static let quarantinePage = 256

    /// Names both stores.
    ///
    /// - Parameters:
    ///   - source: The store that is read.
    ///   - target: The store that is written.
    ///   - targetName: Its name in errors.
    ///   - onProgress: Told how many postbacks were copied or verified.
    package init(
        from source: any LedgerCopySource,
        to target: any LedgerCopyTarget,
        named targetName: String,
        onProgress: @escaping (Int64) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.targetName = targetName
        self.onProgress = onProgress
    }

    /// Copies what is not copied yet, and reads everything that was copied again.
    ///
    /// - Returns: What was done.
    /// - Throws: ``LedgerCopyError``, ``LedgerQuestionError`` when the source was replaced by an older copy of it, and
    ///   ``StoreError``. What was copied until then stays copied.
    package func run() async throws -> Summary {
        let store = try await source.export(ExportQuery(traffic: nil, limit: 1)).position.store
        var progress = try target.beginCopy(of: store)
        var runs = CopiedRuns(progress.runs)
        progress.runs = []
        var summary = Summary()
        let before = progress.copied
        // First, for servers may record into the target as soon as there is something in it.
        let hasKnownIDs = try await copyKnownIDs()
        try target.copyNetworks(try await source.ownNetworks())
        // What is imported meanwhile may not be copied yet.
        let files = try await source.importedFiles()
        try await copyPostbacks(&progress, &runs, &summary, hasKnownIDs: hasKnownIDs)
        try target.copyImportedFiles(files)
        summary.postbacks = progress.copied - before
        summary.all = progress.copied
        summary.lost = progress.lost
        summary.position = progress.position
        // Before the quarantine: what the source makes of a delivery in between is left to the next run.
        let deliveries = try await source.deliverySnapshot(of: try target.movedDeliveries(of: store))
        summary.areCountsIncomplete = deliveries.table.isIncomplete
        try target.copyDeliveries(deliveries, of: store)
        try await copyQuarantine(of: store, through: deliveries.newest, runs, &summary)
        summary.areCopiesIncomplete = try await copyRecipients(runs)
        for ads in AdTraffic.allCases {
            try target.copyCosts(try await source.costTable(of: ads))
        }
        summary.dropped = try await verify(progress, runs)
        return summary
    }

    /// Copies postbacks behind those that were.
    private func copyPostbacks(
        _ progress: inout LedgerCopyProgress, _ runs: inout CopiedRuns, _ summary: inout Summary, hasKnownIDs: Bool
    ) async throws {
        defer { runs.sort() }
        while true {
            let page = try await source.export(ExportQuery(traffic: nil, after: progress.position))
            if page.position != progress.position {
                var copied = CopiedPage(page)
                if hasKnownIDs {
                    copied.knownIDs = try await source.knownIDs(among: copied.postbacks.map { KnownID($0.key) })
                }
                let (next, added) = try target.copy(copied, after: progress)
                progress = next
                runs.add(added)
                summary.leftOut += copied.leftOut.prefix(Summary.mostNamed - summary.leftOut.count)
                summary.leftOutCount += Int64(copied.leftOut.count)
                onProgress(progress.copied)
            }
            if page.isLast {
                return
            }
            try Task.checkCancellation()
        }
    }

    /// Copies the quarantine without what is not in the counts yet: this store would count it as less than nothing if it
    /// judged it again.
    private func copyQuarantine(
        of store: String, through newest: Int64, _ runs: CopiedRuns, _ summary: inout Summary
    ) async throws {
        var last: Int64 = 0
        while true {
            let page = try await source.quarantinePage(after: last, limit: Self.quarantinePage).through(newest)
            let part = CopiedQuarantine(page, of: store, runs.target(of:))
            summary.quarantined += try target.copyQuarantine(part)
            summary.leftInQuarantine += try await unreadable(part, page)
            guard !page.isLast else {
                return
            }
            last = page.ids.upperBound
        }
    }

    /// Which deliveries of a page no copy can take, in the order of their ids.
    ///
    /// The quarantine is read after the postbacks: one that contradicts a postback that came meanwhile is left to the next
    /// copy, which has that postback.
    private func unreadable(_ part: CopiedQuarantine, _ page: QuarantinePage) async throws -> [Int64] {
        var left = part.left
        for delivery in page.deliveries where left.contains(delivery.id) {
            guard let id = delivery.postbackID, (try? ReceivedPostback(reading: delivery.body)) != nil else {
                continue
            }
            let postback = try await source.postbacks(PostbackQuery(after: id - 1, limit: 1)).first
            if let postback, postback.id == id, CopiedPostback(postback) != nil {
                left.remove(delivery.id)
            }
        }
        return left.sorted()
    }

    /// Copies what other recipients than the recorded one received.
    ///
    /// - Returns: Whether some of it cannot be read.
    private func copyRecipients(_ runs: CopiedRuns) async throws -> Bool {
        var last: RecipientCopy?
        var isIncomplete = false
        while true {
            let page = try await source.recipientCopies(after: last, limit: ExportQuery.pageSize)
            isIncomplete = isIncomplete || page.isIncomplete
            try target.copyRecipients(
                page.copies.compactMap { copy in
                    runs.target(of: copy.id).map {
                        RecipientCopy(
                            id: $0, recipient: copy.recipient, receivedAtMilliseconds: copy.receivedAtMilliseconds)
                    }
                })
            guard let next = page.next else {
                return isIncomplete
            }
            last = next
        }
    }

    /// Copies the ids known by themselves.
    ///
    /// - Returns: Whether there are some.
    private func copyKnownIDs() async throws -> Bool {
        var last: KnownID?
        while true {
            let found = try await source.knownIDs(after: last, limit: ExportQuery.pageSize)
            guard let end = found.last else {
                return last != nil
            }
            try target.copyKnownIDs(found)
            last = end
        }
    }

    /// Reads what was copied in the target again, and compares the sums.
    ///
    /// - Returns: How many postbacks have no bytes there any more.
    private func verify(_ progress: LedgerCopyProgress, _ runs: CopiedRuns) async throws -> Int64 {
        let reader = try target.makeReader()
        defer { reader.close() }
        var check = CopyCheck(runs.runs)
        var query = PostbackQuery(limit: ExportQuery.pageSize)
        while let next = check.next {
            // Most often one run follows the other.
            query.after = max(query.after, next - 1)
            let page = try await reader.postbacks(query)
            for postback in page {
                try check.take(postback) { try target.hasDroppedBodies(recordedAt: postback.recordedAtMilliseconds) }
            }
            query.after = page.last?.id ?? .max
            check.endRuns(before: page.last.map { $0.id + 1 } ?? .max)
            onProgress(check.allRead)
        }
        guard !check.isDifferent, check.allRead + check.allDropped == progress.copied else {
            throw LedgerCopyError.different(
                path: targetName, expected: progress.copied, found: check.allRead + check.allDropped)
        }
        return check.allDropped
    }
}
