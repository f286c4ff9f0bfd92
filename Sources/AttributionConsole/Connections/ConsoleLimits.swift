import AttributionListener

/// The bounds of the console's connections; those it shares with the public listener have the same values.
package struct ConsoleLimits: Sendable {
    private static let ingress = IngressLimits()

    /// Bytes of a request head; default 16 KiB.
    package var headBytes = ingress.headBytes
    /// Header fields of a request; default 64.
    package var headFields = ingress.headFields
    /// Connections open at one time, the reserved ones included; default 1,024.
    package var connections = 1_024
    /// Connections open at one time from one IPv4 address or one IPv6 /64 network; default 256.
    ///
    /// Connections from trusted proxies and those of a Unix socket are not counted here.
    package var connectionsPerAddress = ingress.connectionsPerAddress
    /// Connections reserved for probes while every other one has a request in progress; default 16.
    ///
    /// More than a cluster's probes and metrics collectors need; never more than a quarter of all.
    package var reservedConnections = 16
    /// From the connection, or the first byte of a later request, to the end of the head; default 5 s.
    ///
    /// Includes the TLS handshake.
    package var headDeadline = ingress.headDeadline
    /// From the first byte of a request to its last; default 10 s.
    package var requestDeadline = ingress.requestDeadline
    /// Between an answer and the first byte of the next request; default 60 s.
    package var idleDeadline = ingress.idleDeadline
    /// How long a client may take for ``outboundBytes`` of an answer once it has fallen behind; default 10 s.
    ///
    /// Measured by progress, because a large report takes longer than any fixed time.
    package var writeDeadline = ingress.writeDeadline
    /// Bytes that a client that has fallen behind must take within ``writeDeadline``; default 32 KiB.
    package var outboundBytes = ingress.outboundBytes
    /// How long a client's remaining bytes are dropped after the last answer, so that it can read it; default 1 s.
    package var lingerDeadline = ingress.lingerDeadline
    /// How many of those bytes are dropped before the client is cut off; default 256 KiB.
    package var lingerBytes = ingress.lingerBytes
    /// How long a client may still hold a connection once the console stops; default 500 ms.
    ///
    /// The listeners that stop before it may need 4 of the 4.8 seconds a stop may take, and the store is closed after it.
    package var stopDeadline = Duration.milliseconds(500)

    /// Makes the default limits.
    package init() {}

    /// How many connections are open to every route.
    var ordinaryConnections: Int { connections - probeConnections }
    /// How many are open to probes only.
    var probeConnections: Int { min(reservedConnections, connections / 4) }

    /// How often deadlines are checked.
    var sweepInterval: Duration {
        let deadlines = [headDeadline, requestDeadline, idleDeadline, writeDeadline, lingerDeadline]
        return min(max((deadlines.min() ?? .seconds(1)) / 8, .milliseconds(10)), .milliseconds(250))
    }
}
