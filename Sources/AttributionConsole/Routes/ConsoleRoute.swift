package import AttributionListener

/// Every route of the console; there is no other way to add one, so none can lack an access rule.
package enum ConsoleRoute: CaseIterable, Sendable, Hashable {
    /// Liveness.
    case health
    /// Readiness: whether the store works.
    case readiness
    /// The OpenAPI description of both listeners.
    case apiDescription
    /// A report.
    case report
    /// A report with a name.
    case standardReport
    /// The metrics, for Prometheus.
    case metrics
    /// Issuing web ads.
    case webAds
    /// Saying why a postback verifies or not.
    case explain
    /// Checking that an impression is signed as Apple requires.
    case impressionCheck
    /// Deliveries in quarantine.
    case quarantine
    /// Judging deliveries in quarantine again.
    case requeue
    /// Deleting from the quarantine.
    case prune
    /// Recorded postbacks with their bytes.
    case postbacks
    /// Counting everything again from the raw bytes, and repairing what is derived from them.
    case recount
    /// The first page.
    case overviewPage
    /// The page of a standard report.
    case reportPage
    /// The page of the free report.
    case explorePage
    /// The page of the quarantine.
    case quarantinePage
    /// The question before deliveries are judged again.
    case requeuePage
    /// Judging deliveries again, from the form of that page.
    case requeueForm
    /// The page of one postback.
    case postbackPage
    /// The page of conflicts.
    case conflictsPage
    /// The page of keys and tokens.
    case keysPage
    /// The page of definitions.
    case definitionsPage
    /// The page that takes a token.
    case loginPage
    /// Beginning a session, from the form of that page.
    case loginForm
    /// Ending a session, from the form of every page.
    case logoutForm
    /// A file that pages load.
    case pageAsset

    /// Whether it is for people, with a browser: it answers with HTML, takes a session in place of a token, and is not
    /// part of the API.
    package var isPage: Bool {
        switch self {
        case .overviewPage, .reportPage, .explorePage, .quarantinePage, .requeuePage, .requeueForm, .postbackPage,
            .conflictsPage, .keysPage, .definitionsPage, .loginPage, .loginForm, .logoutForm, .pageAsset:
            true
        case .health, .readiness, .apiDescription, .report, .standardReport, .metrics, .explain, .webAds,
            .impressionCheck, .quarantine, .requeue, .prune, .postbacks, .recount:
            false
        }
    }

    /// Whether it answers HEAD as it answers GET, without the body.
    package var answersHead: Bool {
        isPage && definition.method == .get
    }

    /// Whether its requests name ad networks, to which tokens can be limited; the others concern all networks.
    package var namesNetworks: Bool {
        switch self {
        case .report, .standardReport, .webAds, .overviewPage, .reportPage, .explorePage, .definitionsPage:
            true
        case .health, .readiness, .apiDescription, .metrics, .explain, .impressionCheck, .quarantine, .requeue, .prune,
            .postbacks, .recount, .quarantinePage, .requeuePage, .requeueForm, .postbackPage, .conflictsPage, .keysPage,
            .loginPage, .loginForm, .logoutForm, .pageAsset:
            false
        }
    }

    /// Whether it counts a report, which ends when the client goes away.
    private var countsReport: Bool {
        switch self {
        case .report, .standardReport, .overviewPage, .reportPage, .explorePage: true
        default: false
        }
    }

    /// Whether it is served when all other connections are busy.
    private var servesProbes: Bool {
        switch self {
        case .health, .readiness, .apiDescription, .metrics: true
        default: false
        }
    }

    /// What its bodies are; nil where it has none.
    ///
    /// A web page can post to loopback, but neither media type without a secret or a preflight request.
    var mediaType: IngressMediaType? {
        definition.method == .get ? nil : isPage ? .form : .json
    }

    /// What the listener needs to know of it; the gate looks at media types, after tokens.
    var ingressRoute: IngressRoute {
        IngressRoute(
            definition.path, method: definition.method, answersHead: answersHead, mediaType: nil,
            servesProbes: servesProbes, endsWithClient: countsReport)
    }

    /// The method, path and access rule of a route.
    package struct Definition: Sendable, Hashable {
        /// The request's method.
        package let method: IngressMethod
        /// The request's path; an element in braces stands for any.
        package let path: String
        /// What the request needs.
        package let access: RouteAccess

        init(_ method: IngressMethod, _ path: String, _ access: RouteAccess) {
            self.method = method
            self.path = path
            self.access = access
        }
    }

    /// The route's method, path and access rule.
    package var definition: Definition {
        switch self {
        case .health: Definition(.get, "/healthz", .open)
        case .readiness: Definition(.get, "/readyz", .open)
        case .apiDescription: Definition(.get, "/openapi.yaml", .open)
        case .report: Definition(.get, "/v1/report", .scope(.report))
        case .standardReport: Definition(.get, "/v1/reports/{name}", .scope(.report))
        case .metrics: Definition(.get, "/metrics", .scope(.metrics))
        case .webAds: Definition(.post, "/v1/web-ads", .scope(.sign))
        case .explain: Definition(.post, "/v1/explain", .scope(.report))
        case .impressionCheck: Definition(.post, "/v1/impressions/check", .scope(.sign))
        case .quarantine: Definition(.get, "/v1/quarantine", .scope(.report))
        case .requeue: Definition(.post, "/v1/quarantine/requeue", .scope(.manage))
        case .prune: Definition(.post, "/v1/quarantine/prune", .scope(.manage))
        case .postbacks: Definition(.get, "/v1/postbacks", .scope(.report))
        case .recount: Definition(.post, "/v1/recount", .scope(.manage))
        case .overviewPage: Definition(.get, "/", .scope(.report))
        case .reportPage: Definition(.get, "/reports/{name}", .scope(.report))
        case .explorePage: Definition(.get, "/explore", .scope(.report))
        case .quarantinePage: Definition(.get, "/quarantine", .scope(.report))
        case .requeuePage: Definition(.get, "/quarantine/requeue", .scope(.manage))
        case .requeueForm: Definition(.post, "/quarantine/requeue", .scope(.manage))
        case .postbackPage: Definition(.get, "/postback", .scope(.report))
        case .conflictsPage: Definition(.get, "/conflicts", .scope(.report))
        case .keysPage: Definition(.get, "/keys", .scope(.report))
        case .definitionsPage: Definition(.get, "/definitions", .scope(.report))
        case .loginPage: Definition(.get, "/login", .open)
        case .loginForm: Definition(.post, "/login", .open)
        case .logoutForm: Definition(.post, "/logout", .open)
        case .pageAsset: Definition(.get, "/assets/{name}", .open)
        }
    }
}

/// A group of related console routes with their handlers.
package protocol ConsoleRoutes: Sendable {
    /// The routes with their handlers.
    var endpoints: [ConsoleEndpoint] { get }
}

/// A route and its handler.
package struct ConsoleEndpoint: Sendable {
    /// The route.
    package let route: ConsoleRoute
    let answer: @Sendable (IngressRequest, ConsoleContext) async -> IngressAnswer

    /// Makes an endpoint.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - answer: Answers the requests that may reach it.
    package init(
        _ route: ConsoleRoute,
        answer: @escaping @Sendable (IngressRequest, ConsoleContext) async -> IngressAnswer
    ) {
        self.route = route
        self.answer = answer
    }
}
