import Foundation
import Synchronization

/// The limits of a queue that is written in batches.
package struct BatchLimits: Hashable, Sendable {
    /// The most elements that wait; more are refused immediately.
    package let queued: Int
    /// The most elements of one transaction.
    package let batch: Int
    /// How long a busy thread waits for a batch to grow.
    let gatheringMilliseconds = 1
    /// The size up to which it waits for a batch to grow; larger batches save little.
    let largestGatheredBatch = 64
    /// The size of a batch from which on the thread is busy.
    let busyBatch = 4

    package init(queued: Int, batch: Int) {
        self.queued = queued
        self.batch = batch
    }

    /// For postbacks: about 4 MiB of typical bodies, and well under a second of work; larger batches do not reduce the
    /// cost per postback.
    package static let postbacks = BatchLimits(queued: 8_192, batch: 1_024)
    /// For taps on web ads: as many as there are connections, a few tenths of a second of work; a batch is signed in
    /// about ten milliseconds.
    package static let taps = BatchLimits(queued: 4_096, batch: 256)
}

/// Runs work that blocks on a thread of its own, and returns when it has ended.
///
/// - Parameters:
///   - name: The thread's name, of which the kernel keeps 15 bytes.
///   - work: The work.
func runThread(named name: String, _ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { ended in
        let thread = Thread {
            work()
            ended.resume()
        }
        thread.name = name
        thread.start()
    }
}

/// A bounded queue from which one thread takes everything that arrived while it wrote the last batch.
///
/// Under light load an element waits only for its own commit, and under heavy load commits are shared. In between, the
/// thread waits briefly for a batch to grow, because a commit costs as much as ten elements.
final class BatchQueue<Element: Sendable>: Sendable {
    private let limits: BatchLimits
    private let state = Mutex(State())
    /// Signalled when enough elements have arrived for the waiting thread.
    private let arrival = DispatchSemaphore(value: 0)

    private struct State {
        var pending: [Element] = []
        /// When the first element of each pending batch arrived; the clock is read once per batch.
        var batchesReceivedAt: [ContinuousClock.Instant] = []
        var isClosed = false
        /// How many elements the thread waits for; nil if it is not waiting.
        var awaitedCount: Int?

        /// Returns whether the caller must signal the waiting thread, and marks it as signalled.
        mutating func takeWaitingThread() -> Bool {
            guard let awaitedCount, pending.count >= awaitedCount || isClosed else {
                return false
            }
            self.awaitedCount = nil
            return true
        }
    }

    init(limits: BatchLimits) {
        self.limits = limits
    }

    var count: Int {
        state.withLock { $0.pending.count }
    }

    /// Adds an element, from any thread.
    func add(_ element: Element) -> Bool {
        let (isTaken, isThreadWaiting) = state.withLock { state in
            guard !state.isClosed, state.pending.count < limits.queued else { return (false, false) }
            // A new batch begins: batches are taken from the front, with up to this many elements.
            if state.pending.count.isMultiple(of: limits.batch) {
                state.batchesReceivedAt.append(.now)
            }
            state.pending.append(element)
            return (true, state.takeWaitingThread())
        }
        if isThreadWaiting { arrival.signal() }
        return isTaken
    }

    /// Accepts no more elements; accepted ones can still be taken.
    func close() {
        let isThreadWaiting = state.withLock { state in
            state.isClosed = true
            return state.takeWaitingThread()
        }
        if isThreadWaiting { arrival.signal() }
    }

    // MARK: The thread

    /// What ``take(into:atMost:)`` waited for.
    enum Arrival {
        /// A batch, whose first element arrived at this time.
        case batch(receivedAt: ContinuousClock.Instant)
        /// Nothing arrived in time.
        case nothing
        /// The queue is closed and empty.
        case end
    }

    /// Takes the elements that arrived since the last batch, and waits if there are none.
    ///
    /// - Parameters:
    ///   - batch: An empty array, whose memory is reused for pending elements.
    ///   - seconds: How long it waits; nil for as long as nothing arrives.
    /// - Returns: Whether there is a batch.
    func take(into batch: inout [Element], atMost seconds: Double? = nil) -> Arrival {
        while true {
            let (receivedAt, isOver) = state.withLock { state in
                if state.pending.count <= limits.batch {
                    swap(&state.pending, &batch)
                } else {
                    batch.append(contentsOf: state.pending[..<limits.batch])
                    state.pending.removeFirst(limits.batch)
                }
                state.awaitedCount = batch.isEmpty && !state.isClosed ? 1 : nil
                return (batch.isEmpty ? nil : state.batchesReceivedAt.removeFirst(), batch.isEmpty && state.isClosed)
            }
            if isOver { return .end }
            if let receivedAt { return .batch(receivedAt: receivedAt) }
            if let seconds {
                if arrival.wait(timeout: .now() + seconds) == .timedOut { return .nothing }
            } else {
                arrival.wait()
            }
        }
    }

    /// Under load, waits briefly for the next batch to grow to twice the size of the last one.
    func gather(after count: Int) {
        let wanted = min(count * 2, limits.largestGatheredBatch)
        let waits = state.withLock { state in
            guard count >= limits.busyBatch, state.pending.count < wanted, !state.isClosed else {
                return false
            }
            state.awaitedCount = wanted
            return true
        }
        guard waits, arrival.wait(timeout: .now() + .milliseconds(limits.gatheringMilliseconds)) == .timedOut else {
            return
        }
        // After the timeout, a caller may have taken the waiting thread and be about to signal.
        let isSignalled = state.withLock { state in
            defer { state.awaitedCount = nil }
            return state.awaitedCount == nil
        }
        if isSignalled {
            arrival.wait()
        }
    }
}
