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
///
/// What the source has made of it is read together with the source's counts, in one ``DeliverySnapshot``, so that each
/// change is in both or in neither. A delivery that is still in the source's quarantine is told by its reason. One that is
/// gone was judged again or pruned. If this store did not record it, its note is taken in both cases: this store then counts
/// it as the source does. If this store recorded it, and the source another delivery of the same postback, the source
/// counts it as a repeat once it was judged again. The note is taken if there is such a repeat that no other note accounts
/// for, because this store counts it too often then; otherwise it was pruned, and the note is deleted. If the source has
/// recorded no other delivery, the note stays, because the source may yet hand the postback out.
package struct MovedDelivery: Hashable, Sendable {
    /// As what it was copied; nil when it is that again.
    package private(set) var copied: DeliveryTable.Row?
    /// What it is here; nil when it is again what was copied.
    package private(set) var result: MoveNote?

    /// Nothing is known yet.
    package init() {}

    /// Takes a sum of notes.
    package mutating func take(_ sum: MoveNote) {
        if sum.count < 0 {
            copied = sum.row
        } else if sum.count > 0 {
            result = sum
        }
    }

    /// Whether it was recorded here, and may be recorded in the source yet.
    private var isRecorded: Bool {
        result?.row.kind.status == .recorded
    }

    /// Whether it left the quarantine here.
    private var hasLeft: Bool {
        isRecorded || result?.row.kind.status == .duplicate
    }

    /// Whether it contradicts a postback here; it is kept then, as evidence of what was recorded here.
    private var isConflict: Bool {
        result?.row.kind.status == .conflict
    }

    /// What becomes of the notes of a delivery.
    package enum Decision: Hashable, Sendable {
        /// They stay: the source has made nothing of it yet, or that cannot be told.
        case keep
        /// The source keeps it for another reason, which left the quarantine here.
        case changeReason(of: DeliveryTable.Row, to: String)
        /// They are taken for copied, because the source has made something of it and keeps it.
        case take(isConflict: Bool)
        /// They end, because it is gone from the source's quarantine; taken for copied or only deleted. As evidence it is
        /// kept: then the copy of the quarantine, which follows, must not know it any more.
        case end(isTaken: Bool, isEvidence: Bool)
    }

    /// Whether the counts have to tell what becomes of its notes.
    private func needsCounts(_ fate: DeliverySnapshot.Fate?) -> Bool {
        fate == .gone && !isRecorded && result?.postback != nil
    }

    /// Decides what becomes of notes.
    ///
    /// - Parameters:
    ///   - moved: What was made here of deliveries, by their ids in the source.
    ///   - snapshot: The source.
    ///   - growth: By what its counts have grown.
    /// - Returns: The decisions, by the same ids.
    fileprivate static func decisions(
        _ moved: [Int64: MovedDelivery],
        _ snapshot: DeliverySnapshot,
        growth: DeliveryTable
    ) -> [Int64: Decision] {
        var repeats = growth
        for (id, moved) in moved where snapshot.fates[id] == .gone {
            // Taken in any case: what the source counts for it says nothing of others.
            if let result = moved.result, result.postback == nil {
                repeats.count(result, -1)
            }
        }
        var decisions: [Int64: Decision] = [:]
        for (id, moved) in moved.sorted(by: { $0.key < $1.key }) {
            decisions[id] = moved.decision(snapshot.fates[id], &repeats, snapshot.table.isIncomplete)
        }
        return decisions
    }

    private func decision(
        _ fate: DeliverySnapshot.Fate?, _ repeats: inout DeliveryTable, _ isIncomplete: Bool
    ) -> Decision {
        switch fate {
        case nil:
            return .keep
        case .kept(let reason, let isConflict):
            guard let copied, copied.kind.reason?.rawValue != reason else {
                return .keep
            }
            return hasLeft && !isConflict ? .changeReason(of: copied, to: reason) : .take(isConflict: isConflict)
        case .gone where isRecorded:
            return .keep
        case .gone:
            guard let result, needsCounts(fate) else {
                return .end(isTaken: true, isEvidence: isConflict)
            }
            // Nothing here could make up for a count less of a repeat that the source does not have.
            guard repeats.includes(result) else {
                return isIncomplete ? .keep : .end(isTaken: false, isEvidence: isConflict)
            }
            repeats.count(result, -1)
            return .end(isTaken: true, isEvidence: isConflict)
        }
    }
}

extension DeliverySnapshot {
    /// By what the counts have grown beyond what was copied, after the notes of moved deliveries were decided.
    ///
    /// - Parameters:
    ///   - moved: What was made here of deliveries, by their ids in the source.
    ///   - copied: Reads what was copied of the counts, to which a note that is taken is added.
    ///   - apply: Carries out the decisions on the notes of deliveries, by their ids in the source.
    /// - Returns: What is to be counted here, without recorded postbacks.
    /// - Throws: What the closures throw.
    package func growth(
        _ moved: [Int64: MovedDelivery],
        since copied: () throws -> DeliveryTable,
        apply: ([Int64: MovedDelivery.Decision]) throws -> Void
    ) rethrows -> DeliveryTable {
        let table = table.withoutRecorded
        let growth = table.growth(since: try copied())
        guard !moved.isEmpty else {
            return growth
        }
        try apply(MovedDelivery.decisions(moved, self, growth: growth))
        return table.growth(since: try copied())
    }
}

extension DeliveryTable {
    /// Counts deliveries as a note says.
    fileprivate mutating func count(_ note: MoveNote, _ count: Int64) {
        deliveries[note.row, default: .init(count: 0, kept: 0)].add(.init(count: count, kept: count))
        if let delay = note.delay {
            repeats[RepeatRow(quarter: note.row.quarter, delay: delay), default: 0] += count
        }
    }

    /// Whether some delivery is counted as a note says.
    fileprivate func includes(_ note: MoveNote) -> Bool {
        guard let tally = deliveries[note.row], tally.count > 0 else {
            return false
        }
        return note.delay.map { repeats[RepeatRow(quarter: note.row.quarter, delay: $0), default: 0] > 0 } ?? true
    }
}
