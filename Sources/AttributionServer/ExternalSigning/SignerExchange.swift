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
        /// It has answered nothing yet on a connection, or there was none yet.
        case starting
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
        /// It was refused as late, but the signer still has it.
        var isLate = false
    }

    /// For how many times as long as it may take a request counts as the signer's; then it was lost.
    private static let timesUntilLost = 20
    /// With so many late requests at once, the signer has too much.
    private static let manyLate = 8

    private let socket: String
    private let limits: Limits
    /// Whether it signs.
    package private(set) var condition = Condition.starting
    /// What was noted last, across connections.
    private var noted = Condition.starting
    private var isConnected = false
    private var waiting = CircularBuffer<Pending>()
    /// What the signer has, until it answers.
    private var inFlight: [Int64: Sent] = [:]
    private var nextID: Int64 = 1
    private var line: [UInt8] = []
    /// When it last answered anything, or was connected.
    private var heardAt: ContinuousClock.Instant?
    /// The outcome of the last signature with each key.
    private var verdicts: [ExternalKey: Result<Void, ExternalSignerError>] = [:]
    /// How much the signer has at once: fewer once it takes longer than half of the time, for what a slow signer has
    /// beyond that would all be answered too late.
    private var window: Int
    /// How many answers have come since ``window`` changed, and when that was.
    private var answered = 0
    private var windowChangedAt: ContinuousClock.Instant?

    /// Makes a conversation that has not begun.
    package init(socket: String, limits: Limits = Limits()) {
        self.socket = socket
        self.limits = limits
        window = limits.inFlight
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
        case .starting:
            return [.answer(answer, .failure(.away(socket: socket, reason: "it was not reached yet")))]
        case .away(let reason):
            return [.answer(answer, .failure(.away(socket: socket, reason: reason)))]
        case .present:
            guard waiting.count < limits.waiting else {
                return [.answer(answer, .failure(.busy(socket: socket)))]
            }
            waiting.append(Pending(request: request, since: now, answer: answer))
            return send(at: now)
        }
    }

    /// A sample is to show whether a key can be used.
    package mutating func sample(_ keys: some Collection<ExternalKey>, digest: [UInt8], at now: ContinuousClock.Instant)
        -> [Action]
    {
        guard isConnected else { return [] }
        for key in keys {
            waiting.append(Pending(request: SignatureRequest(key: key, digest: digest), since: now, answer: nil))
        }
        return send(at: now)
    }

    private mutating func send(at now: ContinuousClock.Instant) -> [Action] {
        var bytes: [UInt8] = []
        var refused: [Action] = []
        while inFlight.count < window, let next = waiting.popFirst() {
            // What has waited so long would probably be late; but a signer with nothing to do is tried.
            if let answer = next.answer, now - next.since > limits.time / 4, !inFlight.isEmpty {
                refused.append(.answer(answer, .failure(.busy(socket: socket))))
                continue
            }
            bytes += SignerLine.request(next.request, id: nextID)
            inFlight[nextID] = Sent(pending: next, at: now)
            nextID += 1
        }
        return (bytes.isEmpty ? [] : [.send(bytes)]) + refused
    }

    /// Whether the signer has as much as it may, or so much that several requests are late: one alone may be lost.
    private func isLoaded(answering sent: Sent, at now: ContinuousClock.Instant) -> Bool {
        inFlight.count >= window
            || now - sent.at > limits.time / 2 && inFlight.values.count { $0.isLate } >= Self.manyLate
    }

    /// Notes how long a signer that is loaded took for an answer.
    private mutating func adjustWindow(for sent: Sent, at now: ContinuousClock.Instant) {
        // What was sent before a change does not show its effect.
        guard windowChangedAt.map({ sent.at >= $0 }) ?? true else { return }
        answered += 1
        let turnaround = now - sent.at
        if turnaround > limits.time / 2 {
            window = max(1, Int(Double(min(window, inFlight.count)) * (limits.time / turnaround) * 0.45))
        } else if window < limits.inFlight, answered >= window {
            window += 1
        } else {
            return
        }
        (answered, windowChangedAt) = (0, now)
    }

    // MARK: The connection

    /// There is a connection.
    package mutating func connected(at now: ContinuousClock.Instant) {
        condition = .starting
        isConnected = true
        line = []
        heardAt = now
        verdicts = [:]
        window = limits.inFlight
    }

    /// There is no connection any more, or none could be made.
    package mutating func disconnected(_ reason: String) -> [Action] {
        let sent = inFlight.sorted { $0.key < $1.key }.map(\.value)
        let unanswered = waiting + sent.filter { !$0.isLate }.map(\.pending)
        waiting.removeAll()
        inFlight = [:]
        isConnected = false
        let error = ExternalSignerError.away(socket: socket, reason: reason)
        return unanswered.compactMap { pending in
            pending.answer.map { .answer($0, .failure(error)) }
        } + become(.away(reason: reason))
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
        var actions = become(.present)
        guard let sent = inFlight[answer.id] else { return actions }
        if isLoaded(answering: sent, at: now) { adjustWindow(for: sent, at: now) }
        inFlight[answer.id] = nil
        let pending = sent.pending
        let key = pending.request.key
        let result = answer.signature.mapError { ExternalSignerError.refused(key: key.id, reason: $0.word) }
        guard let give = pending.answer else {
            let isValid = result.map { key.publicKey.verifies($0, digest: pending.request.digest) }
            return actions
                + note(isValid.flatMap { $0 ? .success(()) : .failure(.wrongSignature(key: key.id)) }, on: key)
        }
        switch result {
        case .failure(let error): actions += note(.failure(error), on: key)
        // The requester verifies it: only what the signer itself refused is over.
        case .success: if case .failure(.refused)? = verdicts[key] { verdicts[key] = .success(()) }
        }
        return sent.isLate ? actions : actions + [.answer(give, result)]
    }

    /// Time has passed.
    package mutating func expire(at now: ContinuousClock.Instant) -> [Action] {
        let late = inFlight.filter { now - $0.value.pending.since >= limits.time }.sorted { $0.key < $1.key }
        let lateInLine = waiting.prefix { now - $0.since >= limits.time }
        // A signer that has lost a request, and owes nothing else, is well.
        let isAnyoneLate = late.contains { !$0.value.isLate } || !lateInLine.isEmpty
        if isAnyoneLate, let heardAt, now - heardAt >= limits.time { return hangUp("it does not answer") }
        var actions: [Action] = []
        for (id, sent) in late {
            if !sent.isLate {
                inFlight[id]?.isLate = true
                actions += refuseAsLate(sent.pending)
            } else if now - sent.at >= limits.time * Self.timesUntilLost {
                inFlight[id] = nil
            }
        }
        for pending in lateInLine { actions += refuseAsLate(pending) }
        waiting.removeFirst(lateInLine.count)
        return actions + send(at: now)
    }

    private mutating func refuseAsLate(_ pending: Pending) -> [Action] {
        let error = ExternalSignerError.late(socket: socket)
        return pending.answer.map { [.answer($0, .failure(error))] } ?? note(.failure(error), on: pending.request.key)
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

    private mutating func become(_ new: Condition) -> [Action] {
        condition = new
        guard noted != new else { return [] }
        noted = new
        return [.noteCondition(new)]
    }
}
