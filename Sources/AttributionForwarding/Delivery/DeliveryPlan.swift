package import AttributionStore

/// What a destination is sent next, and what becomes of it: decided without a clock, a disk or a network.
///
/// Times are Unix milliseconds. What it remembers is bounded: a page of the feed, and the requests under way.
package struct DeliveryPlan: Sendable {
    /// A postback on its way.
    package struct Item: Sendable {
        package let postback: RecordedPostback
        /// The postback as it was read; nil for one that is to be read when it is sent.
        package let outgoing: Result<OutgoingPostback, OutgoingProblem>?
        /// The cursor behind it; nil for one that had failed, and is no longer waited for.
        fileprivate let cursor: FeedCursor?
        /// How often it was sent before.
        fileprivate var attempts: Int64
    }

    /// What became of an item.
    package enum Outcome: Sendable {
        /// The destination does not want it.
        case passedOver
        /// No request can be made of it.
        case unusable(String)
        case attempted(DeliveryResult)
    }

    /// How often a destination is probed.
    package static let probeInterval: Int64 = 10_000
    /// With more postbacks that are sent again later, no new ones are read.
    private static let mostWaiting: Int64 = 10_000
    /// Postbacks and bytes of a page; a page is read when half of that is left.
    package static let pageSize = 256
    package static let pageBytes = 4 << 20
    /// Cursors of postbacks that are behind one under way.
    private static let widestWindow = 8_192

    private let concurrency: Int
    private let isOrdered: Bool
    private let rate: Int?
    /// What is to be saved.
    private var progress: DestinationProgress
    package private(set) var hasChanged = false
    /// From the feed, not sent yet.
    private var queue: [Item] = []
    /// Due again, not sent yet.
    private var retries: [Item] = []
    private var takesRetry = true
    /// Postbacks of the feed behind the cursor, and whether they are done with.
    private var window: [(cursor: FeedCursor, isDone: Bool)] = []
    private var underWay: Set<Int64> = []
    /// Where the next page begins.
    package private(set) var readTo: FeedCursor
    /// Nothing is sent before.
    private var heldUntil: Int64 = 0
    /// When the rate lets the next request go.
    private var nextSlot: Double = 0
    /// Whether it answered that it is gone.
    package private(set) var isGone = false
    /// Postbacks that are sent again later, as the store last said.
    package var waitingCount: Int64

    package init(_ stored: StoredDestination, concurrency: Int, isOrdered: Bool, rate: Int?) {
        self.concurrency = isOrdered ? 1 : concurrency
        self.isOrdered = isOrdered
        self.rate = rate
        progress = DestinationProgress(name: stored.name, from: stored.cursor)
        progress.failureRun = stored.failureRun
        readTo = stored.cursor
        waitingCount = stored.waitingCount
    }

    /// Whether it takes nothing: it is probed.
    package var isDown: Bool {
        progress.failureRun >= StoredDestination.longestRun
    }

    /// Why the last request failed; empty when none did since it was saved.
    package var lastFailure: String {
        progress.lastFailure
    }

    // MARK: Reading

    package var wantsPage: Bool {
        !isGone && queue.count < Self.pageSize / 2 && window.count < Self.widestWindow
            && waitingCount < Self.mostWaiting && !(isDown && !queue.isEmpty)
    }

    /// Adds a page of the feed, with what was read of each postback: nil for those that the destination does not want.
    package mutating func add(
        _ page: FeedPage, _ read: [Result<OutgoingPostback, OutgoingProblem>?]
    ) {
        for ((cursor, postback), outgoing) in zip(page.postbacks, read) {
            if let outgoing {
                queue.append(Item(postback: postback, outgoing: outgoing, cursor: cursor, attempts: 0))
            }
            window.append((cursor, outgoing == nil))
        }
        if page.end != page.postbacks.last?.cursor ?? readTo {
            window.append((page.end, true))
        }
        advance()
        readTo = page.end
    }

    /// Whether postbacks that failed are to be read again from the store.
    package var wantsRetries: Bool {
        !isGone && waitingCount > 0 && retries.isEmpty
    }

    /// Whether something of a postback that failed is not saved yet, or it is on its way.
    package func knows(_ failed: FailedForwarding) -> Bool {
        let id = failed.postback
        return underWay.contains(id) || progress.failed[id] != nil || progress.settled.contains(id)
            || retries.contains { $0.postback.id == id }
    }

    /// Adds a postback that is due again; nil when it is not in the store any more.
    package mutating func add(_ failed: FailedForwarding, _ postback: RecordedPostback?) {
        guard let postback, postback.recordedAtMilliseconds == failed.recordedAtMilliseconds else {
            progress.settled.insert(failed.postback)
            hasChanged = true
            return
        }
        retries.append(Item(postback: postback, outgoing: nil, cursor: nil, attempts: failed.attempts))
    }

    // MARK: Sending

    /// What is to be sent now.
    package mutating func next(at now: Int64) -> [Item] {
        var items: [Item] = []
        while !isGone, now >= heldUntil, underWay.count < (isDown ? 1 : concurrency), Double(now) >= nextSlot,
            let item = takeNext()
        {
            if let rate {
                // What was missed in a tenth of a second is made up for.
                nextSlot = max(nextSlot, Double(now) - 100) + 1_000 / Double(rate)
            }
            underWay.insert(item.postback.id)
            items.append(item)
        }
        return items
    }

    /// In turns, so that neither a postback that nobody will ever take nor a long queue keeps the others waiting.
    private mutating func takeNext() -> Item? {
        defer { takesRetry.toggle() }
        if !retries.isEmpty, takesRetry || queue.isEmpty {
            return retries.removeFirst()
        }
        return queue.isEmpty ? nil : queue.removeFirst()
    }

    /// When something may be sent that may not be sent now; nil when nothing waits for a time.
    package func wakes(after now: Int64) -> Int64? {
        let time = max(heldUntil, Int64(nextSlot.rounded(.up)))
        return time > now && !(queue.isEmpty && retries.isEmpty) ? time : nil
    }

    // MARK: Results

    /// Notes what became of an item.
    package mutating func finish(
        _ item: Item, _ outcome: Outcome, at now: Int64, using generator: inout some RandomNumberGenerator
    ) {
        underWay.remove(item.postback.id)
        hasChanged = true
        switch outcome {
        case .passedOver: settle(item)
        case .unusable(let reason): fail(item, Verdict(text: reason), dueAt: nil, at: now)
        case .attempted(let result): finish(item, Verdict(result), at: now, using: &generator)
        }
    }

    private mutating func finish(
        _ item: Item, _ verdict: Verdict, at now: Int64, using generator: inout some RandomNumberGenerator
    ) {
        let wasDown = isDown
        if verdict.kind == .delivered {
            progress.failureRun = 0
            progress.lastSuccessAt = now
            if wasDown {
                heldUntil = 0
                progress.wakes = true
            }
            return settle(item)
        }
        progress.failureRun += 1
        progress.lastFailureAt = now
        progress.lastFailure = verdict.summary
        if let retryAfter = verdict.retryAfter {
            heldUntil = max(heldUntil, now + retryAfter)
        }
        if isDown {
            heldUntil = max(heldUntil, now + Self.probeInterval)
        }
        var item = item
        switch verdict.kind {
        case .gone:
            isGone = true
            progress.isGone = true
            putBack(item, isFirst: true)
        // Who takes nothing says nothing about this postback.
        case .transient where wasDown, .permanent where wasDown: putBack(item, isFirst: isOrdered)
        case .transient:
            item.attempts += 1
            let delay = Self.delay(after: item.attempts, using: &generator)
            if let delay, isOrdered {
                heldUntil = max(heldUntil, now + delay)
                putBack(item, isFirst: true)
            } else {
                fail(item, verdict, dueAt: delay.map { max(heldUntil, now + $0) }, at: now)
            }
        case .permanent:
            item.attempts += 1
            fail(item, verdict, dueAt: nil, at: now)
        case .delivered: break
        }
    }

    private mutating func putBack(_ item: Item, isFirst: Bool) {
        if item.cursor == nil {
            retries.append(item)
        } else {
            queue.insert(item, at: isFirst ? 0 : queue.endIndex)
        }
    }

    private mutating func fail(_ item: Item, _ verdict: Verdict, dueAt: Int64?, at now: Int64) {
        let postback = item.postback
        if dueAt != nil, item.cursor != nil {
            waitingCount += 1
        }
        progress.failed[postback.id] = FailedForwarding(
            postback: postback.id, recordedAtMilliseconds: postback.recordedAtMilliseconds, attempts: item.attempts,
            dueAt: dueAt, attemptedAt: now, status: verdict.status, text: verdict.text)
        done(item)
    }

    private mutating func settle(_ item: Item) {
        if item.cursor == nil {
            progress.failed[item.postback.id] = nil
            progress.settled.insert(item.postback.id)
        }
        done(item)
    }

    /// Moves the cursor behind everything that is done with, if this was the first that was not.
    private mutating func done(_ item: Item) {
        if let cursor = item.cursor, let index = window.firstIndex(where: { $0.cursor == cursor }) {
            window[index].isDone = true
            advance()
        }
    }

    private mutating func advance() {
        let count = window.firstIndex { !$0.isDone } ?? window.count
        if count > 0 {
            progress.to = window[count - 1].cursor
            window.removeFirst(count)
            hasChanged = true
        }
    }

    // MARK: Saving

    /// What is to be saved; after this, nothing.
    package mutating func takeProgress() -> DestinationProgress {
        defer {
            let failureRun = progress.failureRun
            progress = DestinationProgress(name: progress.name, from: progress.to)
            progress.failureRun = failureRun
            hasChanged = false
        }
        return progress
    }

    // MARK: Retries

    /// How long after so many attempts the next one comes, in milliseconds; nil when there is none.
    ///
    /// The first three come within 1 to 30 seconds, and the last after three days.
    package static func delay(after attempts: Int64, using generator: inout some RandomNumberGenerator) -> Int64? {
        let first: [Double] = [2, 8, 24]
        guard (1...23).contains(attempts) else {
            return nil
        }
        let index = Int(attempts) - 1
        var seconds = 60.0
        if index < first.count {
            seconds = first[index]
        } else {
            for _ in first.count..<index { seconds = min(seconds * 2, 21_600) }
        }
        return Int64(seconds * 1_000 * Double.random(in: 0.8...1.2, using: &generator))
    }
}

