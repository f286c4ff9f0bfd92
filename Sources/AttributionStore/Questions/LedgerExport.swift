public import Attribution
import GRDB

/// Which recorded postbacks to hand out, in the order in which they were recorded.
public struct ExportQuery: Hashable, Sendable {
    /// Those of one traffic alone.
    public var traffic: Traffic
    /// Only those recorded after it; goes on where a page ended.
    public var after: LedgerPosition?
    /// The most postbacks of one page.
    public var limit: Int

    /// Makes a query.
    public init(traffic: Traffic, after: LedgerPosition? = nil, limit: Int = 1_000) {
        self.traffic = traffic
        self.after = after
        self.limit = limit
    }
}

/// Recorded postbacks, and where the next page begins.
public struct ExportPage: Sendable {
    /// The postbacks, with the position of each.
    public let postbacks: [(position: LedgerPosition, postback: RecordedPostback)]
    /// Up to where they were looked for.
    public let position: LedgerPosition
    /// Whether there were no more.
    public let isLast: Bool
}

extension LedgerReader {
    /// Hands out a page of recorded postbacks.
    ///
    /// Whoever goes on from the position of one page to the next gets every postback once, also those recorded meanwhile.
    ///
    /// - Throws: ``LedgerQuestionError`` for a position that is none of this store's, and ``StoreError``.
    public func export(_ query: ExportQuery) async throws -> ExportPage {
        try await read { db in
            let newest = try LedgerScan.newestRow(db)
            let store = try LedgerPosition(of: db, newest: newest, query.after).store
            let first = query.after?.last ?? 0
            let postbacks = try PostbackQuery(traffic: query.traffic, after: first, limit: query.limit).recorded(db)
            let isLast = postbacks.count < query.limit
            return ExportPage(
                postbacks: postbacks.map { (LedgerPosition(store: store, last: $0.id), $0) },
                position: LedgerPosition(store: store, last: isLast ? newest : postbacks.last?.id ?? first),
                isLast: isLast)
        }
    }
}
