import Attribution
import AttributionAccess
import AttributionListener
import AttributionPages
import CodedErrors
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging

/// Checks every console request before its route, and counts and logs every answer.
struct ConsoleGate: Sendable {
    let access: AccessControl?
    /// The sessions of pages; nil where there are none.
    var sessions: ConsoleSessions?
    let trustedProxies: TrustedProxies
    let metrics: ConsoleMetrics
    let logger: Logger

    private static let forwardingNames: [ForwardingField: HTTPField.Name] = [
        .xForwardedFor: HTTPField.Name("x-forwarded-for"), .forwarded: HTTPField.Name("forwarded"),
    ].compactMapValues { $0 }

    /// Answers a request, with a refusal or from its route.
    func answer(_ endpoint: ConsoleEndpoint, _ request: Request, _ context: ConsoleContext) async throws -> Response {
        let start = ContinuousClock.now
        var context = context
        context.client = client(of: request, context)?.clientText
        // A program that sends a token gets a program's answer, from pages too.
        let isBrowser = endpoint.route.isPage && request.headers[.authorization] == nil
        context.session = isBrowser ? sessions?.session(of: request, at: start) : nil
        let (caller, refusal) = judge(endpoint.route, request, context, start)
        if let refusal {
            let response = isBrowser ? refuse(refusal, request, context) : Response(refusal)
            note(endpoint.route, response.status.code, caller, since: start, refusal.code.rawValue)
            return response
        }
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
        let caller: AccessGrant?
        let refusal: AccessRefusal?
        if case .scope(let scope) = needed, let session = context.session {
            (caller, refusal) = access.judge(
                scope, holder: session.grant, client: { context.client }, now: Date(), instant: instant)
            if caller == nil {
                sessions?.end(session.id)
            }
        } else {
            (caller, refusal) = access.judge(
                needed,
                authorization: request.headers[values: .authorization],
                client: { context.client },
                now: Date(),
                instant: instant
            )
        }
        if refusal == nil, let networks = caller?.networks, !networks.isEmpty, !route.namesNetworks {
            return (caller, .outOfNetwork(allowed: networks.map(\.text), canName: false))
        }
        return (caller, refusal)
    }

    /// Sends someone without a session to the login, and tells others why they are refused.
    private func refuse(_ refusal: AccessRefusal, _ request: Request, _ context: ConsoleContext) -> Response {
        switch refusal {
        case .noCredentials, .malformed, .unknown, .expired:
            return .login(next: request.method == .post ? "/" : request.uri.string)
        case .outOfScope, .outOfNetwork, .foreignHost, .tooFast:
            let surroundings = PageSurroundings(
                holder: context.session?.grant.name, formToken: context.session?.formToken, reports: [], version: "",
                isLimited: context.session?.grant.networks.isEmpty == false)
            return .problemPage(refusal, "Not allowed", in: surroundings)
        }
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
