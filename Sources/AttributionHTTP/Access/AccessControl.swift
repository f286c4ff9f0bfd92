import FoundationEssentials
public import Logging
import Synchronization

/// Decides who may do what on the console, by a list of tokens that may change while it serves.
///
/// The file is looked at with every request that needs a token, and read when it is not the one that was read: a
/// revoked token is refused from the next request on. A list that cannot be used leaves the one before in use.
public final class AccessControl: Sendable {
    /// How many requests without a good token an address may make each second.
    public static let strangersPerSecond = 50
    /// How many addresses are told apart within a second.
    private static let addresses = 10_000

    private struct State {
        var list: AccessList
        /// The file last looked into, whether or not its list could be used.
        var stamp: AccessFile.Stamp?
    }

    private let file: AccessFile
    private let logger: Logger
    private let state: Mutex<State>
    private let callers: Mutex<RateBounds<String>>
    private let strangers: Mutex<RateBounds<InternetAddress?>>

    /// Reads the list.
    ///
    /// - Parameters:
    ///   - file: Where the list is kept.
    ///   - perSecond: How many requests a second each token may be used for.
    ///   - logger: Takes word of changed lists.
    /// - Throws: ``AccessProblem`` when the list cannot be used.
    public init(file: AccessFile, perSecond: Int, logger: Logger) throws(AccessProblem) {
        let (list, stamp) = try file.loadStamped()
        self.file = file
        self.logger = logger
        state = Mutex(State(list: list, stamp: stamp))
        callers = Mutex(RateBounds(perSecond: perSecond, capacity: AccessList.limit))
        strangers = Mutex(RateBounds(perSecond: Self.strangersPerSecond, capacity: Self.addresses))
    }

    /// Reads the list again, changed or not.
    public func reload() {
        let stamp = file.currentStamp()
        state.withLock { read(into: &$0, found: stamp) }
    }

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - access: What the route asks for.
    ///   - authorization: The values of all Authorization lines.
    ///   - address: Where the request comes from; nil when that is not known.
    ///   - now: The present, for tokens that expire.
    ///   - instant: The present, for the rates.
    /// - Returns: Who asks, if the token is good; and why the request is refused, if it is.
    func judge(
        _ access: ConsoleAccess,
        authorization: [String],
        address: InternetAddress?,
        now: Date,
        instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        // Open routes are for probes of liveness, whom no stranger's requests may shut out.
        guard case .scope(let needed) = access else {
            return (nil, nil)
        }
        let judgement = currentList().judge(authorization: authorization, needed: needed, now: now)
        let wait: Duration?
        if let caller = judgement.caller {
            wait = callers.withLock { $0.take(caller.id, at: instant) }
        } else {
            // Requests without an address share one bucket.
            wait = strangers.withLock { $0.take(address?.clientNetwork, at: instant) }
        }
        return wait.map { (judgement.caller, .tooFast(retryAfter: $0)) } ?? judgement
    }

    private func currentList() -> AccessList {
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
            (state.list, state.stamp) = try file.loadStamped()
            logger.notice("tokens read again", metadata: ["count": "\(state.list.grants.count)"])
        } catch {
            // The stamp from before the look: the same bad file is complained about once, a mended one is read.
            state.stamp = found
            logger.error("the tokens in use stay", metadata: ["error": "\(error)"])
        }
    }
}
