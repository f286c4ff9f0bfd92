import Attribution

/// A part of a quarantine on its way from one store to another.
package struct CopiedQuarantine: Sendable {
    /// The name of the source in its positions.
    package let store: String
    /// The ids of the source that the part spans: deliveries with such an id that are not in ``deliveries`` are gone.
    package let ids: ClosedRange<Int64>
    /// What is there.
    package let deliveries: [CopiedDelivery]

    /// Makes a part.
    package init(store: String, ids: ClosedRange<Int64>, deliveries: [CopiedDelivery]) {
        self.store = store
        self.ids = ids
        self.deliveries = deliveries
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
