import AttributionStore

/// A target that lets something else happen before a step, after the source was read for it.
struct InterruptedTarget: LedgerCopyTarget {
    struct Interruption: Error {}

    /// What is about to be copied.
    enum Step: CaseIterable, Sendable {
        case postbacks, deliveries, quarantine
    }

    private let target: any LedgerCopyTarget
    private let interrupt: @Sendable (Step) throws -> Void

    init(_ target: any LedgerCopyTarget, interrupt: @escaping @Sendable (Step) throws -> Void) {
        self.target = target
        self.interrupt = interrupt
    }

    func copy(_ page: CopiedPage, after progress: LedgerCopyProgress) throws -> (LedgerCopyProgress, [CopiedRun]) {
        try interrupt(.postbacks)
        return try target.copy(page, after: progress)
    }

    func beginCopy(of store: String) throws -> LedgerCopyProgress {
        try target.beginCopy(of: store)
    }

    func copyQuarantine(_ page: CopiedQuarantine) throws -> Int64 {
        try interrupt(.quarantine)
        return try target.copyQuarantine(page)
    }

    func copyRecipients(_ copies: [RecipientCopy]) throws {
        try target.copyRecipients(copies)
    }

    func movedDeliveries(of store: String) throws -> [Int64] {
        try target.movedDeliveries(of: store)
    }

    func copyDeliveries(_ snapshot: DeliverySnapshot, of store: String) throws {
        try interrupt(.deliveries)
        try target.copyDeliveries(snapshot, of: store)
    }

    func copyKnownIDs(_ ids: [KnownID]) throws {
        try target.copyKnownIDs(ids)
    }

    func copyImportedFiles(_ files: [ImportedFile]) throws {
        try target.copyImportedFiles(files)
    }

    func copyCosts(_ table: AdCostTable) throws {
        try target.copyCosts(table)
    }

    func copyNetworks(_ networks: [String]) throws {
        try target.copyNetworks(networks)
    }

    func hasDroppedBodies(recordedAt recordedAtMilliseconds: Int64) throws -> Bool {
        try target.hasDroppedBodies(recordedAt: recordedAtMilliseconds)
    }

    func makeReader() throws -> any LedgerReading {
        try target.makeReader()
    }
}
