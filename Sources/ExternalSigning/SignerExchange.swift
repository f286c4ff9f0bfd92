package import AttributionSigning
import NIOCore

/// What is requested of one external signer and what it answers, without sockets or clocks: events in, actions out.
///
/// A signer counts as present once it has answered on the connection. When it has answered nothing for as long as a
/// request may take, and one has waited so long, it is away, and requests are refused at once instead of waiting in vain.
package struct SignerExchange {
    /// What bounds it.
    package struct Limits: Sendable {
        /// How long a request may take, waiting included.
        let time: Duration
        /// How many requests the signer has at once, at most.
        let inFlight: Int
        /// How many requests wait until it has fewer.
        let waiting: Int

        /// Makes limits.
        package init(time: Duration = .milliseconds(500), inFlight: Int = 128, waiting: Int = 2_048) {
            self.time = time
            self.inFlight = inFlight
            self.waiting = waiting
        }
    }

    /// Called once with the signature, which is not verified.
    package typealias Answer = @Sendable (Result<[UInt8], ExternalSignerError>) -> Void

    /// Whether it signs.
    package enum Condition: Equatable {
        /// It was not reached yet.
        case starting
        /// There is a connection, on which it has answered nothing yet.
        case checking
        case present
        case away(reason: String)
    }

    /// What is to be done after an event, in this order.
    package enum Action {
        case send([UInt8])
        case answer(Answer, Result<[UInt8], ExternalSignerError>)
        /// The connection cannot be used any more.
        case close
        /// The signer came or went.
        case noteCondition(Condition)
        /// A key cannot be used, which it could before.
        case noteFault(ExternalKey, ExternalSignerError)
    }

    private struct Pending {
        let request: SignatureRequest
        let since: ContinuousClock.Instant
        /// Nil for a sample, which only shows that the key can be used.
        let answer: Answer?
    }

    private struct Sent {
        let pending: Pending
        let at: ContinuousClock.Instant
        /// How many answers had come by then.
        let answeredBefore: Int
        /// It was refused as late, but the signer still has it.
        var isAbandoned = false
    }

    /// What is requested with one key, whose signatures may take longer than those with others.
    private struct Queue {
        var waiting = CircularBuffer<Pending>()
        /// How many requests the signer has.
        var inFlight = 0
        var pace: SignerPace

        var isFull: Bool { inFlight >= pace.inFlight }
    }

    /// For how many times as long as it may take a request counts as the signer's; then it was lost.
    private static let timesUntilLost = 20

    private let socket: String
    private let limits: Limits
    /// Whether it signs.
    package private(set) var condition = Condition.starting
    private var noted = Condition.starting
    private var queues: [ExternalKey: Queue] = [:]
    /// What the signer has, until it answers.
    private var inFlight: [Int64: Sent] = [:]
    private var nextID: Int64 = 1
    private var line: [UInt8] = []
    /// When it last answered anything, or was connected.
    private var heardAt: ContinuousClock.Instant?
    /// What came of the last signature with each key.
    private var verdicts: [ExternalKey: Result<Void, ExternalSignerError>] = [:]

    /// Makes a conversation that has not begun.
    package init(socket: String, limits: Limits = Limits()) {
        self.socket = socket
        self.limits = limits
    }

    /// Whether a key can be used; nil if that is not known yet.
    package func verdict(on key: ExternalKey) -> Result<Void, ExternalSignerError>? {
        if case .away(let reason) = condition { return .failure(.away(socket: socket, reason: reason)) }
        return verdicts[key]
    }

    // MARK: Requests

    /// A signature is requested.
    package mutating func submit(
        _ request: SignatureRequest, at now: ContinuousClock.Instant, answer: @escaping Answer
    ) -> [Action] {
        switch condition {
        case .starting, .checking:
            return [.answer(answer, .failure(.away(socket: socket, reason: "it was not reached yet")))]
        case .away(let reason):
            return [.answer(answer, .failure(.away(socket: socket, reason: reason)))]
        case .present:
            guard queues.values.reduce(0, { $0 + $1.waiting.count }) < limits.waiting else {
                return [.answer(answer, .failure(.busy(socket: socket)))]
            }
            enqueue(Pending(request: request, since: now, answer: answer))
            return send(at: now)
        }
    }

    /// A sample is to show whether a key can be used.
    package mutating func sample(_ keys: some Collection<ExternalKey>, digest: [UInt8], at now: ContinuousClock.Instant)
        -> [Action]
    {
        guard condition == .checking || condition == .present else { return [] }
        for key in keys {
            enqueue(Pending(request: SignatureRequest(key: key, digest: digest), since: now, answer: nil))
        }
        return send(at: now)
    }

    private mutating func enqueue(_ pending: Pending) {
        let new = Queue(pace: SignerPace(time: limits.time, maximum: limits.inFlight))
        queues[pending.request.key, default: new].waiting.append(pending)
    }

    /// The key of the oldest request that the signer may have.
    private var nextKey: ExternalKey? {
        var oldest: (key: ExternalKey, since: ContinuousClock.Instant)?
        for (key, queue) in queues where !queue.isFull {
            guard let since = queue.waiting.first?.since else { continue }
            if oldest.map({ since < $0.since }) ?? true { oldest = (key, since) }
        }
        return oldest?.key
    }

    /// Notes that the signer does not have a request any more.
    private mutating func removeSent(_ id: Int64) {
        guard let sent = inFlight.removeValue(forKey: id) else { return }
        queues[sent.pending.request.key]?.inFlight -= 1
    }

    private mutating func send(at now: ContinuousClock.Instant) -> [Action] {
        var bytes: [UInt8] = []
        var refused: [Action] = []
        while inFlight.count < limits.inFlight, let key = nextKey, let next = queues[key]?.waiting.popFirst(),
            let pace = queues[key]?.pace
        {
            // A signer that has nothing left but what is late already is tried again, however slow it was.
            if let answer = next.answer, !pace.leavesTime(after: now - next.since),
                inFlight.values.contains(where: { !$0.isAbandoned && $0.pending.request.key == key })
            {
                refused.append(.answer(answer, .failure(.busy(socket: socket))))
                continue
            }
            bytes += SignerLine.request(next.request, id: nextID)
            inFlight[nextID] = Sent(pending: next, at: now, answeredBefore: pace.answered)
            queues[key]?.inFlight += 1
            nextID += 1
        }
        return (bytes.isEmpty ? [] : [.send(bytes)]) + refused
    }

    // MARK: The connection

    /// There is a connection.
    package mutating func connected(at now: ContinuousClock.Instant) {
        condition = .checking
        line = []
        heardAt = now
        verdicts = [:]
    }

    /// There is no connection any more, or none could be made.
    package mutating func disconnected(_ reason: String) -> [Action] {
        let sent = inFlight.sorted { $0.key < $1.key }.map(\.value)
        let unanswered = queues.values.flatMap(\.waiting) + sent.filter { !$0.isAbandoned }.map(\.pending)
        (queues, inFlight) = ([:], [:])
        condition = .away(reason: reason)
        let error = ExternalSignerError.away(socket: socket, reason: reason)
        return unanswered.compactMap { pending in
            pending.answer.map { .answer($0, .failure(error)) }
        } + noteCondition()
    }

    /// The signer is needed again: that nobody connected to it meanwhile is not its fault.
    package mutating func neededAgain() {
        guard case .away = condition else { return }
        (condition, noted, verdicts) = (.starting, .starting, [:])
    }

    /// Bytes have come.
    package mutating func received(_ bytes: some Collection<UInt8>, at now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                guard line.count <= SignerLine.limit else { return actions + hangUp("it does not speak the protocol") }
                continue
            }
            guard let answer = SignerLine.answer(line) else {
                return actions + hangUp("it does not speak the protocol")
            }
            line.removeAll(keepingCapacity: true)
            actions += take(answer, at: now)
        }
        return actions + send(at: now)
    }

    private mutating func take(_ answer: SignerLine.Answer, at now: ContinuousClock.Instant) -> [Action] {
        heardAt = now
        var actions: [Action] = []
        if condition == .checking {
            condition = .present
            actions += noteCondition()
        }
        guard let sent = inFlight[answer.id] else { return actions }
        let pending = sent.pending
        let key = pending.request.key
        let wasFull = queues[key]?.isFull ?? false
        removeSent(answer.id)
        let isSigned = if case .success = answer.signature { true } else { false }
        queues[key]?.pace.note(
            answer.id, after: now - sent.at, answeredBefore: sent.answeredBefore, wasFull: wasFull, isSigned: isSigned)
        let result = answer.signature.mapError { ExternalSignerError.refused(key: key.id, reason: $0.word) }
        guard let give = pending.answer else {
            let isValid = result.map { key.publicKey.verifies($0, digest: pending.request.digest) }
            return actions
                + note(isValid.flatMap { $0 ? .success(()) : .failure(.wrongSignature(key: key.id)) }, on: key)
        }
        switch result {
        case .failure(let error): actions += note(.failure(error), on: key)
        // Whoever requested it verifies it: only what the signer itself refused is over.
        case .success: if case .failure(.refused)? = verdicts[key] { verdicts[key] = .success(()) }
        }
        // An answer that comes too late is for no one.
        return sent.isAbandoned ? actions : actions + [.answer(give, result)]
    }

    /// Time has passed.
    package mutating func expire(at now: ContinuousClock.Instant) -> [Action] {
        let late = inFlight.filter { now - $0.value.pending.since >= limits.time }
        // A signer that has lost a request, and owes nothing else, is well.
        let isAnyoneLate =
            late.values.contains { !$0.isAbandoned }
            || queues.values.contains { $0.waiting.first.map { now - $0.since >= limits.time } ?? false }
        if isAnyoneLate, let heardAt, now - heardAt >= limits.time { return hangUp("it does not answer") }
        var actions: [Action] = []
        for (id, sent) in late.sorted(by: { $0.key < $1.key }) {
            if !sent.isAbandoned {
                inFlight[id]?.isAbandoned = true
                actions += give(.failure(.late(socket: socket)), to: sent.pending)
            } else if now - sent.at >= limits.time * Self.timesUntilLost {
                removeSent(id)
            }
        }
        for key in queues.keys {
            while let first = queues[key]?.waiting.first, now - first.since >= limits.time {
                queues[key]?.waiting.removeFirst()
                actions += give(.failure(.late(socket: socket)), to: first)
            }
        }
        return actions + send(at: now)
    }

    private mutating func give(_ result: Result<[UInt8], ExternalSignerError>, to pending: Pending) -> [Action] {
        guard let answer = pending.answer else {
            return note(result.map { _ in }, on: pending.request.key)
        }
        return [.answer(answer, result)]
    }

    private mutating func hangUp(_ reason: String) -> [Action] {
        disconnected(reason) + [.close]
    }

    // MARK: What the log says

    private mutating func note(_ verdict: Result<Void, ExternalSignerError>, on key: ExternalKey) -> [Action] {
        let wasFault = if case .failure? = verdicts[key] { true } else { false }
        verdicts[key] = verdict
        guard case .failure(let error) = verdict, !wasFault else { return [] }
        return [.noteFault(key, error)]
    }

    private mutating func noteCondition() -> [Action] {
        guard condition != noted else { return [] }
        noted = condition
        return [.noteCondition(condition)]
    }
}
