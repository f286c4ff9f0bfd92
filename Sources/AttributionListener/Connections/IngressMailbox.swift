import NIOCore
import Synchronization

/// Takes answers from any thread to the event loop of their connections.
///
/// The first answer wakes the event loop, which finds later ones too. Answers given together wake it after the last of
/// them: woken by the first on a machine with few cores, it would find one answer and have to be woken for the next.
final class IngressMailbox: Sendable {
    /// An answer and the request it belongs to.
    typealias Letter = (serial: UInt64, answer: IngressAnswer)

    private struct State {
        var letters: [Letter] = []
        /// The reader of the letters; nil before the event loop is set up and after its end, when they are dropped.
        var owner: NIOLoopBound<IngressLoop>?
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Delivers to this owner from now on; nil drops every answer.
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
        guard isFirst else { return }
        if let round = Self.round { round.add(self) } else { scheduleVisit() }
    }

    /// Calls `body`, then wakes the event loop of each answer it gave, once each.
    static func together(_ body: () -> Void) {
        let round = Round()
        $round.withValue(round) { body() }
        round.end()
    }

    @TaskLocal private static var round: Round?

    /// The mailboxes that received their first letter during one call of ``together(_:)``.
    private final class Round: Sendable {
        private let mailboxes = Mutex<[IngressMailbox]>([])

        func add(_ mailbox: IngressMailbox) {
            mailboxes.withLock { $0.append(mailbox) }
        }

        func end() {
            for mailbox in mailboxes.withLock({ $0 }) { mailbox.scheduleVisit() }
        }
    }

    private func scheduleVisit() {
        eventLoop.execute { self.empty() }
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
