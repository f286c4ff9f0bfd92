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
    }

    private let logger: Logger
    private let metrics: SignerMetrics
    private let limits: SignerExchange.Limits
    private let state = Mutex(State())

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
    package convenience init(connectedTo keys: Set<ExternalKey>) async {
        self.init(
            logger: Logger(label: "skan") { _ in SwiftLogNoOpLogHandler() }, metricsFactory: NOOPMetricsHandler.instance
        )
        use(keys)
        await checked()
    }

    /// Connects to the signers of some keys, and leaves those that these keys do not need.
    package func use(_ keys: Set<ExternalKey>) {
        let groups = Dictionary(grouping: keys, by: \.socket).mapValues { Set($0) }
        let (kept, left) = state.withLock { state in
            let former = state.clients
            state.keys = keys
            state.clients = [:]
            for (socket, keys) in groups {
                state.clients[socket] =
                    former[socket] ?? SignerClient(socket: socket, keys: keys, limits: limits, logger: logger)
            }
            return (former.filter { groups[$0.key] != nil }, former.filter { groups[$0.key] == nil })
        }
        for (socket, client) in kept { client.use(groups[socket] ?? []) }
        for client in left.values { client.close() }
    }

    /// Requests signatures; see ``AttributionSigning/RequestSignatures``.
    package func request(_ requests: [SignatureRequest], answer: @escaping @Sendable (ExternalSignatures) -> Void) {
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
        state.withLock { $0.clients }.map { ($0.key, $0.value.isPresent) }.sorted { $0.0 < $1.0 }
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

/// The metrics of external signers.
///
/// - `skan_external_signatures_total{key,outcome}`: requested signatures, by the first digits of the key's fingerprint and
///   what came of them.
/// - `skan_external_signature_seconds{key}`: the time of those that were made.
struct SignerMetrics: Sendable {
    let factory: any MetricsFactory

    /// Counts what came of a request.
    func count(_ result: Result<[UInt8], ExternalSignerError>, of key: ExternalKey, after time: Duration) {
        let outcome = if case .failure(let error) = result { error.outcome } else { "signed" }
        // The factory returns the same counter for the same labels.
        Counter(
            label: "skan_external_signatures_total", dimensions: [("key", key.name), ("outcome", outcome)],
            factory: factory
        ).increment()
        guard outcome == "signed" else { return }
        Timer(label: "skan_external_signature_seconds", dimensions: [("key", key.name)], factory: factory)
            .record(duration: time)
    }
}
