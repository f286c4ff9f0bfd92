package import FoundationEssentials
package import Logging
import Synchronization

/// Decides who may do what on the console, by a list of tokens that may change while it serves.
///
/// Every request that needs a token checks whether the file has changed, so a revoked token is refused from the next
/// request on. A malformed list leaves the previous one in use; while it is missing or unreadable, every token is
/// refused.
package final class AccessControl: Sendable {
    /// How many requests without a valid token an address may make each second.
    package static let strangersPerSecond = 50
    /// How many addresses are tracked within a second.
    private static let addresses = 10_000

    private struct State {
        var list: AccessList
        /// The stamp of the file last read, whether or not its list could be used.
        var stamp: AccessFile.Stamp?
    }

    private let file: AccessFile
    private let logger: Logger
    private let state: Mutex<State>
    private let callers: Mutex<RateBounds<String>>
    private let uses: AccessUses
    private let strangers: Mutex<RateBounds<String?>>

    /// Begins with a list that was already read.
    package init(file: AccessFile, reading: AccessFile.Reading, perSecond: Int, logger: Logger) {
        self.file = file
        self.logger = logger
        uses = AccessUses(of: file, logger: logger)
        state = Mutex(State(list: reading.list, stamp: reading.stamp))
        callers = Mutex(RateBounds(perSecond: perSecond, capacity: AccessList.limit))
        strangers = Mutex(RateBounds(perSecond: Self.strangersPerSecond, capacity: Self.addresses))
    }

    /// Uses a list that was read again.
    package func use(_ reading: AccessFile.Reading) {
        state.withLock { use(reading, in: &$0) }
    }

    /// Judges a request: the caller, if the token is valid, and why it is refused, if it is.
    ///
    /// `client` is called only without a valid token.
    package func judge(
        _ access: RouteAccess,
        authorization: [String],
        client: () -> String?,
        now: Date,
        instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        // Open routes serve liveness probes, which other clients' requests must not crowd out.
        guard case .scope(let needed) = access else {
            return (nil, nil)
        }
        return bounded(
            currentList.judge(authorization: authorization, needed: needed, now: now),
            client: client, now: now, instant: instant)
    }

    /// Judges a request of a session as one with the token that it began with: a revoked one is refused.
    package func judge(
        _ needed: AccessScope,
        holder: AccessGrant,
        client: () -> String?,
        now: Date,
        instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        bounded(
            currentList.judge(digest: holder.digest, needed: needed, now: now),
            client: client, now: now, instant: instant)
    }

    /// The tokens on the list, with when each was last used, in Unix seconds; without a time where that is unknown.
    package var tokens: [(grant: AccessGrant, used: Int64?)] {
        let uses = uses.current
        return currentList.grants.map { ($0, uses[$0.id]) }
    }

    /// Refuses who asks too fast, whatever else was judged.
    private func bounded(
        _ judgement: (caller: AccessGrant?, refusal: AccessRefusal?),
        client: () -> String?,
        now: Date,
        instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        let wait: Duration?
        if let caller = judgement.caller {
            uses.note(caller.id, at: now)
            wait = callers.withLock { $0.take(caller.id, at: instant) }
        } else {
            // Requests without an address share one bucket.
            wait = strangers.withLock { [network = client()] in $0.take(network, at: instant) }
        }
        return wait.map { (judgement.caller, .tooFast(retryAfter: $0)) } ?? judgement
    }

    /// Counts what a request asks for beyond one, such as the signatures of a batch, against the rate of its token.
    ///
    /// It is not refused for that: further requests wait for it.
    package func charge(_ caller: AccessGrant, _ count: Int, at instant: ContinuousClock.Instant) {
        callers.withLock { $0.charge(caller.id, count, at: instant) }
    }

    /// Saves when tokens were used; call it often, from a thread that may write a file, and at shutdown with nil.
    package func saveUses(at instant: ContinuousClock.Instant?) {
        uses.save(Set(state.withLock { $0.list }.grants.map(\.id)), at: instant)
    }

    private var currentList: AccessList {
        let stamp = file.currentStamp()
        return state.withLock { state in
            if state.stamp != stamp {
                read(into: &state, found: stamp)
            }
            return state.list
        }
    }

    private func read(into state: inout State, found: AccessFile.Stamp?) {
        do throws(AccessProblem) {
            use(try file.read(), in: &state)
        } catch {
            guard case .unreadable = error else {
                // The stamp from before reading: the same bad file is reported once, and a corrected one is read.
                state.stamp = found
                return logger.error("the tokens in use remain in effect", error: error)
            }
            // Without a stamp it is tried again, because the cause may be a lack of descriptors.
            let isFirst = state.stamp != nil
            (state.list, state.stamp) = (AccessList(), nil)
            if isFirst {
                logger.error("every token is refused until the token list can be read", error: error)
            }
        }
    }

    private func use(_ reading: AccessFile.Reading, in state: inout State) {
        let former = state.list.grants
        let current = reading.list.grants
        state = State(list: reading.list, stamp: reading.stamp)
        var metadata: Logger.Metadata = ["count": "\(current.count)", "former": "\(former.count)"]
        metadata["tokens-added"] = Self.summary(of: current, without: former)
        metadata["tokens-revoked"] = Self.summary(of: former, without: current)
        logger.notice("tokens read again", metadata: metadata)
    }

    /// At most ten tokens that another list does not have, for the log: nothing else keeps revoked ones.
    private static func summary(of grants: [AccessGrant], without others: [AccessGrant]) -> Logger.MetadataValue? {
        let ids = Set(others.map(\.id))
        let named = grants.filter { !ids.contains($0.id) }.map { "\($0.id) of \($0.name)" }
        guard !named.isEmpty else { return nil }
        let rest = named.count > 10 ? " and \(named.count - 10) more" : ""
        return .string(named.prefix(10).joined(separator: ", ") + rest)
    }
}

