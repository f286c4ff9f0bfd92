package import Attribution
import GRDB

/// A query for recorded postbacks in the order in which they were recorded.
package struct ExportQuery: Hashable, Sendable {
    /// Only postbacks of this traffic; nil for all.
    package var traffic: Traffic?
    /// Only postbacks recorded after this position, to continue after the last page; nil for all.
    package var after: LedgerPosition?
    /// The most postbacks of one page.
    package var limit: Int

    /// The size of a block of columns; smaller pages would read each block several times.
    package static let pageSize = ColumnBlock.rowCount

    /// Creates a query.
    package init(traffic: Traffic?, after: LedgerPosition? = nil, limit: Int = pageSize) {
        self.traffic = traffic
        self.after = after
        self.limit = limit
    }
}

/// A page of recorded postbacks.
package struct ExportPage: Sendable {
    /// The postbacks and their positions.
    package let postbacks: [(position: LedgerPosition, postback: RecordedPostback)]
    /// The position after which the next page begins.
    package let position: LedgerPosition
    /// How many recorded postbacks were left out because their rows cannot be read; `skan recount` names them.
    package let unreadableCount: Int
    /// Whether this is the last page.
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
    /// Returns a page of recorded postbacks.
    ///
    /// Continuing from page to page returns every postback once, including those recorded in the meantime.
    ///
    /// - Throws: ``LedgerQuestionError`` for a position of another store, and ``StoreError``.
    package func export(_ query: ExportQuery) async throws -> ExportPage {
        try await read { db in
            let newest = try LedgerScan.newestRow(db)
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
