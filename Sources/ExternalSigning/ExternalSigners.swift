package import AttributionSigning
package import Logging
package import Metrics
import ServiceLifecycle
import Synchronization

/// The external signers of a key list: processes that hold private keys, in an HSM or a KMS, and sign with them.
///
/// Nothing blocks on a signer. The protocol is described in <doc:ExternalSigners>.
package final class ExternalSigners: Service {
    private struct State {
        var clients: [String: SignerClient] = [:]
        var keys: Set<ExternalKey> = []
        /// The sockets of the list before, which batches that began with it may still need.
        var former: Set<String> = []
    }

    private let logger: Logger
    private let metrics: SignerMetrics
    private let limits: SignerExchange.Limits
    private let state = Mutex(State())

    /// Makes an object without signers.
    ///
    /// - Parameters:
    ///   - logger: Where it is logged that signers come and go.
    ///   - metricsFactory: Where signatures are counted.
    ///   - limits: What bounds the exchange with each signer.
    package init(
        logger: Logger, metricsFactory: any MetricsFactory, limits: SignerExchange.Limits = SignerExchange.Limits()
    ) {
        self.logger = logger
        self.limits = limits
        metrics = SignerMetrics(factory: metricsFactory)
    }

    deinit {
        close()
    }

    /// Makes an object for a command, and waits until it is known whether the signers of its keys sign.
    ///
    /// - Parameter keys: The keys.
    package convenience init(connectedTo keys: Set<ExternalKey>) async {
        self.init(
            logger: Logger(label: "skan") { _ in SwiftLogNoOpLogHandler() }, metricsFactory: NOOPMetricsHandler.instance
        )
        use(keys)
        await checked()
    }

    /// Connects to the signers of some keys, and leaves those that neither these nor the former keys need.
    package func use(_ keys: Set<ExternalKey>) {
        let groups = Dictionary(grouping: keys, by: \.socket).mapValues { Set($0) }
        let (kept, former, left) = state.withLock { state in
            let left = state.clients.filter { groups[$0.key] == nil && !state.former.contains($0.key) }
            for socket in left.keys { state.clients[socket] = nil }
            state.former = Set(groups.keys)
            state.keys = keys
            var kept: [(SignerClient, Set<ExternalKey>)] = []
            for (socket, keys) in groups {
                if let client = state.clients[socket] {
                    kept.append((client, keys))
                } else {
                    state.clients[socket] = SignerClient(
                        socket: socket, keys: keys, limits: limits, logger: logger)
                }
            }
            return (kept, state.clients.filter { groups[$0.key] == nil }, left)
        }
        for (client, keys) in kept { client.use(keys) }
        for client in former.values { client.retire() }
        for client in left.values { client.close() }
    }

    /// Requests signatures; see ``AttributionSigning/RequestSignatures``.
    package func request(
        _ requests: [SignatureRequest], answer: @escaping @Sendable (ExternalSignatures) -> Void
    ) {
        let requests = Set(requests)
        guard !requests.isEmpty else { return answer([:]) }
        let answers = Answers(count: requests.count, answer)
        let started = ContinuousClock.now
        for (socket, group) in Dictionary(grouping: requests, by: \.key.socket) {
            let submitted = group.map { request in
                (
                    request,
                    { @Sendable (result: Result<[UInt8], ExternalSignerError>) in
                        self.metrics.count(result, of: request.key, after: .now - started)
                        answers.add(result, to: request)
                    }
                )
            }
            guard let client = state.withLock({ $0.clients[socket] }) else {
                let error = ExternalSignerError.away(socket: socket, reason: "it is no longer in the list of keys")
                for (_, answer) in submitted { answer(.failure(error)) }
                continue
            }
            client.submit(submitted)
        }
    }

    /// Requests any number of signatures, a few at a time, and waits for the answers.
    ///
    /// So a file with many orders has all of them signed in time, however slow the signer is.
    package func signatures(for requests: [SignatureRequest]) async -> ExternalSignatures {
        var signatures: ExternalSignatures = [:]
        var rest = requests[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(Self.requestedAtOnce))
            rest = rest.dropFirst(next.count)
            let answers = await withCheckedContinuation { continuation in
                request(next) { continuation.resume(returning: $0) }
            }
            signatures.merge(answers) { former, _ in former }
        }
        return signatures
    }

    private static let requestedAtOnce = 16

    /// Stays connected until a graceful shutdown.
    package func run() async throws {
        try? await gracefulShutdown()
        close()
    }

    /// Leaves all signers.
    package func close() {
        let clients = state.withLock { state in
            defer { state.clients = [:] }
            return state.clients
        }
        for client in clients.values { client.close() }
    }

    // MARK: Whether they sign

    /// The sockets of the signers in use, each with whether it answers.
    package var presence: [(socket: String, isPresent: Bool)] {
        let (clients, keys) = state.withLock { ($0.clients, $0.keys) }
        let sockets = Set(keys.map(\.socket))
        return clients.filter { sockets.contains($0.key) }.map { ($0.key, $0.value.isPresent) }.sorted { $0.0 < $1.0 }
    }

    /// Whether each key in use can be used: a sample was signed on the present connection, and nothing failed since.
    ///
    /// A key whose signer was not heard yet is not listed.
    package var verdicts: [(key: ExternalKey, verdict: Result<Void, ExternalSignerError>)] {
        let (clients, keys) = state.withLock { ($0.clients, $0.keys) }
        return keys.sorted { ($0.socket, $0.id) < ($1.socket, $1.id) }.compactMap { key in
            clients[key.socket]?.verdict(on: key).map { (key, $0) }
        }
    }

    /// Waits until it is known of every key whether it can be used, for at most two seconds.
    ///
    /// - Returns: The verdicts; that on a key whose signer does not answer is a failure.
    @discardableResult
    package func checked() async -> [(key: ExternalKey, verdict: Result<Void, ExternalSignerError>)] {
        let end = ContinuousClock.now + .seconds(2)
        let count = state.withLock { $0.keys.count }
        // A verdict is unknown again while a signer that hangs up is connected anew.
        var verdicts = verdicts
        while verdicts.count < count, ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { break }
            verdicts = self.verdicts
        }
        return verdicts
    }
}

/// Collects the answers to some requests.
private final class Answers: Sendable {
    private struct State {
        var missing: Int
        var answers: ExternalSignatures = [:]
    }

    private let state: Mutex<State>
    private let answer: @Sendable (ExternalSignatures) -> Void

    init(count: Int, _ answer: @escaping @Sendable (ExternalSignatures) -> Void) {
        state = Mutex(State(missing: count))
        self.answer = answer
    }

    func add(_ result: Result<[UInt8], ExternalSignerError>, to request: SignatureRequest) {
        let all = state.withLock { state -> ExternalSignatures? in
            state.answers[request] = result
            state.missing -= 1
            return state.missing == 0 ? state.answers : nil
        }
        if let all { answer(all) }
    }
}
