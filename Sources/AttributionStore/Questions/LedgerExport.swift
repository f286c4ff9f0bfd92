package import Attribution

/// A query for recorded postbacks in the order in which they were recorded.
package struct ExportQuery: Hashable, Sendable {
    /// Only postbacks of this traffic; nil for all.
    package var traffic: Traffic?
    /// Only postbacks recorded after this position, to continue after the last page; nil for all.
    package var after: LedgerPosition?
    /// The most postbacks of one page.
    package var limit: Int

    /// The size of a block of columns in SQLite; smaller pages would read each block several times.
    package static let pageSize = 4_096

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
