package import AttributionListener

/// Every route of the console; there is no other way to add one, so none can lack an access rule.
package enum ConsoleRoute: CaseIterable, Sendable, Hashable {
    // The API.
    case health, readiness, apiDescription, report, standardReport, metrics, webAds, explain, impressionCheck
    case quarantine, requeue, prune, postbacks, costs, recount, destinations
    // Pages, the forms they send, and the files they load.
    case overviewPage, campaignPage, reportPage, explorePage, quarantinePage, requeuePage, requeueForm, postbackPage
    case conflictsPage, destinationsPage, keysPage, definitionsPage, loginPage, loginForm, logoutForm, pageAsset

    package struct Definition: Sendable, Hashable {
        package let method: IngressMethod
        /// The request's path; an element in braces stands for any.
        package let path: String
        /// What the request needs.
        package let access: RouteAccess
        fileprivate let traits: Traits

        init(_ method: IngressMethod, _ path: String, _ access: RouteAccess, _ traits: Traits = []) {
            (self.method, self.path, self.access, self.traits) = (method, path, access, traits)
        }
    }

    /// What else is true of a route.
    struct Traits: OptionSet, Hashable {
        let rawValue: Int

        /// It is for people, with a browser.
        static let page = Traits(rawValue: 1)
        /// Its requests name ad networks.
        static let networks = Traits(rawValue: 2)
        /// It counts a report, which ends when the client goes away.
        static let counts = Traits(rawValue: 4)
        /// It is served when all other connections are busy.
        static let probe = Traits(rawValue: 8)
        /// What it answers can be limited to apps.
        static let apps = Traits(rawValue: 16)
        /// It counts what the token may see.
        static let figures: Traits = [.networks, .apps, .counts]
    }

    package var definition: Definition {
        switch self {
        case .health: Definition(.get, "/healthz", .open, .probe)
        case .readiness: Definition(.get, "/readyz", .open, .probe)
        case .apiDescription: Definition(.get, "/openapi.yaml", .open, .probe)
        case .report: Definition(.get, "/v1/report", .scope(.report), .figures)
        case .standardReport: Definition(.get, "/v1/reports/{name}", .scope(.report), .figures)
        case .metrics: Definition(.get, "/metrics", .scope(.metrics), .probe)
        case .webAds: Definition(.post, "/v1/web-ads", .scope(.sign), .networks)
        case .explain: Definition(.post, "/v1/explain", .scope(.report))
        case .impressionCheck: Definition(.post, "/v1/impressions/check", .scope(.sign))
        case .quarantine: Definition(.get, "/v1/quarantine", .scope(.report))
        case .requeue: Definition(.post, "/v1/quarantine/requeue", .scope(.manage))
        case .prune: Definition(.post, "/v1/quarantine/prune", .scope(.manage))
        case .postbacks: Definition(.get, "/v1/postbacks", .scope(.report), .apps)
        case .costs: Definition(.post, "/v1/costs", .scope(.manage))
        case .recount: Definition(.post, "/v1/recount", .scope(.manage))
        case .destinations: Definition(.post, "/v1/destinations", .scope(.manage))
        case .overviewPage: Definition(.get, "/", .scope(.report), [.page, .figures])
        case .campaignPage: Definition(.get, "/campaign", .scope(.report), [.page, .figures])
        case .reportPage: Definition(.get, "/reports/{name}", .scope(.report), [.page, .figures])
        case .explorePage: Definition(.get, "/explore", .scope(.report), [.page, .figures])
        case .quarantinePage: Definition(.get, "/quarantine", .scope(.report), .page)
        case .requeuePage: Definition(.get, "/quarantine/requeue", .scope(.manage), .page)
        case .requeueForm: Definition(.post, "/quarantine/requeue", .scope(.manage), .page)
        case .postbackPage: Definition(.get, "/postback", .scope(.report), .page)
        case .conflictsPage: Definition(.get, "/conflicts", .scope(.report), .page)
        case .destinationsPage: Definition(.get, "/destinations", .scope(.report), .page)
        case .keysPage: Definition(.get, "/keys", .scope(.report), .page)
        case .definitionsPage: Definition(.get, "/definitions", .scope(.report), [.page, .networks, .apps])
        case .loginPage: Definition(.get, "/login", .open, .page)
        case .loginForm: Definition(.post, "/login", .open, .page)
        case .logoutForm: Definition(.post, "/logout", .open, .page)
        case .pageAsset: Definition(.get, "/assets/{name}", .open, .page)
        }
    }

    /// Whether it is for people, with a browser: it answers with HTML, takes a session in place of a token, and is not
    /// part of the API.
    package var isPage: Bool {
        definition.traits.contains(.page)
    }

    /// Whether it answers HEAD as it answers GET, without the body.
    package var answersHead: Bool {
        isPage && definition.method == .get
    }

    /// Whether its requests name ad networks, to which tokens can be limited; the others concern all networks.
    package var namesNetworks: Bool {
        definition.traits.contains(.networks)
    }

    /// Whether what it answers can be limited to apps; a token that is limited to some gets nothing of the others.
    package var canBeLimitedToApps: Bool {
        definition.traits.contains(.apps)
    }

    /// What its bodies are; nil where it has none.
    ///
    /// A web page can post to loopback, but none of the media types without a secret or a preflight request.
    var mediaType: IngressMediaType? {
        definition.method == .get ? nil : isPage ? .form : self == .costs ? .ndjson : .json
    }

    /// What the listener needs to know of it; the gate looks at media types, after tokens.
    var ingressRoute: IngressRoute {
        IngressRoute(
            definition.path, method: definition.method, answersHead: answersHead, mediaType: nil,
            servesProbes: definition.traits.contains(.probe), endsWithClient: definition.traits.contains(.counts))
    }
}

/// A group of related console routes with their handlers.
package protocol ConsoleRoutes: Sendable {
    var endpoints: [ConsoleEndpoint] { get }
}

package struct ConsoleEndpoint: Sendable {
    package let route: ConsoleRoute
    let answer: @Sendable (IngressRequest, ConsoleContext) async -> IngressAnswer

    package init(
        _ route: ConsoleRoute,
        answer: @escaping @Sendable (IngressRequest, ConsoleContext) async -> IngressAnswer
    ) {
        self.route = route
        self.answer = answer
    }
}
