package import Attribution
import GRDB

/// Which recorded postbacks to hand out, in the order in which they were recorded.
package struct ExportQuery: Hashable, Sendable {
    /// Those of one traffic alone.
    package var traffic: Traffic
    /// Only those recorded after it; goes on where a page ended.
    package var after: LedgerPosition?
    /// The most postbacks of one page.
    package var limit: Int

    /// As many as a block of columns has: of smaller pages each would read the rest of a block for nothing.
    package static let pageSize = ColumnBlock.rowCount

    /// Makes a query.
    package init(traffic: Traffic, after: LedgerPosition? = nil, limit: Int = pageSize) {
        self.traffic = traffic
        self.after = after
        self.limit = limit
    }
}

/// Recorded postbacks, and where the next page begins.
package struct ExportPage: Sendable {
    /// The postbacks, with the position of each.
    package let postbacks: [(position: LedgerPosition, postback: RecordedPostback)]
    /// Up to where they were looked for.
    package let position: LedgerPosition
    /// Recorded postbacks left out, for their rows cannot be read; `skan recount` names them.
    package let unreadableCount: Int
    /// Whether there were no more.
    package let isLast: Bool

    /// Makes a page.
    package init(
        postbacks: [(position: LedgerPosition, postback: RecordedPostback)],
        position: LedgerPosition,
        unreadableCount: Int,
        isLast: Bool
    ) {
        self.postbacks = postbacks
        self.position = position
        self.unreadableCount = unreadableCount
        self.isLast = isLast
    }
}

extension LedgerReader {
    /// Hands out a page of recorded postbacks.
    ///
    /// Whoever goes on from the position of one page to the next gets every postback once, also those recorded meanwhile.
    ///
    /// - Throws: ``LedgerQuestionError`` for a position that is none of this store's, and ``StoreError``.
    package func export(_ query: ExportQuery) async throws -> ExportPage {
        try await read { db in
            let newest = try LedgerScan.newestRow(db)
            // Checked before anything is handed out.
            let start = try LedgerPosition(of: db, newest: newest, query.after)
            let (postbacks, unreadableCount) = try PostbackQuery(
                traffic: query.traffic, after: query.after == nil ? 0 : start.last, limit: query.limit
            ).recorded(db)
            let positions = postbacks.map { LedgerPosition(store: start.store, last: $0.id, check: $0.check) }
            let isLast = postbacks.count < query.limit
            return ExportPage(
                postbacks: Array(zip(positions, postbacks)),
                position: try isLast ? LedgerPosition(of: db, newest: newest, nil) : positions.last ?? start,
                unreadableCount: unreadableCount, isLast: isLast)
        }
    }
}
