import AttributionListener
import AttributionSigning
import CodedErrors
import Synchronization

/// Signs the requests of one event loop on that loop, many at a time.
///
/// What one look at the sockets brought is signed and verified together, one request of each client in turn. So under
/// load turns are large and verification is cheap; in between ``TurnPace`` sees to that; and under light load a request
/// waits for nothing, not even for another thread.
final class SigningLoop: Sendable {
    private struct State {
        var queue: FairQueue<SigningRequest.Holder, SigningRequest>
        /// Whether a turn will come.
        var isScheduled = false
    }

    private let state: Mutex<State>
    /// Used by one turn after the other.
    private let worker: Mutex<SigningWorker>
    private let pace = Mutex(TurnPace())
    private let turns: IngressTurns
    private let requestSignatures: RequestSignatures

    /// Makes the queue of an event loop.
    ///
    /// - Parameters:
    ///   - turns: Runs the turns on the event loop.
    ///   - capacity: How much may wait.
    ///   - requestSignatures: Requests signatures with keys that are not in this process.
    ///   - worker: Signs the requests.
    init(
        _ turns: IngressTurns, capacity: Int, requestSignatures: @escaping RequestSignatures,
        worker: sending SigningWorker
    ) {
        self.turns = turns
        self.requestSignatures = requestSignatures
        self.worker = Mutex(worker)
        state = Mutex(State(queue: FairQueue(capacity: capacity)))
    }

    /// How much waits to be signed.
    var queueDepth: Int {
        state.withLock { $0.queue.weight }
    }

    /// Adds a request; what there is no room for is refused at once.
    func add(_ request: SigningRequest) {
        let refused = state.withLock { $0.queue.add(request, weight: request.weight, for: request.holder) }
        schedule()
        for request in refused {
            request.refuse(Refusal(.overloaded, "too many requests are waiting to be signed", hint: "send it again"))
        }
    }

    /// Schedules a turn, unless one is scheduled already.
    private func schedule() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst {
            turns.afterReading { self.turn() }
        }
    }

    private func turn() {
        let start = ContinuousClock.now
        let outcome = worker.withLock { worker in
            worker.sign { self.state.withLock { $0.queue.takeNext() } }
        }
        let hasMore = state.withLock { state in
            for request in outcome.unfinished {
                state.queue.putBack(request, weight: request.weight, for: request.holder)
            }
            state.isScheduled = state.queue.weight > 0
            return state.isScheduled
        }
        for (send, answer) in outcome.answered { send(answer) }
        for (request, signatures) in outcome.awaiting { askSigners(for: signatures, of: request) }
        if hasMore {
            // Not at once, so that shorter requests can take their turn before the rest of a batch; and only now,
            // because answering takes longer than the loop waits.
            turns.afterReadingAgain { self.turn() }
        } else if !outcome.answered.isEmpty,
            pace.withLock({
                $0.shouldRest(afterSigning: outcome.answered.count, from: start, to: ContinuousClock.now)
            })
        {
            turns.rest(TurnPace.rest)
        }
    }

    /// Puts a request back with what external signers answer; nothing else waits for them.
    private func askSigners(for signatures: [SignatureRequest], of request: SigningRequest) {
        requestSignatures(signatures) { answers in
            var request = request
            request.awaited?.signatures = answers
            self.state.withLock { $0.queue.putBack(request, weight: request.weight, for: request.holder) }
            self.schedule()
        }
    }
}
