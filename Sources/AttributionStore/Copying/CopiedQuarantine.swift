import Attribution

/// A part of a quarantine on its way from one store to another.
package struct CopiedQuarantine: Sendable {
    /// The name of the source in its positions.
    package let store: String
    /// The ids of the source that the part spans: deliveries with such an id that are neither in ``deliveries`` nor in
    /// ``left`` are gone.
    package let ids: ClosedRange<Int64>
    /// What is copied.
    package let deliveries: [CopiedDelivery]
    /// What is in the source and cannot be copied now, because it cannot be read or its postback is not copied.
    ///
    /// What an earlier copy made of it stays.
    package let left: Set<Int64>

    /// Makes a part.
    ///
    /// - Parameters:
    ///   - page: What the source has.
    ///   - store: The name of the source in its positions.
    ///   - target: The id in the target of a postback of the source.
    package init(_ page: QuarantinePage, of store: String, _ target: (Int64) -> Int64?) {
        self.store = store
        ids = page.ids
        var (deliveries, left): ([CopiedDelivery], Set<Int64>) = ([], Set(page.unreadable))
        for origin in page.deliveries {
            if let delivery = CopiedDelivery(origin, target) {
                deliveries.append(delivery)
            } else {
                left.insert(origin.id)
            }
        }
        self.deliveries = deliveries
        self.left = left
    }

    /// Which of the deliveries copied before are gone from the source.
    ///
    /// - Parameter copied: Ids of the source within ``ids``, and those of the target.
    /// - Returns: The ids that are gone.
    package func gone(from copied: [Int64: Int64]) -> [Int64: Int64] {
        let there = left.union(deliveries.map(\.origin.id))
        return copied.filter { !there.contains($0.key) }
    }
}

/// A delivery in the quarantine of another store.
package struct CopiedDelivery: Sendable {
    /// What the other store has of it.
    package let origin: QuarantinedDelivery
    /// The id in this store of the postback it contradicts, and what it says instead; nil unless it is a conflict.
    package let conflict: (postback: Int64, content: Digest16)?

    /// Reads a delivery; nil for one that contradicts a postback which was not copied.
    ///
    /// - Parameters:
    ///   - origin: What the other store has of it.
    ///   - target: The id in this store of a postback of the other one.
    package init?(_ origin: QuarantinedDelivery, _ target: (Int64) -> Int64?) {
        self.origin = origin
        guard origin.kind == .conflict else {
            conflict = nil
            return
        }
        // What it says does not depend on whose key verified it.
        guard let postback = origin.postbackID.flatMap(target),
            let received = try? ReceivedPostback(reading: origin.body)
        else {
            return nil
        }
        conflict = (postback, PostbackDigests(received, provenance: .apple).content)
    }

    /// The reason as a message.
    package var detail: String {
        conflict.map { "differs from postback \($0.postback) in unsigned fields" } ?? origin.detail
    }
}