extension DeliveryResult {
    /// Whether the next attempt may succeed.
    package var isTransient: Bool {
        Verdict(self).kind == .transient
    }
}

/// What an attempt says of the postback and its destination.
private struct Verdict {
    enum Kind {
        case delivered
        case transient
        /// It will never be taken.
        case permanent
        /// Nothing will ever be taken.
        case gone
    }

    let kind: Kind
    let status: Int64?
    let text: String
    /// Milliseconds, a day at most.
    let retryAfter: Int64?

    /// A request that could not be made.
    init(text: String) {
        (kind, status, self.text, retryAfter) = (.permanent, nil, text, nil)
    }

    init(_ result: DeliveryResult) {
        switch result {
        case .failed(let reason):
            (kind, status, text, retryAfter) = (.transient, nil, reason, nil)
        case .answered(let answer):
            kind =
                switch answer.status {
                case 200...299: .delivered
                case 410: .gone
                case ..<200, 408, 425, 429, 500...: .transient
                default: .permanent
                }
            (status, text) = (Int64(answer.status), answer.excerpt)
            retryAfter =
                kind == .transient ? answer.retryAfter.map { min($0.components.seconds, 86_400) * 1_000 } : nil
        }
    }

    /// The status and the beginning of the text, for one line.
    var summary: String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200)
        return [status.map { "answered \($0)" }, line.isEmpty ? nil : String(line)].compactMap(\.self)
            .joined(separator: ": ")
    }
}
