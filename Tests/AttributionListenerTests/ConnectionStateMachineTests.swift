import AttributionListener
import Testing

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
