import Attribution
import AttributionAccess
import AttributionListener
import CodedErrors
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging

/// Checks every console request before its route, and counts and logs every answer.
struct ConsoleGate: Sendable {
    let access: AccessControl?
    let trustedProxies: TrustedProxies
    let metrics: ConsoleMetrics
    let logger: Logger

    private static let forwardingNames: [ForwardingField: HTTPField.Name] = [
        .xForwardedFor: HTTPField.Name("x-forwarded-for"), .forwarded: HTTPField.Name("forwarded"),
    ].compactMapValues { $0 }

    /// Answers a request, with a refusal or from its route.
    func answer(_ endpoint: ConsoleEndpoint, _ request: Request, _ context: ConsoleContext) async throws -> Response {
        let start = ContinuousClock.now
        let (caller, refusal) = judge(endpoint.route, request, context, start)
        if let refusal {
            note(endpoint.route, refusal.code.httpStatus, caller, since: start, refusal.code.rawValue)
            return Response(refusal)
        }
        var context = context
        context.caller = caller
        do {
            let response = try await endpoint.answer(request, context)
            note(endpoint.route, response.status.code, caller, since: start)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            note(endpoint.route, status.code, caller, since: start)
            throw error
        }
    }

    private func judge(
        _ route: ConsoleRoute,
        _ request: Request,
        _ context: ConsoleContext,
        _ instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        let needed = route.definition.access
        guard let access else {
            // Without tokens anyone on loopback may ask, but not a web page by DNS rebinding, whose requests name the
            // page's own host.
            let isForeign = needed != .open && request.head.authority?.isLoopbackAuthority == false
            return (nil, isForeign ? .foreignHost : nil)
        }
        let (caller, refusal) = access.judge(
            needed,
            authorization: request.headers[values: .authorization],
            client: { client(of: request, context)?.clientText },
            now: Date(),
            instant: instant
        )
        if refusal == nil, let networks = caller?.networks, !networks.isEmpty, !route.namesNetworks {
            return (caller, .outOfNetwork(allowed: networks.map(\.text), canName: false))
        }
        return (caller, refusal)
    }

    /// The client: the peer, or the one a trusted proxy reports.
    private func client(of request: Request, _ context: ConsoleContext) -> InternetAddress? {
        guard let peer = context.peer, trustedProxies.contains(peer),
            let name = Self.forwardingNames[trustedProxies.field]
        else {
            return context.peer
        }
        return trustedProxies.client(forwardedBy: peer, values: request.headers[values: name]) ?? peer
    }

    /// Counts and logs an answer: holder, route and status, never the token or the query.
    ///
    /// Refusals are logged at info, because their rate is bounded; a route itself refuses foreign networks.
    private func note(
        _ route: ConsoleRoute,
        _ status: Int,
        _ caller: AccessGrant?,
        since start: ContinuousClock.Instant,
        _ refusal: String? = nil
    ) {
        let duration = ContinuousClock.now - start
        let isRefused = refusal != nil || status == 403
        metrics.count(route, status: status, caller: caller?.name, duration: duration)
        logger.log(
            level: isRefused && status != 429 ? .info : .debug,
            isRefused ? "console request refused" : "console request",
            metadata: [
                "route": "\(route.definition.path)", "status": "\(status)", "token": "\(caller?.name ?? "none")",
                "token-id": "\(caller?.id ?? "none")", "reason": "\(refusal ?? "none")",
            ]
        )
    }
}
