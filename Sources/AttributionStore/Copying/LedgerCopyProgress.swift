package import Attribution

/// How far a store was copied into another one.
package struct LedgerCopyProgress: Sendable {
    /// The name of the source in its positions.
    package let store: String
    /// The last postback that was copied; nil for none.
    package var position: LedgerPosition?
    /// How many postbacks were copied.
    package var copied: Int64 = 0
    /// How many could not be, because they cannot be read, or their bytes are gone or those of another postback.
    package var lost: Int64 = 0
    /// Which of them are which in the target; filled by ``LedgerCopyTarget/beginCopy(of:)`` alone.
    package var runs: [CopiedRun] = []

    /// Nothing was copied yet.
    package init(of store: String) {
        self.store = store
    }

    /// Goes on behind a page.
    ///
    /// - Parameters:
    ///   - page: What was copied.
    ///   - copies: The id of each of its postbacks in the target, and whether it was new there; nil for one that was
    ///     counted before the target.
    /// - Returns: The runs of the page.
    package mutating func advance(
        behind page: CopiedPage,
        _ copies: [(id: Int64, isNew: Bool)?]
    ) -> [CopiedRun] {
        var added: [CopiedRun] = []
        for case (let postback, let copy?) in zip(page.postbacks, copies) {
            if added.last?.isContinued(by: postback.recorded.id, copy) ?? false {
                added[added.count - 1].count += 1
            } else {
                added.append(
                    CopiedRun(source: postback.recorded.id, target: copy.id, count: 1, isNew: copy.isNew))
            }
            if copy.isNew {
                copied += 1
                added[added.count - 1].checksum?.add(postback.recorded)
            }
        }
        position = page.position
        lost += page.lost
        return added
    }
}

/// Postbacks on their way from one store to another.
package struct CopiedPage: Sendable {
    /// The postbacks.
    package let postbacks: [CopiedPostback]
    /// How many more there were that cannot be read, or whose bytes are gone or those of another postback.
    package let lost: Int64
    /// The ids of these that can be told.
    package let leftOut: [Int64]
    /// The position behind them.
    package let position: LedgerPosition
    /// Those of their ids that the source knows by themselves too: what it recorded all the same counts.
    package var knownIDs: Set<KnownID> = []

    /// Takes a page of an export.
    package init(_ page: ExportPage) {
        var (postbacks, leftOut): ([CopiedPostback], [Int64]) = ([], [])
        for (_, recorded) in page.postbacks {
            if let postback = CopiedPostback(recorded) {
                postbacks.append(postback)
            } else {
                leftOut.append(recorded.id)
            }
        }
        (self.postbacks, self.leftOut) = (postbacks, leftOut)
        lost = Int64(page.postbacks.count - postbacks.count)
        position = page.position
    }
}

/// A recorded postback of another store, and what its bytes say.
package struct CopiedPostback: Sendable {
    /// What the other store has of it.
    package let recorded: RecordedPostback
    /// Its bytes.
    package let body: [UInt8]
    /// What decides whether it is there already.
    package let digests: PostbackDigests
    /// What reports count.
    package let facts: PostbackFacts
    /// Its id.
    package let key: PostbackKey

    /// Reads a postback; nil when its bytes are gone, are no postback, or are not those that its row is of.
    package init?(_ recorded: RecordedPostback) {
        guard let body = recorded.body, let postback = try? ReceivedPostback(reading: body) else {
            return nil
        }
        let digests = PostbackDigests(postback, provenance: recorded.traffic.provenance)
        guard recorded.isRow(of: digests) else {
            return nil
        }
        self.recorded = recorded
        self.body = body
        self.digests = digests
        key = postback.key
        facts = PostbackFacts(
            postback, traffic: recorded.traffic, recipient: recorded.recipient,
            receivedAtMilliseconds: recorded.receivedAtMilliseconds, key: digests.key)
    }

    /// The delivery it came in.
    package var delivery: Delivery {
        Delivery(
            judgement: .undecided(reason: "", body: []), recipient: recorded.recipient,
            receivedAtMilliseconds: recorded.receivedAtMilliseconds)
    }
}
