package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Returns a page of recorded postbacks.
    ///
    /// Continuing from page to page returns every postback once, including those recorded in the meantime.
    ///
    /// - Throws: ``AttributionStore/LedgerQuestionError`` for a position of another store, and
    ///   ``AttributionStore/StoreError``.
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
