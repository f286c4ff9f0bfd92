/// How far a destination has come in the order in which postbacks were recorded.
///
/// It names its postback by more than the id, for a store that was restored from an older copy gives ids out again.
package struct FeedCursor: Hashable, Sendable {
    /// The last postback that is done with; 0 before the first.
    package let id: Int64
    /// Its number in the order of the commits, in which postbacks of one number follow by id; in a file the id itself.
    package let order: Int64
    /// When it was recorded, in Unix milliseconds.
    package let recordedAtMilliseconds: Int64
    /// Bits of its key digest; nil where they cannot be read, and before the first.
    package let check: UInt16?

    package init(id: Int64, order: Int64, recordedAtMilliseconds: Int64, check: UInt16?) {
        self.id = id
        self.order = order
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.check = check
    }

    /// Before the first postback.
    package static let start = FeedCursor(id: 0, order: 0, recordedAtMilliseconds: 0, check: nil)
}

/// What an operator, or the destination itself, decided about its postbacks.
package enum DestinationState: String, CaseIterable, Sendable {
    /// They are delivered.
    case running
    /// An operator paused it.
    case paused
    /// It answered 410, that it is gone for good.
    case gone
}

/// What a store knows of a destination.
package struct StoredDestination: Hashable, Sendable {
    package let name: String
    package var state: DestinationState
    package var cursor: FeedCursor
    /// How many requests in a row have failed.
    package var failureRun: Int64
    /// Unix milliseconds; nil before the first.
    package var lastSuccessAt: Int64?
    package var lastFailureAt: Int64?
    /// Why the last one failed; empty before the first.
    package var lastFailure: String
    /// How many postbacks failed and are tried again, and how many are not.
    package var waitingCount: Int64
    package var parkedCount: Int64

    package init(name: String, state: DestinationState = .running, cursor: FeedCursor) {
        self.name = name
        self.state = state
        self.cursor = cursor
        (failureRun, lastFailure, waitingCount, parkedCount) = (0, "", 0, 0)
    }

    /// Failed requests in a row after which a destination is probed, and gets nothing else.
    package static let longestRun: Int64 = 10

    /// What is said of it: its state, or `down` when it takes nothing.
    package var condition: String {
        state == .running && failureRun >= Self.longestRun ? "down" : state.rawValue
    }
}

/// A postback that a destination did not take.
package struct FailedForwarding: Hashable, Sendable {
    package let postback: Int64
    /// When the postback was recorded, in Unix milliseconds.
    package let recordedAtMilliseconds: Int64
    /// How often it was sent, without probes of a destination that takes nothing.
    package var attempts: Int64
    /// When it is sent again, in Unix milliseconds; nil when it is parked.
    package var dueAt: Int64?
    /// When it was last sent, in Unix milliseconds.
    package var attemptedAt: Int64
    /// The HTTP status; nil without an answer.
    package var status: Int64?
    /// The beginning of the answer, or why there is none.
    package var text: String

    package init(
        postback: Int64, recordedAtMilliseconds: Int64, attempts: Int64, dueAt: Int64?, attemptedAt: Int64,
        status: Int64?, text: String
    ) {
        self.postback = postback
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.attempts = attempts
        self.dueAt = dueAt
        self.attemptedAt = attemptedAt
        self.status = status
        self.text = text
    }
}

/// Postbacks that come next.
package struct FeedPage: Sendable {
    /// Each with the cursor behind it.
    package let postbacks: [(cursor: FeedCursor, postback: RecordedPostback)]
    /// Where the next page begins: behind the last postback, and behind imported ones that follow.
    package let end: FeedCursor

    package init(postbacks: [(cursor: FeedCursor, postback: RecordedPostback)], end: FeedCursor) {
        self.postbacks = postbacks
        self.end = end
    }
}

/// What became of a destination's postbacks since it was last saved.
package struct DestinationProgress: Sendable {
    package let name: String
    /// The cursor as it was saved, and as it is.
    package var from: FeedCursor
    package var to: FeedCursor
    /// Postbacks that had failed and are done with.
    package var settled: Set<Int64> = []
    /// Postbacks that failed, by id.
    package var failed: [Int64: FailedForwarding] = [:]
    /// Whether everything that failed for now is tried at once.
    package var wakes = false
    /// Whether the destination answered that it is gone.
    package var isGone = false
    package var failureRun: Int64 = 0
    package var lastSuccessAt: Int64?
    package var lastFailureAt: Int64?
    package var lastFailure = ""

    package init(name: String, from cursor: FeedCursor) {
        self.name = name
        (from, to) = (cursor, cursor)
    }
}

/// How the forwarding of a store goes.
package struct ForwardingStatus: Sendable {
    /// What waits for a destination behind its cursor.
    package struct Backlog: Sendable {
        package let destination: StoredDestination
        /// Postbacks behind the cursor, without imported ones, also those that filters will leave out.
        package let count: Int64
        /// When the first of them was recorded, in Unix milliseconds.
        package let oldestAt: Int64?

        package init(destination: StoredDestination, count: Int64, oldestAt: Int64?) {
            self.destination = destination
            self.count = count
            self.oldestAt = oldestAt
        }
    }

    /// By name.
    package var destinations: [Backlog]
    /// When the first postback was recorded that a transaction of the same cluster holds back, in Unix milliseconds.
    ///
    /// Until the transaction ends, the order is not known. Nil when nothing is held back.
    package var heldSince: Int64?

    package init(destinations: [Backlog], heldSince: Int64? = nil) {
        self.destinations = destinations
        self.heldSince = heldSince
    }

    /// The destination of a name.
    package subscript(name: String) -> Backlog? {
        destinations.first { $0.destination.name == name }
    }
}

/// Reads the feed of recorded postbacks, and how far destinations have come.
package protocol DestinationReading: Sendable {
    /// How far each destination has come.
    func forwardingStatus() async throws -> ForwardingStatus

    /// Postbacks behind a cursor in the order in which they were recorded, without imported and copied history.
    ///
    /// There are at most `limit`, and none follows one with which the bodies reach a size in `bytes`.
    func feed(after cursor: FeedCursor, limit: Int, bytes: Int) async throws -> FeedPage

    /// Postbacks that a destination did not take, those that are sent again first.
    ///
    /// With a time in Unix milliseconds only those that are due by then, otherwise also parked ones.
    func failedForwardings(of name: String, due: Int64?, limit: Int) async throws -> [FailedForwarding]
}

/// Keeps how far destinations have come.
package protocol DestinationWriting: Sendable {
    /// Takes destinations for this process; a new one begins at the present.
    ///
    /// A cursor whose postback is another one now goes back to where its destination began: what is sent twice has the
    /// same `webhook-id`.
    ///
    /// - Returns: Those that no other node delivers to.
    func claim(_ names: [String]) throws -> [StoredDestination]

    /// Saves what became of postbacks, in one transaction.
    ///
    /// - Returns: Whether it was saved; false when another node has the destination, or the store does not know the
    ///   cursors: then all that is remembered of the destination has to be read again.
    func save(_ progress: DestinationProgress) throws -> Bool

    /// Pauses a destination, or lets it go on; then what is parked is sent once more.
    ///
    /// - Returns: Whether there is such a destination.
    func setState(of name: String, to state: DestinationState) throws -> Bool
}
