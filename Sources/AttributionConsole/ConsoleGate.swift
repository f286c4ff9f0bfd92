import Attribution
import AttributionListener
import FoundationEssentials
import Logging

/// Checks every console request before its route, and counts and logs every answer.
struct ConsoleGate: Sendable {
    let access: AccessControl?
    /// The sessions of pages; nil where there are none.
    var sessions: ConsoleSessions?
    let metrics: ConsoleMetrics
    let logger: Logger

    /// Answers a request, with a refusal or from its route.
    func answer(_ endpoint: ConsoleEndpoint, _ request: IngressRequest) async -> IngressAnswer {
        let start = ContinuousClock.now
        var context = ConsoleContext()
        // A program that sends a token gets a program's answer, from pages too.
        let isBrowser = endpoint.route.isPage && request.fields["authorization"] == nil
        context.session = isBrowser ? sessions?.session(of: request, at: start) : nil
        let (caller, refusal) = judge(endpoint.route, request, context, start)
        context.caller = caller
        var answer: IngressAnswer
        if let refusal {
            answer = isBrowser ? refuse(refusal, request, context) : IngressAnswer(refusal)
        } else if let expected = endpoint.route.mediaType, !request.hasMediaType(expected) {
            answer = .refusing(
                IngressRefusal.unsupportedMediaType(
                    request.fields.values("content-type").joined(separator: ", "), expected: expected))
        } else {
            answer = await endpoint.answer(request, context)
        }
        if let error = answer.refusal, sessions != nil, request.fields.acceptsPages,
            request.fields["authorization"] == nil
        {
            answer = .refusalPage(error, instead: answer)
        }
        answer.caller = caller?.name
        metrics.note(ContinuousClock.now - start, of: endpoint.route)
        log(endpoint.route, answer.status, caller, refusal)
        return answer
    }

    private func judge(
        _ route: ConsoleRoute,
        _ request: IngressRequest,
        _ context: ConsoleContext,
        _ instant: ContinuousClock.Instant
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        let needed = route.definition.access
        guard let access else {
            // Without tokens anyone on loopback may ask, but not a web page by DNS rebinding, whose requests name the
            // page's own host.
            let isForeign = needed != .open && request.fields["host"]?.isLoopbackAuthority != true
            return (nil, isForeign ? .foreignHost : nil)
        }
        let caller: AccessGrant?
        let refusal: AccessRefusal?
        if case .scope(let scope) = needed, let session = context.session {
            (caller, refusal) = access.judge(
                scope, holder: session.grant, client: { request.client }, now: Date(), instant: instant)
            if caller == nil {
                sessions?.end(session.id)
            }
        } else {
            (caller, refusal) = access.judge(
                needed,
                authorization: request.fields.values("authorization"),
                client: { request.client },
                now: Date(),
                instant: instant
            )
        }
        return (caller, refusal ?? caller?.refusal(of: route))
    }

    /// Sends someone without a session to the login, and tells others why they are refused.
    private func refuse(_ refusal: AccessRefusal, _ request: IngressRequest, _ context: ConsoleContext) -> IngressAnswer
    {
        switch refusal {
        case .noCredentials, .malformed, .unknown, .expired:
            return .login(next: request.method == .post ? "/" : request.target?.text ?? "/")
        case .outOfScope, .outOfNetwork, .outOfApp, .foreignHost, .tooFast:
            let surroundings = PageSurroundings(
                holder: context.session?.grant.title, formToken: context.session?.formToken, reports: [], version: "",
                isLimited: context.session?.grant.isLimited == true)
            return .problemPage(refusal, "Not allowed", in: surroundings)
        }
    }

    /// Logs an answer: holder, route and status, never the token or the query.
    ///
    /// Refusals are logged at info, because their rate is bounded; a route itself refuses foreign networks.
    private func log(_ route: ConsoleRoute, _ status: Int, _ caller: AccessGrant?, _ refusal: AccessRefusal?) {
        let isRefused = refusal != nil || status == 403
        logger.log(
            level: isRefused && status != 429 ? .info : .debug,
            isRefused ? "console request refused" : "console request",
            metadata: [
                "route": "\(route.definition.path)", "status": "\(status)", "token": "\(caller?.name ?? "none")",
                "token-id": "\(caller?.id ?? "none")", "reason": "\(refusal?.code.rawValue ?? "none")",
            ]
        )
    }
}

extension AccessRefusal {
    /// The WWW-Authenticate value; an error code only when a token was sent, RFC 6750 section 3.1.
    package var challenge: String? {
        switch self {
        case .noCredentials: #"Bearer realm="skan""#
        case .malformed: #"Bearer realm="skan", error="invalid_request", error_description="\#(message)""#
        case .unknown, .expired: #"Bearer realm="skan", error="invalid_token", error_description="\#(message)""#
        case .outOfScope(let needed):
            #"Bearer realm="skan", error="insufficient_scope", scope="\#(needed.rawValue)""#
        case .outOfNetwork, .outOfApp, .foreignHost, .tooFast: nil
        }
    }
}
