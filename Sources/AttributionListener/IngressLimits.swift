/// The bounds of a listener; the defaults are those of the public one.
///
/// Deadlines are checked by a sweep over the connections, up to a quarter of a second (or an eighth of the shortest
/// deadline, if less) after they have passed.
package struct IngressLimits: Sendable {
    /// Bytes of a request body, declared or counted while reading; default 16 KiB (a postback is under 2 KiB).
    package var bodyBytes = 16 * 1024
    /// Bytes of a request head; default 16 KiB.
    ///
    /// Line endings included.
    package var headBytes = 16 * 1024
    /// Header fields of a request, trailers included; default 64.
    package var headFields = 64
    /// Bytes of the request target; default 4 KiB.
    package var targetBytes = 4 * 1024
    /// Connections open at one time, the reserved ones included; default 4,096, and any further one is closed at once.
    package var connections = 4096
    /// Connections kept for routes that serve probes while every other one has a request in progress; default 0.
    ///
    /// Never more than a quarter of all. Each serves one request, within ``headDeadline`` and ``requestDeadline``.
    package var reservedConnections = 0
    /// Connections open at one time from one IPv4 address or one IPv6 /64 network; default 256.
    ///
    /// Connections from trusted proxies are not counted here; instead, the same number bounds the requests in flight of
    /// each of their clients.
    package var connectionsPerAddress = 256
    /// Requests served over one connection; default 10,000.
    ///
    /// The last one is answered with `Connection: close`.
    package var requestsPerConnection = 10_000
    /// From the connection, or the first byte of a later request, to the end of the head; default 5 s.
    ///
    /// Includes the TLS handshake.
    package var headDeadline = Duration.seconds(5)
    /// From the first byte of a request to its last; default 10 s.
    package var requestDeadline = Duration.seconds(10)
    /// From the last byte of a request to the handler's answer; default 4.5 s, then the ingress answers 503.
    ///
    /// With a sweep, less than five seconds: a device that gets no answer cannot tell a slow server from none.
    package var answerDeadline = Duration.milliseconds(4_500)
    /// Between an answer and the first byte of the next request; default 60 s.
    package var idleDeadline = Duration.seconds(60)
    /// How long a client that has fallen behind may take for ``outboundBytes`` of its answers; default 10 s.
    ///
    /// Measured by progress, because a large answer takes longer than any fixed time.
    package var writeDeadline = Duration.seconds(10)
    /// Bytes of pending answers beyond which a client has fallen behind; default 32 KiB.
    ///
    /// Nothing more is read from it then.
    package var outboundBytes = 32 * 1024
    /// How long a refused client's remaining bytes are dropped, so that it can read the answer; default 1 s.
    ///
    /// Closing at once would reset the connection and take the answer with it. Also bounds the TLS closing handshake.
    package var lingerDeadline = Duration.seconds(1)
    /// How many of a refused client's remaining bytes are dropped before it is cut off; default 256 KiB.
    package var lingerBytes = 256 * 1024
    /// From the start of a graceful stop until the remaining connections are cut off; default 5 s.
    package var stopDeadline = Duration.seconds(5)
    /// Whether a request that is complete when ``stopDeadline`` passes is still answered; default `false`.
    package var finishesAnswers = false
    /// How long a client that takes such an answer may pause before the next check cuts it off; default 200 ms.
    ///
    /// It has no other bound, because a large answer takes as long as its client needs.
    package var stopPause = Duration.milliseconds(200)
    /// What `Retry-After` says when the handler did not answer in time; default 30 s.
    package var retryAfter = Duration.seconds(30)

    package init() {}

    /// Bytes of chunk framing in a body: enough for 200 chunks without extensions.
    ///
    /// A chunk of one byte takes six on the wire and much more work, and no real sender uses such chunks.
    package var chunkFramingBytes: Int { 1024 }

    /// Bytes of one request on the wire, chunk framing and trailers included.
    package var wireBytes: Int { 2 * headBytes + bodyBytes + chunkFramingBytes }

    /// How many connections are open to every route.
    var ordinaryConnections: Int { connections - probeConnections }
    /// How many are open to probes only.
    var probeConnections: Int { min(reservedConnections, connections / 4) }

    /// How often deadlines are checked.
    package var sweepInterval: Duration {
        let shortest = [headDeadline, requestDeadline, answerDeadline, idleDeadline, writeDeadline, lingerDeadline]
            .min()
        return min(max((shortest ?? .seconds(1)) / 8, .milliseconds(10)), .milliseconds(250))
    }
}