/// Token buckets, one per key: a number of requests per second, with bursts of one second's worth.
///
/// Only the time at which a bucket is full again is stored, and only for buckets that are not full. Beyond the capacity
/// further keys share one bucket, so that memory is bounded.
package struct RateBounds<Key: Hashable & Sendable>: Sendable {
    private let interval: Duration
    private let burst = Duration.seconds(1)
    private let capacity: Int
    private var fullAgain: [Key: ContinuousClock.Instant] = [:]
    private var sharedFullAgain: ContinuousClock.Instant?
    private var nextSweep: ContinuousClock.Instant?

    package init(perSecond: Int, capacity: Int) {
        interval = .seconds(1) / max(1, perSecond)
        self.capacity = capacity
    }

    /// How many buckets are stored.
    package var count: Int {
        fullAgain.count
    }

    /// Takes one request from a key's bucket, or else says how long to wait; instants must not go backwards.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> Duration? {
        if fullAgain[key] == nil, fullAgain.count >= capacity {
            sweep(now)
            guard fullAgain.count < capacity else {
                return take(from: &sharedFullAgain, at: now)
            }
        }
        return take(from: &fullAgain[key], at: now)
    }

    /// Takes requests that were already let through from a key's bucket, and leaves it in debt if there are too few.
    package mutating func charge(_ key: Key, _ count: Int, at now: ContinuousClock.Instant) {
        guard count > 0 else {
            return
        }
        if fullAgain[key] == nil, fullAgain.count >= capacity {
            sharedFullAgain = max(sharedFullAgain ?? now, now) + interval * count
        } else {
            fullAgain[key] = max(fullAgain[key] ?? now, now) + interval * count
        }
    }

    private func take(from bucket: inout ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> Duration? {
        let next = max(bucket ?? now, now) + interval
        let excess = next - now - burst
        guard excess <= .zero else {
            return excess
        }
        bucket = next
        return nil
    }

    /// Drops the buckets that are full again; at most once a second, because it visits all of them.
    private mutating func sweep(_ now: ContinuousClock.Instant) {
        guard nextSweep.map({ now >= $0 }) ?? true else {
            return
        }
        fullAgain = fullAgain.filter { $0.value > now }
        nextSweep = now + burst
    }
}
