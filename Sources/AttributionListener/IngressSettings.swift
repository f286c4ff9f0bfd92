import FoundationEssentials
import Logging
import Metrics

/// What all event loops of one listener share and none changes.
struct IngressSettings: Sendable {
    let routes: IngressRoutes
    let limits: IngressLimits
    let trustedProxies: TrustedProxies
    let now: @Sendable () -> Date
    let handler: IngressHandler
    let logger: Logger
    let accessLogLevel: Logger.Level
    let metricsFactory: any MetricsFactory
    let tls: IngressTLS?
}
