import FoundationEssentials
import Logging
import Metrics

/// The immutable settings that all event loops of one listener share.
struct IngressSettings: Sendable {
    let routes: IngressRoutes
    let limits: IngressLimits
    let trustedProxies: TrustedProxies
    let now: @Sendable () -> Date
    /// Makes what takes the requests of an event loop.
    let makeHandler: @Sendable (IngressTurns) -> IngressHandler
    let logger: Logger
    let accessLogLevel: Logger.Level
    let metricNames: IngressMetricNames
    let metricsFactory: any MetricsFactory
    let tls: IngressTLS?
}
