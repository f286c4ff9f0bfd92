package import AttributionSigning
package import AttributionStore
import Dispatch
import FoundationEssentials
package import Logging
package import Metrics
import ServiceLifecycle
import Synchronization

/// Forwards what a store records to its destinations, each at its own pace.
///
/// Recording never waits for it: it reads what was committed. Of the nodes on one database each delivers to the
/// destinations that it claimed first.
package final class Forwarder: Service {
    private struct State {
        var destinations: [Destination]
        /// What the store said of those that are ours, by name.
        var claimed: [String: StoredDestination] = [:]
        var running: [String: Destination] = [:]
        var counts: [String: DestinationCounts] = [:]
        var status = ForwardingStatus(destinations: [])
    }

    private let reader: any LedgerReading
    private let writer: any DestinationWriting
    private let sender: DestinationSender
    private let logger: Logger
    private let metricsFactory: any MetricsFactory
    private let state: Mutex<State>
    /// Writing blocks.
    private let queue = DispatchQueue(label: "skan-forwarding")

    /// Between two looks at the state in the store, and between those at the backlog.
    private static let interval = Duration.seconds(2)
    private static let looksPerStatus = 5

    /// Makes the service, which closes the reader, and begins new destinations at the present.
    package init(
        _ destinations: [Destination], reader: any LedgerReading, writer: any DestinationWriting,
        verifier: @escaping @Sendable () -> PostbackVerifier, logger: Logger, metricsFactory: any MetricsFactory
    ) {
        self.reader = reader
        self.writer = writer
        sender = DestinationSender(verifier: verifier)
        self.logger = logger
        self.metricsFactory = metricsFactory
        state = Mutex(State(destinations: destinations))
        claim()
    }

    /// Replaces the destinations; those that stay the same are not interrupted.
    package func use(_ destinations: [Destination]) {
        state.withLock { $0.destinations = destinations }
    }

    /// Pauses a destination or lets it go on; of one that this process delivers to, at once.
    ///
    /// - Returns: Whether there is such a destination.
    package func setState(of name: String, to state: DestinationState) throws -> Bool {
        guard try writer.setState(of: name, to: state) else {
            return false
        }
        // Behind one that is under way, which may have read the former state.
        queue.sync { claim() }
        return true
    }

    /// How it goes, as of some seconds ago.
    package var status: ForwardingStatus {
        state.withLock { state in
            var status = state.status
            let names = state.destinations.map(\.name)
            status.destinations = status.destinations.filter { names.contains($0.destination.name) }
            return status
        }
    }

    /// Forwards until a graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                var looks = 0
                while !Task.isCancelled {
                    await inQueue { self.claim() }
                    for runner in startable() {
                        group.addTask {
                            await runner.run()
                            self.state.withLock { $0.running[runner.destination.name] = nil }
                        }
                    }
                    if looks.isMultiple(of: Self.looksPerStatus), let status = try? await reader.forwardingStatus() {
                        state.withLock { $0.status = status }
                    }
                    looks += 1
                    try? await Task.sleep(for: Self.interval)
                }
            }
        }
        // Another node need not wait for the end of the claim.
        await inQueue { _ = try? self.writer.claim([]) }
        reader.close()
    }

    private func claim() {
        let names = state.withLock { $0.destinations.map(\.name) }
        let claimed: [StoredDestination]
        do {
            claimed = try writer.claim(names)
        } catch {
            // Another node may have them by the time the store answers again.
            claimed = []
            logger.debug("destinations cannot be claimed", metadata: ["error": "\(error)"])
        }
        state.withLock { state in
            state.claimed = Dictionary(claimed.map { ($0.name, $0) }) { first, _ in first }
        }
    }

    /// Runners for the destinations that are ours, and have none.
    private func startable() -> [DestinationRunner] {
        state.withLock { state in
            state.destinations.compactMap { destination in
                let name = destination.name
                guard state.running[name] == nil, let stored = state.claimed[name], stored.state == .running else {
                    return nil
                }
                state.running[name] = destination
                let counts =
                    state.counts[name] ?? DestinationCounts(name, logger: logger, factory: metricsFactory)
                state.counts[name] = counts
                return DestinationRunner(
                    destination: destination, stored: stored, reader: reader, sender: sender, logger: logger,
                    counts: counts, current: { [weak self] in self?.stored(destination) }
                ) { [queue, writer] progress in
                    try await withCheckedThrowingContinuation { continuation in
                        queue.async { continuation.resume(with: Result { try writer.save(progress) }) }
                    }
                }
            }
        }
    }

    /// What the store said of a destination that is ours, and described like this; nil of any other.
    private func stored(_ destination: Destination) -> StoredDestination? {
        state.withLock { state in
            state.destinations.contains(destination) ? state.claimed[destination.name] : nil
        }
    }

    private func inQueue(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                work()
                continuation.resume()
            }
        }
    }
}
