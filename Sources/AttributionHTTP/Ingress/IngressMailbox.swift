import NIOCore
import Synchronization

/// Takes answers from any thread to the event loop of their connections.
///
/// A batch is answered all at once: its first answer schedules one visit of the event loop, which finds the others too.
final class IngressMailbox: Sendable {
    /// An answer and the request it belongs to.
    typealias Letter = (serial: UInt64, answer: IngressAnswer)

    private struct State {
        var letters: [Letter] = []
        /// Who reads the letters; nil before the event loop is set up and after its end, when they are dropped.
        var owner: NIOLoopBound<IngressLoop>?
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Delivers to this owner from now on, or to nobody.
    func setOwner(_ owner: NIOLoopBound<IngressLoop>?) {
        state.withLock { $0.owner = owner }
    }

    /// Takes an answer: delivers it at once on the event loop, soon from any other thread.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - serial: The request it belongs to.
    func post(_ answer: IngressAnswer, serial: UInt64) {
        if eventLoop.inEventLoop {
            state.withLock { $0.owner }?.value.deliver((serial, answer))
            return
        }
        let isFirst = state.withLock { state in
            guard state.owner != nil else { return false }
            state.letters.append((serial, answer))
            return state.letters.count == 1
        }
        if isFirst { eventLoop.execute { self.empty() } }
    }

    private func empty() {
        let (owner, letters) = state.withLock { state in
            let letters = state.letters
            state.letters = []
            state.letters.reserveCapacity(letters.count)
            return (state.owner, letters)
        }
        for letter in letters { owner?.value.deliver(letter) }
    }
}
