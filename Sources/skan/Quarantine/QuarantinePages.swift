import AttributionStore

/// The quarantine, read a page at a time to bound memory.
struct QuarantinePages {
    private let reader: any LedgerReading
    private let query: QuarantineQuery

    /// Bodies of up to 16 KiB: some megabytes.
    private static let size = 256

    /// Makes the pages of a query, whose limit is that of all pages together.
    init(_ reader: any LedgerReading, _ query: QuarantineQuery) {
        self.reader = reader
        self.query = query
    }

    /// Calls a closure with each page, in the order of the ids.
    func forEach(_ use: ([QuarantinedDelivery]) throws -> Void) async throws {
        var page = query
        var pending = query.limit
        while pending > 0 {
            page.limit = min(pending, Self.size)
            let deliveries = try await reader.quarantine(page)
            guard let last = deliveries.last else {
                return
            }
            try use(deliveries)
            page.after = last.id
            pending -= deliveries.count
        }
    }
}
