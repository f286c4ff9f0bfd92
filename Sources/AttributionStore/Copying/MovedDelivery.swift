package import Attribution

/// A change of the counts by what a store has made itself of a delivery that was copied into its quarantine.
package struct MoveNote: Hashable, Sendable {
    /// Which count changed.
    package let row: DeliveryTable.Row
    /// By how much.
    package let count: Int64
    /// As which postback the delivery was recorded; nil when it was not.
    package let postback: Int64?
    /// How long after the first copy it came, as a repeat; nil when it is none.
    package let delay: RepeatDelay?

    /// Makes a note.
    package init(_ row: DeliveryTable.Row, count: Int64, postback: Int64? = nil, delay: RepeatDelay? = nil) {
        self.row = row
        self.count = count
        self.postback = postback
        self.delay = delay
    }

    /// What is noted of a delivery that was judged again.
    ///
    /// - Parameters:
    ///   - before: What it was counted as.
    ///   - after: What it is counted as.
    ///   - first: The copy of its postback that was counted.
    ///   - delivery: The delivery.
    /// - Returns: The changes.
    package static func notes(
        from before: DeliveryCounts.Kind,
        to after: DeliveryCounts.Kind,
        first: (id: Int64, receivedAt: Int64)?,
        _ delivery: Delivery
    ) -> [MoveNote] {
        let quarter = delivery.receivedAtMilliseconds.quarterOfAnHour
        let delay = first.map { RepeatDelay(milliseconds: delivery.receivedAtMilliseconds &- $0.receivedAt) }
        return [
            MoveNote(.init(quarter: quarter, kind: before), count: -1),
            MoveNote(
                .init(quarter: quarter, kind: after), count: 1, postback: after.status == .recorded ? first?.id : nil,
                delay: after.status == .duplicate ? delay : nil),
        ]
    }
}

/// What a store has made itself of a delivery that was copied into its quarantine: judged again, it left or changed.
///
/// It is noted until the source has made something of the same delivery. Then the note is added to what was copied of the
/// source's counts, so that the delivery is not moved in the counts a second time.
package struct MovedDelivery: Hashable, Sendable {
    /// As what it was copied; nil when it is that again.
    package private(set) var copied: DeliveryTable.Row?
    /// What it is here.
    package private(set) var result: MoveNote?

    /// Nothing is known yet.
    package init() {}

    /// Takes a sum of the notes that is not 0.
    package mutating func take(_ sum: MoveNote) {
        if sum.count < 0 {
            copied = sum.row
        } else {
            result = sum
        }
    }

    /// Whether it was recorded here, and may be recorded in the source yet.
    package var isRecorded: Bool {
        result?.row.kind.status == .recorded
    }

    /// Whether it left the quarantine here.
    package var hasLeft: Bool {
        isRecorded || result?.row.kind.status == .duplicate
    }
}

extension DeliveryTable {
    /// Takes a delivery that is gone from the source's quarantine out of what the source's counts have grown by, if they
    /// say that it was judged again there, too.
    ///
    /// One that was pruned is counted there as before.
    ///
    /// - Parameter moved: What was made of it here.
    /// - Returns: Whether it was judged again.
    package mutating func takeOut(_ moved: MovedDelivery) -> Bool {
        guard let copied = moved.copied, let result = moved.result, !moved.isRecorded,
            let fallen = deliveries[copied], fallen.count < 0
        else {
            return false
        }
        let repeated = result.delay.map { RepeatRow(quarter: result.row.quarter, delay: $0) }
        // What was recorded here is a repeat in the source alone: nothing here could make up for a count less.
        if result.postback != nil {
            let areRepeatsMore = repeated.map { repeats[$0, default: 0] > 0 } ?? true
            guard let risen = deliveries[result.row], risen.count > 0, areRepeatsMore else {
                return false
            }
        }
        deliveries[copied]?.add(.init(count: 1, kept: 1))
        deliveries[result.row, default: .init(count: 0, kept: 0)].add(.init(count: -1, kept: -1))
        if let repeated {
            repeats[repeated, default: 0] -= 1
        }
        return true
    }
}
