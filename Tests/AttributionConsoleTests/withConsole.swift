import AttributionConsole
import AttributionListener
import ServiceLifecycle
import TestSupport

/// Runs a console on a free port for the length of `body`.
func withConsole(
    _ routes: [any ConsoleRoutes],
    access: AccessControl? = nil,
    sessions: ConsoleSessions? = nil,
    tls: IngressTLS? = nil,
    limits: IngressLimits = .console,
    metrics: PrometheusMetrics = PrometheusMetrics(),
    body: (_ port: Int) async throws -> Void
) async throws {
    let (ports, bound) = AsyncStream<Int>.makeStream()
    let console = Console(
        routes: routes, access: access, sessions: sessions, address: .port(host: "127.0.0.1", port: 0), tls: tls,
        limits: limits, logger: .silent, metricsFactory: metrics, onListening: { _ = $0.port.map { bound.yield($0) } })
    let services = ServiceGroup(
        configuration: ServiceGroupConfiguration(services: [.init(service: console)], logger: .silent))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { bound.finish() }
            try await services.run()
        }
        for await port in ports {
            try await body(port)
            break
        }
        await services.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}
