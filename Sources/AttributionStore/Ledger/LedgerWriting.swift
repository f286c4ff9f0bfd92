package import Attribution

/// Records into a store of postbacks, and judges its quarantine again.
///
/// What a method returns is durable. ``SQLiteLedgerWriter`` is the one owner of a file of SQLite; of the nodes on a
/// database of PostgreSQL each has a `PostgreSQLLedgerWriter`.
package protocol LedgerWriting: AdCostWriting {
    /// Where the store is, without secrets: a path, or an address.
    var name: String { get }

    /// Whether the last commit succeeded; a server that is not ready should get no traffic.
    var health: StoreHealth { get }

    /// When this writer or an earlier one last recorded a postback, in Unix milliseconds; nil when that is not known.
    var lastRecordedAtMilliseconds: Int64? { get }

    /// Looks after the store; to be called each second.
    func heartbeat()

    /// Records a batch in one transaction, on the calling thread.
    ///
    /// - Returns: What became of each, in the same order, after the commit; nil for one that can be neither recorded
    ///   nor kept, whose sender must come back.
    /// - Throws: ``StoreError``, when nothing of the batch may be acknowledged.
    func record(_ deliveries: [Delivery]) throws -> [Recording?]

    /// Keeps keys that were added to Apple's, each once; of one that is there, the dates and the name are replaced.
    ///
    /// - Throws: ``StoreError``.
    func keep(_ keys: [AppleKeyRecord]) throws

    /// Judges deliveries of the quarantine again, as if they came now, and counts what is genuine by when it came.
    func requeue(_ query: QuarantineQuery, judge: ([ReceivedBody]) -> [Judgement]) throws -> Requeued

    /// Deletes deliveries from the quarantine for good; their counts stay.
    func prune(_ query: QuarantineQuery) throws -> Int64

    /// Reads everything again from the raw bytes and mends what follows from them.
    func repair(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> RecountRepair

    /// A reader of the same store, which the caller closes.
    func makeReader() throws -> any LedgerReading

    /// Waits a moment at most from now on for what others hold, locks and standbys.
    func prepareToClose()

    /// Closes the store; every method fails afterwards.
    @discardableResult
    func close() throws -> StoreEnding
}

/// The settings of a store's owner.
package struct LedgerSettings: Sendable {
    /// The networks whose postbacks are ours; nil for those that the last owner named.
    package var networks: OwnNetworks?
    /// How much the quarantine keeps.
    package var budgets: QuarantineBudgets
    /// Whether a store that does not exist is made.
    package var makesStore: Bool

    package init(
        networks: OwnNetworks? = nil, budgets: QuarantineBudgets = QuarantineBudgets(), makesStore: Bool = true
    ) {
        self.networks = networks
        self.budgets = budgets
        self.makesStore = makesStore
    }
}
