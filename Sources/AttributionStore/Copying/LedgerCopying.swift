/// A store that is copied, and may go on receiving until its sums are copied.
///
/// Recorded postbacks are read with ``LedgerReading/export(_:)``, which hands out each of them once.
package protocol LedgerCopySource: LedgerReading {
    /// Hands out a table page by page, from one snapshot.
    func readRows(of table: CopiedTable, _ use: @escaping @Sendable (CopiedPage, _ isFirst: Bool) throws -> Void)
        async throws
}

/// A store that another one is copied into, and that records nothing else until then; each method is one transaction.
package protocol LedgerCopyTarget: Sendable {
    /// Begins a copy, or resumes the one there was.
    ///
    /// - Throws: ``LedgerCopyError`` when the target is the source or has something of another origin, and ``StoreError``.
    func beginCopy(of store: String) throws -> CopyProgress

    /// Records the postbacks that are not there, and notes how far the copy came.
    func record(_ postbacks: [CopiedPostback], _ progress: CopyProgress) throws -> Int64

    /// Adds the rows that are not there.
    func add(_ rows: CopiedPage) throws

    /// Replaces tables, and notes that the copy has ended.
    ///
    /// - Throws: ``LedgerCopyError`` when the target has recorded something itself, and ``StoreError``.
    func end(_ progress: CopyProgress, replacing tables: [CopiedPage]) throws
}

/// How far a store was copied into another one.
package struct CopyProgress: Hashable, Sendable {
    /// The name of the source in its positions.
    package let store: String
    /// The last postback that was copied; nil for none.
    package var position: LedgerPosition?
    /// Whether the sums were copied: then postbacks count as deliveries of the target.
    package var hasEnded: Bool

    /// Nothing was copied yet, or what a target noted.
    package init(of store: String, position: LedgerPosition? = nil, hasEnded: Bool = false) {
        self.store = store
        self.position = position
        self.hasEnded = hasEnded
    }
}

/// What decides whether a store can be copied into another one.
package struct CopyTargetState: Sendable {
    /// The target's name in positions.
    package let store: String
    /// Whether it has postbacks, and counts of deliveries.
    package let hasPostbacks, hasDeliveries: Bool
    /// What it notes of an earlier copy; nil before the first.
    package let progress: CopyProgress?

    /// Takes what was read of the target.
    package init(store: String, hasPostbacks: Bool, hasDeliveries: Bool, progress: CopyProgress?) {
        self.store = store
        self.hasPostbacks = hasPostbacks
        self.hasDeliveries = hasDeliveries
        self.progress = progress
    }

    /// How far a source was copied before.
    ///
    /// - Throws: ``LedgerCopyError`` when the target is the source, or has something of another origin.
    package func progress(of source: String, into path: String) throws(LedgerCopyError) -> CopyProgress {
        guard store != source else {
            throw .same(path: path)
        }
        guard let progress, progress.store == source else {
            guard !hasPostbacks, !hasDeliveries else {
                throw .notEmpty(path: path)
            }
            return CopyProgress(of: source)
        }
        // A copy counts no deliveries before its end.
        guard progress.hasEnded || !hasDeliveries else {
            throw .recordedItself(path: path)
        }
        return progress
    }
}
