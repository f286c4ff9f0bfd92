package import FoundationEssentials
package import Logging
import Synchronization

/// Decides who may do what on the console, by a list of tokens that may change while it serves.
///
/// The file is looked at with every request that needs a token, and read when it is not the one that was read: a
/// revoked token is refused from the next request on. A list with a mistake leaves the one before in use; one that
/// cannot be read any more does so for ``grace``, and then every token is refused.
package final class AccessControl: Sendable {
    /// How long the last list stays in use when its file vanished or cannot be read: as long as replacing it may take.
    package static let grace = Duration.seconds(10)
    /// How many requests without a good token an address may make each second.
    package static let strangersPerSecond = 50
    /// How many addresses are told apart within a second.
    private static let addresses = 10_000

    private struct State {
        var list: AccessList
        /// The file last looked into, whether or not its list could be used.
        var stamp: AccessFile.Stamp?
        /// Since when the file cannot be read.
        var lostSince: ContinuousClock.Instant?
        var isClosed = false
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
    ///   - file: Where the list is kept.
    ///   - perSecond: How many requests a second each token may be used for.
    ///   - logger: Takes word of changed lists.
    /// - Throws: ``AccessProblem`` when the list cannot be used.
    package convenience init(file: AccessFile, perSecond: Int, logger: Logger) throws(AccessProblem) {
        self.init(file: file, reading: try file.read(), perSecond: perSecond, logger: logger)
    }

    /// Begins with a list that was read already.
    ///
    /// - Parameters:
    ///   - file: Where the list is kept.
    ///   - reading: What was in the file.
    ///   - perSecond: How many requests a second each token may be used for.
    ///   - logger: Takes word of changed lists.
    package init(file: AccessFile, reading: AccessFile.Reading, perSecond: Int, logger: Logger) {
        self.file = file
        self.logger = logger
        uses = AccessUses(of: file, logger: logger)
        state = Mutex(State(list: reading.list, stamp: reading.stamp))
        callers = Mutex(RateBounds(perSecond: perSecond, capacity: AccessList.limit))
        strangers = Mutex(RateBounds(perSecond: Self.strangersPerSecond, capacity: Self.addresses))
    }

    /// Judges by a list that was read again, changed or not.
    package func use(_ reading: AccessFile.Reading) {
        state.withLock { use(reading, in: &$0) }
    }

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - access: What the route asks for.
    ///   - authorization: The values of all Authorization lines.
    ///   - client: The network the request comes from, asked for only when it has no good token; nil when not known.
    ///   - now: The present, for tokens that expire.
    ///   - instant: The present, for the rates.
    /// - Returns: Who asks, if the token is good; and why the request is refused, if it is.
    package func judge(
        _ access: RouteAccess,
        authorization: [String],
        client: () -> String?,
        now: Date,
        instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        // Open routes are for probes of liveness, whom no stranger's requests may shut out.
        guard case .scope(let needed) = access else {
            return (nil, nil)
        }
        let judgement = currentList(at: instant).judge(authorization: authorization, needed: needed, now: now)
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

    /// Keeps when tokens were used; to be called often, from where a file may be written.
    ///
    /// - Parameter instant: The present; nil at the end, when everything is kept.
    package func saveUses(at instant: ContinuousClock.Instant?) {
        uses.save(Set(state.withLock { $0.list }.grants.map(\.id)), at: instant)
    }

    private func currentList(at instant: ContinuousClock.Instant) -> AccessList {
        let stamp = file.currentStamp()
        return state.withLock { state in
            if state.stamp != stamp {
                read(into: &state, found: stamp, at: instant)
            }
            guard let lostSince = state.lostSince, lostSince.advanced(by: Self.grace) <= instant else {
                return state.list
            }
            if !state.isClosed {
                state.isClosed = true
                logger.error(
                    "the list of tokens cannot be read, and every token is refused until it can",
                    metadata: ["file": "\(file.path)"])
            }
            return AccessList()
        }
    }

    private func read(into state: inout State, found: AccessFile.Stamp?, at instant: ContinuousClock.Instant) {
        do throws(AccessProblem) {
            use(try file.read(), in: &state)
        } catch {
            // The stamp from before the look: the same bad file is complained about once, a mended one is read.
            state.stamp = found
            if case .unreadable = error {
                state.lostSince = state.lostSince ?? instant
            }
            logger.error("the tokens in use stay", metadata: ["error": "\(error)"])
        }
    }

    private func use(_ reading: AccessFile.Reading, in state: inout State) {
        let former = state.list.grants.count
        state = State(list: reading.list, stamp: reading.stamp)
        logger.notice(
            "tokens read again", metadata: ["count": "\(reading.list.grants.count)", "former": "\(former)"])
    }
}
