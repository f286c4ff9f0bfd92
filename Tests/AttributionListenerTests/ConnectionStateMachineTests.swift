import AttributionListener
import FoundationEssentials
import NIOCore
import Testing

@Suite("The state of a connection, without a socket")
struct ConnectionStateMachineTests {
    @Test("Requests are handed over and answered in order, within the bounds", arguments: ConnectionScript.order)
    func order(script: ConnectionScript) {
        #expect(script.play() == script.actions)
    }

    @Test("A connection knows whether it may give way", arguments: ConnectionScript.displacement)
    func displacement(script: ConnectionScript) {
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
            testDescription: script.testDescription, limits: script.limits, answersInCall: script.answersInCall,
            events: events, actions: script.actions)
        #expect(cut.play() == script.actions)
    }

    @Test("A request that waits keeps the time it was received at")
    func receipt() throws {
        var machine = ConnectionStateMachine(
            peer: ConnectionPeer(nil, trustedProxies: .none), routes: Post.routes, limits: IngressLimits(), at: .now())
        var times: [Date] = []
        let received = [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)]
        for date in received {
            machine.bytesArrived(at: .now(), receivedAt: date)
            var unread = Array(Post.request().utf8)
            while !unread.isEmpty {
                var consumed = 0
                let action = unread.withUnsafeBytes { machine.next(in: $0, consumed: &consumed) }
                unread.removeFirst(consumed)
                if case .handOver(let request, _) = action { times.append(request.receivedAt) }
                machine.routeReturned()
            }
        }
        #expect(machine.answered(1, at: .now()) != nil)
        var consumed = 0
        let next = machine.next(in: UnsafeRawBufferPointer(start: nil, count: 0), consumed: &consumed)
        guard case .handOver(let request, number: 2) = next else { throw CancellationError() }
        #expect(times + [request.receivedAt] == received)
    }
}
