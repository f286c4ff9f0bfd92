import AttributionListener

/// Order, bounds and pressure.
extension ConnectionScript {
    private static let first = Post.request(body: "a")
    private static let second = Post.request(body: "b")
    private static let third = Post.request(body: "c")
    private static let expecting = Post.head(fields: ["Host: a", "Expect: 100-continue", "Content-Length: 1"])
    private static let noise = "noise\r\n\r\n"

    private static func limits(_ change: (inout IngressLimits) -> Void) -> IngressLimits {
        var limits = IngressLimits()
        change(&limits)
        return limits
    }

    static let order = [
        ConnectionScript(
            testDescription: "one request after the other",
            events: [.bytes(first), .answer(1), .bytes(second), .answer(2)],
            actions: ["hand over 1: a", "answer 1", "hand over 2: b", "answer 2"]),
        ConnectionScript(
            testDescription: "pipelined requests are handed over one at a time",
            events: [.bytes(first + second + third), .answer(1), .answer(2), .answer(3)],
            actions: ["hand over 1: a", "answer 1", "hand over 2: b", "answer 2", "hand over 3: c", "answer 3"]),
        ConnectionScript(
            testDescription: "an answer that comes too early or twice is dropped",
            events: [.bytes(first + second), .answer(2), .answer(1), .answer(1), .answer(2), .answer(2)],
            actions: [
                "hand over 1: a", "drop answer 2", "answer 1", "hand over 2: b", "drop answer 1", "answer 2",
                "drop answer 2",
            ]),
        ConnectionScript(
            testDescription: "beyond the bound on requests of a connection the rest is dropped",
            limits: limits { $0.requestsPerConnection = 2 },
            events: [.bytes(first + second + third), .answer(1), .answer(2)],
            actions: ["hand over 1: a", "answer 1", "hand over 2: b", "answer 2, last"]),
        ConnectionScript(
            testDescription: "a fault within a pipeline is answered after what came before it, and ends it",
            events: [
                .bytes(first + second + noise + third), .answer(1), .answer(2), .written, .bytes(third), .inputClosed,
            ],
            actions: [
                "hand over 1: a", "answer 1", "hand over 2: b", "answer 2", "refuse: malformedRequest, last",
                "close the output", "close",
            ]),
        ConnectionScript(
            testDescription: "a request that cannot be served does not end a pipeline",
            events: [.bytes(first + Post.request(to: "/unknown") + second), .answer(1), .answer(2)],
            actions: ["hand over 1: a", "answer 1", "refuse: notFound", "hand over 2: b", "answer 2"]),
        ConnectionScript(
            testDescription: "a declared body over the bound", limits: limits { $0.bodyBytes = 4 },
            events: [.bytes(Post.head(fields: ["Host: a", "Content-Length: 5"]))],
            actions: ["refuse: bodyTooLarge, last"]),
        ConnectionScript(
            testDescription: "a chunked body over the bound", limits: limits { $0.bodyBytes = 4 },
            events: [
                .bytes(Post.head(fields: ["Host: a", "Transfer-Encoding: chunked"]) + "3\r\nabc\r\n"),
                .bytes("2\r\nde\r\n"),
            ],
            actions: ["refuse: bodyTooLarge, last"]),
        ConnectionScript(
            testDescription: "100 Continue, then the body",
            events: [.bytes(expecting), .bytes("a"), .answer(1)], actions: ["continue", "hand over 1: a", "answer 1"]),
        ConnectionScript(
            testDescription: "100 Continue waits for the answer before it",
            events: [.bytes(first + expecting), .answer(1), .bytes("b")],
            actions: ["hand over 1: a", "answer 1", "continue", "hand over 2: b"]),
        ConnectionScript(
            testDescription: "100 Continue waits until the client reads",
            events: [.writable(false), .bytes(expecting), .writable(true)], actions: ["continue"]),
        ConnectionScript(
            testDescription: "reading goes on while an answer is awaited, until another request begins",
            events: [.bytes(first), .wantsRead, .bytes("POST"), .wantsRead, .answer(1)],
            actions: ["hand over 1: a", "read now", "hold the read", "answer 1", "read"]),
        ConnectionScript(
            testDescription: "nothing is read while requests wait",
            events: [.bytes(first + second), .wantsRead, .answer(1), .answer(2)],
            actions: ["hand over 1: a", "hold the read", "answer 1", "hand over 2: b", "answer 2", "read"]),
        ConnectionScript(
            testDescription: "nothing is read or handed over while the client does not read",
            events: [.bytes(first + second), .writable(false), .answer(1), .wantsRead, .writable(true), .answer(2)],
            actions: ["hand over 1: a", "answer 1", "hold the read", "hand over 2: b", "answer 2", "read"]),
    ]

