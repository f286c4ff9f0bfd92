import AttributionListener
import FoundationEssentials
import NIOCore
import Testing

/// What happens to a connection and what it then does, both as text: a row of ``ConnectionStateMachineTests``.
struct ConnectionScript: Sendable, CustomTestStringConvertible {
    enum Event: Sendable {
        case bytes(String)
        /// So many bytes of answers are not taken by the socket.
        case unsent(Int)
        /// The route answers the request of a number.
        case answer(Int)
        /// The socket has taken the last answer.
        case written
        case writable(Bool)
        /// The channel wants to read.
        case wantsRead
        case inputClosed
        case serverStops
        /// So many seconds since the connection was opened.
        case time(Double)
        /// The server waits no longer for its clients.
        case waitsNoLonger
        case closed
    }

    let testDescription: String
    var limits = IngressLimits()
    /// Whether the connection is open to probes only.
    var isReserved = false
    let events: [Event]
    let actions: [String]

    /// What the machine does.
    func play() -> [String] {
        var player = Player(self)
        for event in events { player.play(event) }
        return player.actions
    }

    private struct Player {
        private var machine: ConnectionStateMachine
        private var unread: [UInt8] = []
        private var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
        private var unsent = 0
        private(set) var actions: [String] = []

        init(_ script: ConnectionScript) {
            machine = ConnectionStateMachine(
                peer: ConnectionPeer(InternetAddress("192.0.2.1"), trustedProxies: .none),
                isReserved: script.isReserved, routes: Post.routes, limits: script.limits, at: now)
        }

        mutating func play(_ event: Event) {
            switch event {
            case .bytes(let text):
                unread += text.utf8
                machine.bytesArrived(at: now, receivedAt: .distantPast)
            case .unsent(let count):
                unsent = count
            case .answer(let number):
                answer(number)
            case .written:
                perform(machine.lastAnswerWritten(at: now))
            case .writable(let isWritable):
                machine.writabilityChanged(isWritable, unsent: unsent, at: now)
            case .wantsRead:
                actions.append(machine.readRequested() ? "read now" : "hold the read")
            case .inputClosed:
                perform(machine.inputClosed(at: now))
            case .serverStops:
                perform(machine.serverStops(at: now))
            case .waitsNoLonger:
                perform(machine.waitsNoLonger(at: now) { unsent })
            case .time(let seconds):
                now = .uptimeNanoseconds(1_000_000_000 + UInt64(seconds * 1_000_000_000))
                perform(machine.timePassed(at: now) { unsent })
            case .closed:
                if machine.closed() != nil { actions.append("an answer is lost") }
            }
            while true {
                var consumed = 0
                let action = unread.withUnsafeBytes { machine.next(in: $0, consumed: &consumed) }
                unread.removeFirst(consumed)
                guard let action else { break }
                perform(action)
            }
        }

        private mutating func answer(_ number: Int) {
            guard let form = machine.answered(number, at: now) else { return actions.append("drop answer \(number)") }
            actions.append("answer \(number)\(end(form))")
            if form.isLast { machine.lastAnswerHandedOver(unsent: unsent) }
        }

        private mutating func perform(_ action: ConnectionAction?) {
            switch action {
            case .handOver(let request, _, let number):
                actions.append("hand over \(number): \(String(decoding: request.body, as: UTF8.self))")
            case .refuse(let refusal, let form):
                actions.append("refuse: \("\(refusal)".prefix { $0 != "(" })\(end(form))")
            case .sendContinue: actions.append("continue")
            case .read: actions.append("read")
            case .closeOutput: actions.append("close the output")
            case .close: actions.append("close")
            case .finishWriting:
                actions.append("finish writing")
                machine.lastAnswerHandedOver(unsent: unsent)
            case .closeIdle: actions.append("close, idle")
            case .cutOff(let reason): actions.append("cut off: \(reason.rawValue)")
            case nil: break
            }
        }

        private func end(_ form: AnswerForm) -> String { form.isLast ? ", last" : "" }
    }
}

@Suite("The state of a connection, without a socket")
struct ConnectionStateMachineTests {
    @Test("Requests are handed over and answered in order, within the bounds", arguments: ConnectionScript.order)
    func order(script: ConnectionScript) {
        #expect(script.play() == script.actions)
    }

    @Test("A connection ends in order, or at a deadline", arguments: ConnectionScript.ends)
    func ends(script: ConnectionScript) {
        #expect(script.play() == script.actions)
    }

    @Test(
        "However the bytes are cut, the same is done with them", arguments: [1, 7, 50],
        ConnectionScript.order.filter { script in
            // Where reading is held or answered early depends on what has come.
            script.events.count { if case .bytes = $0 { true } else { false } } == 1
        }
    )
    func pieces(size: Int, script: ConnectionScript) {
        let events = script.events.flatMap { event in
            guard case .bytes(let text) = event else { return [event] }
            let bytes = Array(text.utf8)
            return stride(from: 0, to: bytes.count, by: size).map {
                .bytes(String(decoding: bytes[$0..<min(bytes.count, $0 + size)], as: UTF8.self))
            }
        }
        let cut = ConnectionScript(
            testDescription: script.testDescription, limits: script.limits, events: events, actions: script.actions)
        #expect(cut.play() == script.actions)
    }
}
