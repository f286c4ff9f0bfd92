import AttributionConsole
package import AttributionListener
import AttributionSigning
import Logging

/// How many connections each listener may hold, given the process's limit of file descriptors.
///
/// A listener that runs out of descriptors cannot even close a new connection, and takes descriptors from the store; so
/// the sum of all connections stays below the limit.
package struct ConnectionBudget: Hashable, Sendable {
    /// For the store and its reports, event loops, listening sockets and the log.
    package static let reserve = 64

    /// The connections of the public listener.
    package let ingress: Int
    /// The connections of the public listener from one client.
    package let ingressPerAddress: Int
    /// The connections of the console.
    package let console: Int
    /// The connections of the signing listener; 0 without one.
    package let signing: Int

    /// Divides the descriptors.
    ///
    /// - Parameters:
    ///   - descriptors: How many the process may have open.
    ///   - limits: The limits of the public listener when there are enough.
    ///   - console: The connections of the console when there are enough.
    ///   - signing: The connections of the signing listener when there are enough; 0 without one.
    package init(
        descriptors: Int, limits: IngressLimits = IngressLimits(), console: Int = 1_024, signing: Int = 0
    ) {
        let left = max(0, descriptors - Self.reserve)
        self.console = min(console, max(8, left / 5))
        let hot = left - left / 5
        self.signing = signing > 0 ? min(signing, max(8, hot / 2)) : 0
        ingress = min(limits.connections, max(8, hot - self.signing))
        // No single client may hold more than a quarter of a small number.
        ingressPerAddress = min(limits.connectionsPerAddress, max(1, ingress / 4))
    }

    /// The limits of the public listener within this budget.
    func limits(stopDeadline: Duration) -> IngressLimits {
        var limits = IngressLimits()
        limits.connections = ingress
        limits.connectionsPerAddress = ingressPerAddress
        limits.stopDeadline = stopDeadline
        return limits
    }

    /// The limits of the signing listener within this budget.
    ///
    /// Bidders are few, and each may hold half of the connections. Bodies are larger than postbacks, and not as many may
    /// arrive at one time.
    func signingLimits(stopDeadline: Duration) -> IngressLimits {
        var limits = IngressLimits()
        limits.bodyBytes = ImpressionBatch.bodyLimit
        limits.connections = signing
        limits.connectionsPerAddress = max(1, signing / 2)
        limits.requestsPerConnection = 1_000_000
        limits.answerDeadline = .seconds(10)
        limits.outboundBytes = 256 << 10
        limits.lingerBytes = 1 << 20
        limits.stopDeadline = stopDeadline
        return limits
    }

    /// The limits of the console within this budget.
    var consoleLimits: IngressLimits {
        var limits = IngressLimits.console
        limits.connections = console
        return limits
    }

    /// Warns when there are fewer connections than usual.
    func warn(of descriptors: Int, _ logger: Logger) {
        let usual = IngressLimits().connections
        if ingress < usual {
            logger.warning(
                "fewer connections than usual: raise the limit of open files",
                metadata: ["connections": "\(ingress)", "usual": "\(usual)", "open-files": "\(descriptors)"])
        }
    }
}