    static let ends = [
        ConnectionScript(
            testDescription: "when only probes may connect, every request is the last, and another one refused",
            isReserved: true, events: [.bytes(first + second), .written],
            actions: ["refuse: tooManyConnections, last", "close the output"]),
        ConnectionScript(
            testDescription: "the client asks for the end",
            events: [.bytes(Post.request(fields: ["Host: a", "Connection: close"])), .answer(1), .written],
            actions: ["hand over 1: {}", "answer 1, last", "close"]),
        ConnectionScript(
            testDescription: "the client asks for the end and sends more",
            events: [.bytes(Post.request(fields: ["Host: a", "Connection: close"]) + first), .answer(1), .written],
            actions: ["hand over 1: {}", "answer 1, last", "close the output"]),
        ConnectionScript(
            testDescription: "the client leaves before its answers",
            events: [.bytes(first + second), .closed, .answer(1), .answer(2), .time(100), .inputClosed, .serverStops],
            actions: ["hand over 1: a", "an answer is lost", "drop answer 1", "drop answer 2"]),
        ConnectionScript(
            testDescription: "the client closes its sending side before its answers",
            events: [.bytes(first + second), .inputClosed, .answer(1), .answer(2), .written],
            actions: ["hand over 1: a", "answer 1", "hand over 2: b", "answer 2, last", "close"]),
        ConnectionScript(
            testDescription: "the client closes its sending side between requests",
            events: [.bytes(first), .answer(1), .inputClosed, .written],
            actions: ["hand over 1: a", "answer 1", "finish writing", "close"]),
        ConnectionScript(
            testDescription: "the client closes its sending side within a request",
            events: [.bytes(first + "POST"), .inputClosed, .answer(1), .written],
            actions: ["hand over 1: a", "answer 1", "refuse: incompleteRequest, last", "close"]),
        ConnectionScript(
            testDescription: "the server stops while the connection is idle",
            events: [.bytes(first), .answer(1), .serverStops, .written],
            actions: ["hand over 1: a", "answer 1", "finish writing", "close"]),
        ConnectionScript(
            testDescription: "the server stops before the first byte", events: [.serverStops], actions: ["close"]),
        ConnectionScript(
            testDescription: "the server stops while an answer is awaited",
            events: [.bytes(first), .serverStops, .answer(1), .written, .wantsRead, .inputClosed],
            actions: ["hand over 1: a", "answer 1, last", "close the output", "read now", "close"]),
        ConnectionScript(
            testDescription: "the server stops while a request is read",
            events: [.bytes(String(first.dropLast())), .serverStops, .bytes("z" + second), .answer(1)],
            actions: ["hand over 1: z", "answer 1, last"]),
        ConnectionScript(
            testDescription: "no byte comes", events: [.time(4.9), .time(5)], actions: ["cut off: head-deadline"]),
        ConnectionScript(
            testDescription: "the first head is slow, however steadily it comes",
            events: [.time(4), .bytes("POST"), .time(4.9), .bytes(" /"), .time(5)],
            actions: ["refuse: deadlinePassed, last"]),
        ConnectionScript(
            testDescription: "a later head is slow",
            events: [.bytes(first), .answer(1), .time(20), .bytes("POST"), .time(24.9), .time(25)],
            actions: ["hand over 1: a", "answer 1", "refuse: deadlinePassed, last"]),
        ConnectionScript(
            testDescription: "a body is slow",
            events: [.bytes(String(first.dropLast())), .time(9.9), .time(10)], actions: ["refuse: deadlinePassed, last"]
        ),
        ConnectionScript(
            testDescription: "no further request comes",
            events: [.time(2), .bytes(first), .answer(1), .time(61.9), .time(62)],
            actions: ["hand over 1: a", "answer 1", "close, idle"]),
        ConnectionScript(
            testDescription: "the route does not answer",
            events: [.bytes(first + second), .time(29.9), .time(30), .answer(1), .written],
            actions: ["hand over 1: a", "refuse: unanswered, last", "drop answer 1", "close the output"]),
        ConnectionScript(
            testDescription: "the client does not read its answers",
            events: [.bytes(first), .answer(1), .writable(false), .time(9.9), .time(10)],
            actions: ["hand over 1: a", "answer 1", "cut off: write-deadline"]),
        ConnectionScript(
            testDescription: "the client reads again in time",
            events: [.bytes(first), .answer(1), .writable(false), .time(9), .writable(true), .time(10)],
            actions: ["hand over 1: a", "answer 1"]),
        ConnectionScript(
            testDescription: "the client does not take its last answer",
            events: [.bytes(noise), .time(9.9), .time(10)],
            actions: ["refuse: malformedRequest, last", "cut off: write-deadline"]),
        ConnectionScript(
            testDescription: "the client takes its answers slowly, then no more",
            limits: limits { $0.outboundBytes = 100 },
            events: [
                .bytes(first), .answer(1), .unsent(1_000), .writable(false), .time(9), .unsent(900), .time(10),
                .unsent(800), .time(20), .unsent(701), .time(30),
            ],
            actions: ["hand over 1: a", "answer 1", "cut off: write-deadline"]),
        ConnectionScript(
            testDescription: "the client takes its last answer slowly, then no more",
            limits: limits { $0.outboundBytes = 100 },
            events: [
                .unsent(1_000), .bytes(Post.request(fields: ["Host: a", "Connection: close"])), .answer(1), .time(9),
                .unsent(900), .time(10), .time(19.9), .unsent(850), .time(20),
            ],
            actions: ["hand over 1: {}", "answer 1, last", "cut off: write-deadline"]),
        ConnectionScript(
            testDescription: "the last answer makes the connection unwritable, and the client takes it slowly",
            limits: limits { $0.outboundBytes = 100 },
            events: [
                .bytes(Post.request(fields: ["Host: a", "Connection: close"])), .unsent(1_000), .answer(1),
                .writable(false), .time(9), .unsent(900), .time(10), .time(10.1), .unsent(790), .writable(true),
                .time(20),
                .unsent(0), .written,
            ],
            actions: ["hand over 1: {}", "answer 1, last", "close"]),
        ConnectionScript(
            testDescription: "the client takes an answer for longer than it may be idle",
            limits: limits { $0.outboundBytes = 100 },
            events: [
                .bytes(first), .answer(1), .unsent(1_000), .writable(false), .time(9), .unsent(800), .time(18),
                .unsent(600), .time(27), .unsent(400), .time(36), .time(45), .unsent(200), .time(54), .time(61),
                .unsent(0), .writable(true), .time(120), .time(121),
            ],
            actions: ["hand over 1: a", "answer 1", "close, idle"]),
        ConnectionScript(
            testDescription: "the client closes its sending side, or the server stops, before an answer is taken",
            events: [
                .bytes(first), .unsent(10), .answer(1), .inputClosed, .wantsRead, .serverStops, .time(1), .unsent(0),
                .written,
            ], actions: ["hand over 1: a", "answer 1", "finish writing", "hold the read", "close"]),
        ConnectionScript(
            testDescription: "the server stops, and the client does not take its answer",
            events: [.bytes(first), .unsent(10), .answer(1), .serverStops, .time(9.9), .time(10)],
            actions: ["hand over 1: a", "answer 1", "finish writing", "cut off: write-deadline"]),
        ConnectionScript(
            testDescription: "the server waits no longer: for the beginning of a request",
            events: [.bytes("POST"), .serverStops, .waitsNoLonger], actions: ["cut off: stop-deadline"]),
        ConnectionScript(
            testDescription: "the server waits no longer: but answers the current request, and none behind it",
            events: [.bytes(first + second), .serverStops, .waitsNoLonger, .time(1), .answer(1), .written],
            actions: ["hand over 1: a", "answer 1, last", "close the output"]),
        ConnectionScript(
            testDescription: "the server waits no longer: but for a route, and for a client that takes what it answers",
            limits: limits { $0.stopPause = .seconds(1) },
            events: [
                .bytes(first), .serverStops, .waitsNoLonger, .time(4), .unsent(1_000), .answer(1), .time(4.1),
                .unsent(999), .time(5), .unsent(998), .time(5.9), .time(6.8), .unsent(0), .written,
            ],
            actions: ["hand over 1: a", "answer 1, last", "close the output"]),
        ConnectionScript(
            testDescription: "the server waits no longer: for a client that pauses, or takes less than is added",
            limits: limits { $0.stopPause = .seconds(1) },
            events: [
                .bytes(first), .serverStops, .waitsNoLonger, .unsent(1_000), .answer(1), .time(5), .unsent(999),
                .time(5.9), .time(6.8), .unsent(1_500), .time(6.9),
            ],
            actions: ["hand over 1: a", "answer 1, last", "cut off: stop-deadline"]),
        ConnectionScript(
            testDescription: "a refused client does not close",
            events: [.bytes(noise), .written, .time(0.9), .time(1)],
            actions: ["refuse: malformedRequest, last", "close the output", "cut off: linger-bound"]),
        ConnectionScript(
            testDescription: "a refused client goes on sending",
            limits: limits { $0.lingerBytes = 10 },
            events: [.bytes("noise\r\n"), .wantsRead, .written, .bytes("0123456789"), .bytes("x")],
            actions: [
                "refuse: malformedRequest, last", "hold the read", "close the output", "read", "cut off: linger-bound",
            ]),
    ]
}
