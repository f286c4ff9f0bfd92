import AttributionStore

/// A target whose first postbacks never arrive.
struct InterruptedTarget: LedgerCopyTarget {
    struct Interruption: Error {}

    private let target: any LedgerCopyTarget

    init(_ target: any LedgerCopyTarget) {
        self.target = target
    }

    func copy(_ page: CopiedPage, after progress: LedgerCopyProgress) throws -> (LedgerCopyProgress, [CopiedRun]) {
        throw Interruption()
    }

    func beginCopy(of store: String) throws -> LedgerCopyProgress {
        try target.beginCopy(of: store)
    }

    func copyQuarantine(_ page: CopiedQuarantine) throws -> Int64 {
        try target.copyQuarantine(page)
    }

    func copyRecipients(_ copies: [RecipientCopy]) throws {
        try target.copyRecipients(copies)
    }

    func copyDeliveries(_ table: DeliveryTable, of store: String) throws {
        try target.copyDeliveries(table, of: store)
    }

    func copyKnownIDs(_ ids: [KnownID]) throws {
        try target.copyKnownIDs(ids)
    }

    func copyImportedFiles(_ files: [ImportedFile]) throws {
        try target.copyImportedFiles(files)
    }

    func copyCosts(_ table: AdCostTable, of store: String) throws -> Set<AdCostTable.Row> {
        try target.copyCosts(table, of: store)
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
