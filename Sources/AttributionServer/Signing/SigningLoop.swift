import Attribution
import AttributionListener
import AttributionSigning
import Synchronization

/// Signs the requests of one event loop on that loop: all that arrived together in one turn.
///
/// Batches take many turns, between which the loop looks at its sockets, so that other requests need not wait for them.
final class SigningLoop: Sendable {
    private struct State {
        var waiting: [SigningRequest] = []
        /// Whether a turn will come.
        var isScheduled = false
    }

    /// Gives the loop time to look at its sockets.
    private static let pause = Duration.microseconds(50)

    private let capacity: Int
    private let state = Mutex(State())
    /// Used by one turn after the other.
    private let worker: Mutex<SigningWorker>
    private let schedule: IngressSchedule
    private let requestSignatures: RequestSignatures

    /// Makes the queue of an event loop.
    init(
        _ schedule: @escaping IngressSchedule, capacity: Int, requestSignatures: @escaping RequestSignatures,
        worker: sending SigningWorker
    ) {
        self.schedule = schedule
        self.capacity = capacity
        self.requestSignatures = requestSignatures
        self.worker = Mutex(worker)
    }

    var queueDepth: Int {
        state.withLock { $0.waiting.count }
    }

    /// Adds a request; one that there is no room for is refused at once.
    func add(_ request: SigningRequest) {
        guard queueDepth < capacity else {
            return request.refuse(
                Refusal(.overloaded, "too many requests are waiting to be signed", hint: "send it again"))
        }
        putBack([request], after: .zero)
    }

    /// Has requests take part in the next turn, whether or not there is room.
    private func putBack(_ requests: [SigningRequest], after delay: Duration) {
        let isFirst = state.withLock { state in
            state.waiting += requests
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { schedule(delay) { self.turn() } }
    }

    private func turn() {
        let requests = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        let outcome = worker.withLock { $0.sign(requests) }
        for (send, answer) in outcome.answered { send(answer) }
        for (request, signatures) in outcome.awaiting { askSigners(for: signatures, of: request) }
        if !outcome.unfinished.isEmpty { putBack(outcome.unfinished, after: Self.pause) }
    }

    /// Puts a request back with what external signers answer; nothing else waits for them.
    private func askSigners(for signatures: [SignatureRequest], of request: SigningRequest) {
        requestSignatures(signatures) { answers in
            var request = request
            request.awaited?.signatures = answers
            self.putBack([request], after: .zero)
        }
    }
}
