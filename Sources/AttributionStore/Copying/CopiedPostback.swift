package import Attribution

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

    /// Takes a postback that verifies under the key that its store names, or is of a test key that is not known here;
    /// nil for bytes that are gone, do not verify, or are not those of its row.
    ///
    /// - Parameters:
    ///   - recorded: What the other store has of it.
    ///   - judgement: What its bytes are judged to be.
    package init?(_ recorded: RecordedPostback, _ judgement: Judgement) {
        guard let body = recorded.body, let postback = try? ReceivedPostback(reading: body) else {
            return nil
        }
        switch judgement {
        case .verified(let verified):
            guard verified.provenance == recorded.traffic.provenance, verified.keyName == recorded.keyName else {
                return nil
            }
        case .rejected(let rejection, _):
            guard rejection.lacksKey(of: recorded.traffic, recorded.keyName) else {
                return nil
            }
        case .undecided:
            return nil
        }
        let digests = PostbackDigests(postback, provenance: recorded.traffic.provenance)
        guard recorded.isRow(of: digests) else {
            return nil
        }
        self.recorded = recorded
        self.body = body
        self.digests = digests
        facts = PostbackFacts(
            postback, traffic: recorded.traffic, recipient: recorded.recipient,
            receivedAtMilliseconds: recorded.receivedAtMilliseconds, key: digests.key)
    }

    /// The delivery it came in, for the counts.
    package var delivery: Delivery {
        Delivery(
            judgement: .undecided(reason: "", body: []), recipient: recorded.recipient,
            receivedAtMilliseconds: recorded.receivedAtMilliseconds)
    }
}
