/// Part of a quarantine, as far as the store that keeps it can read it.
package struct QuarantinePage: Sendable {
    /// The ids that the page spans: a delivery with such an id that is neither readable nor unreadable is gone.
    package let ids: ClosedRange<Int64>
    /// The deliveries that can be read, in the order of their ids.
    package let deliveries: [QuarantinedDelivery]
    /// The ids of those that are there and cannot be read.
    package let unreadable: [Int64]
    /// Whether no page follows.
    package let isLast: Bool

    /// Makes a page.
    ///
    /// - Parameters:
    ///   - last: The id after which it begins.
    ///   - limit: The most deliveries of a page: one with fewer is the last one.
    ///   - deliveries: Those that can be read.
    ///   - unreadable: The ids of those that cannot.
    package init(after last: Int64, limit: Int, deliveries: [QuarantinedDelivery], unreadable: [Int64] = []) {
        self.deliveries = deliveries
        self.unreadable = unreadable
        isLast = deliveries.count + unreadable.count < limit
        let end = max(deliveries.last?.id ?? last, unreadable.max() ?? last)
        ids = (last + 1)...(isLast ? .max : max(end, last + 1))
    }

    /// The page without deliveries that came after a snapshot, and the last one if there are any.
    ///
    /// - Parameter newest: The highest id of the snapshot.
    /// - Returns: The page.
    package func through(_ newest: Int64) -> QuarantinePage {
        guard let last = deliveries.last?.id ?? unreadable.last, max(last, unreadable.last ?? last) > newest else {
            return self
        }
        return QuarantinePage(
            after: ids.lowerBound - 1, limit: .max, deliveries: deliveries.filter { $0.id <= newest },
            unreadable: unreadable.filter { $0 <= newest })
    }
}
