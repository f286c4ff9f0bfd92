import AttributionListener
import BoundedLogging
import Foundation
import Logging
import Synchronization

/// Warns once a day of a certificate that expires soon: a server may outlive its certificate.
final class CertificateWatch: Sendable {
    private struct State {
        /// The end of the last certificate checked; a different one is warned of at once.
        var end: Date?
        var throttle = LogThrottle(every: .seconds(86_400))
    }

    private let tls: IngressTLS
    private let logger: Logger
    private let state = Mutex(State())

    init(_ tls: IngressTLS, logger: Logger) {
        self.tls = tls
        self.logger = logger
    }

    /// Checks the certificate in use.
    func look(at now: Date, instant: ContinuousClock.Instant) {
        let identity = tls.identity
        guard identity.endsSoon(at: now) else {
            return
        }
        let isDue = state.withLock { state in
            if state.end != identity.notValidAfter {
                state = State(end: identity.notValidAfter)
            }
            return state.throttle.admit(at: instant) != nil
        }
        guard isDue else {
            return
        }
        let end: Logger.Metadata = ["end": "\(identity.notValidAfter.formatted(.iso8601))"]
        if now < identity.notValidAfter {
            logger.warning("the certificate expires soon: renew it, then send SIGHUP", metadata: end)
        } else {
            logger.error(
                "the certificate has expired: renew it, then send SIGHUP", metadata: end)
        }
    }
}
