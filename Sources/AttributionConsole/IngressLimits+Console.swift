package import AttributionListener
import AttributionSigning

extension IngressLimits {
    /// The bounds of the console.
    package static var console: IngressLimits {
        var limits = IngressLimits()
        // The largest body is an impression to check.
        limits.bodyBytes = ImpressionExplainer.limit
        // Conditions of a report are part of its target.
        limits.targetBytes = limits.headBytes
        limits.connections = 1_024
        // More than a cluster's probes and metrics collectors need.
        limits.reservedConnections = 16
        // Every route ends by itself: reports after 30 s once they are counted, a repair after some minutes.
        limits.answerDeadline = .seconds(86_400)
        // The listeners that stop before it may need 4 of the 4.8 seconds a stop may take, and the store is closed
        // after it. After this one a client may pause for 200 ms, which are checked every 125 ms.
        limits.stopDeadline = .milliseconds(300)
        limits.finishesAnswers = true
        return limits
    }

    /// The bounds of the socket beside a store.
    ///
    /// All connections are from one user, so a bound per address would not help.
    static var consoleSocket: IngressLimits {
        var limits = console
        limits.connections = 64
        // It stops after the console; its clients are commands on this machine.
        limits.stopDeadline = .milliseconds(100)
        return limits
    }
}
