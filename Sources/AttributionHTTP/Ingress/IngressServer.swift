import Logging

/// What all connections of a listener share.
struct IngressServer: Sendable {
    let limits: IngressLimits
    let logger: Logger
    let handler: Ingress.Handler
    let now: @Sendable () -> Int64
}
