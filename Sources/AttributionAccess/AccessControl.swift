package import FoundationEssentials
package import Logging
import Synchronization

/// Decides who may do what on the console, by a list of tokens that may change while it serves.
///
/// Every request that needs a token checks whether the file has changed, so a revoked token is refused from the next
/// request on. A malformed list leaves the previous one in use; an unreadable one does so for ``grace``, and then every
/// token is refused.
package final class AccessControl: Sendable {
    /// How long the last list stays in use when its file is missing or unreadable: as long as replacing it may take.
    package static let grace = Duration.seconds(10)
    /// How many requests without a valid token an address may make each second.
    package static let strangersPerSecond = 50
    /// How many addresses are tracked within a second.
    private static let addresses = 10_000

    private struct State {
        var list: AccessList
        /// The stamp of the file last read, whether or not its list could be used.
        var stamp: AccessFile.Stamp?
        /// Since when the file has been unreadable.
        var lostSince: ContinuousClock.Instant?
        var isClosed = false

        /// Whether it has been unreadable for longer than replacing it may take.
        func isLost(at instant: ContinuousClock.Instant) -> Bool {
            lostSince.map { $0.advanced(by: AccessControl.grace) <= instant } ?? false
        }
    }

    private let file: AccessFile
    private let logger: Logger
    private let state: Mutex<State>
    private let callers: Mutex<RateBounds<String>>
    private let uses: AccessUses
    private let strangers: Mutex<RateBounds<String?>>

    /// Reads the list.
    ///
    /// - Parameters:
    ///   - file: The file of the list.
    ///   - perSecond: How many requests a second each token may be used for.
    ///   - logger: Logs changed lists.
    /// - Throws: ``AccessProblem`` when the list cannot be used.
    package convenience init(file: AccessFile, perSecond: Int, logger: Logger) throws(AccessProblem) {
        self.init(file: file, reading: try file.read(), perSecond: perSecond, logger: logger)
    }

    /// Begins with a list that was already read.
    ///
    /// - Parameters:
    ///   - file: The file of the list.
    ///   - reading: The list read from the file.
    ///   - perSecond: How many requests a second each token may be used for.
    ///   - logger: Logs changed lists.
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

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - access: What the route requires.
    ///   - authorization: The values of all Authorization lines.
    ///   - client: The network the request comes from, called only without a valid token; nil when unknown.
    ///   - now: The current time, for expiry.
    ///   - instant: The current instant, for the rates.
    /// - Returns: The caller, if the token is valid; and why the request is refused, if it is.
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
            currentList(at: instant).judge(authorization: authorization, needed: needed, now: now),
            client: client, now: now, instant: instant)
    }

    /// Judges a request of a session that began with a token.
    ///
    /// - Parameters:
    ///   - needed: What the route requires.
    ///   - holder: What the token granted when the session began.
    ///   - client: As for a request with a token.
    ///   - now: The current time, for expiry.
    ///   - instant: The current instant, for the rates.
    /// - Returns: As for a request with this token: a revoked one is refused.
    package func judge(
        _ needed: AccessScope,
        holder: AccessGrant,
        client: () -> String?,
        now: Date,
        instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        bounded(
            currentList(at: instant).judge(holder: holder, needed: needed, now: now),
            client: client, now: now, instant: instant)
    }

    /// The tokens on the list, with when each was last used, in Unix seconds; without a time where that is unknown.
    package func tokens(at instant: ContinuousClock.Instant) -> [(grant: AccessGrant, used: Int64?)] {
        let uses = uses.current
        return currentList(at: instant).grants.map { ($0, uses[$0.id]) }
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

    /// Saves when tokens were used; call it often, from a thread that may write a file.
    ///
    /// - Parameter instant: The current instant; nil at shutdown, to save unconditionally.
    package func saveUses(at instant: ContinuousClock.Instant?) {
        uses.save(Set(state.withLock { $0.list }.grants.map(\.id)), at: instant)
    }

    private func currentList(at instant: ContinuousClock.Instant) -> AccessList {
        let stamp = file.currentStamp()
        return state.withLock { state in
            if state.stamp != stamp {
                read(into: &state, found: stamp, at: instant)
            }
            guard state.isLost(at: instant) else {
                return state.list
            }
            if !state.isClosed {
                state.isClosed = true
                logger.error(
                    "the token list cannot be read; every token is refused until it can",
                    metadata: ["file": "\(file.path)"])
            }
            return AccessList()
        }
    }

    private func read(into state: inout State, found: AccessFile.Stamp?, at instant: ContinuousClock.Instant) {
        do throws(AccessProblem) {
            use(try file.read(), in: &state)
        } catch {
            // The stamp from before reading: the same bad file is reported once, and a corrected one is read.
            state.stamp = found
            if case .unreadable = error {
                state.lostSince = state.lostSince ?? instant
            } else if !state.isLost(at: instant) {
                // The file is back in time, with a mistake in it; after that, only a list without one opens again.
                state.lostSince = nil
            }
            logger.error(
                state.isLost(at: instant) ? "every token is refused" : "the tokens in use remain in effect",
                error: error)
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

    /// The tokens that another list does not have, by id and holder, for the log: nothing else keeps revoked ones.
    ///
    /// - Returns: At most ten; nil if there are none.
    private static func summary(of grants: [AccessGrant], without others: [AccessGrant]) -> Logger.MetadataValue? {
        let ids = Set(others.map(\.id))
        let named = grants.filter { !ids.contains($0.id) }.map { "\($0.id) of \($0.name)" }
        guard !named.isEmpty else { return nil }
        let rest = named.count > 10 ? " and \(named.count - 10) more" : ""
        return .string(named.prefix(10).joined(separator: ", ") + rest)
    }
}
