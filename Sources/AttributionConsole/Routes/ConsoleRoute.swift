package import AttributionAccess
package import HTTPTypes

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
    /// Checking that an impression is signed as Apple demands.
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

    /// Whether its requests name ad networks, to which tokens can be limited; the others concern all networks.
    package var namesNetworks: Bool {
        switch self {
        case .report, .standardReport, .webAds: true
        case .health, .readiness, .apiDescription, .metrics, .explain, .impressionCheck, .quarantine, .requeue, .prune,
            .postbacks, .recount:
            false
        }
    }

    /// The method, path and access rule of a route.
    package struct Definition: Sendable, Hashable {
        /// The request's method.
        package let method: HTTPRequest.Method
        /// The request's path; an element in braces stands for any.
        package let path: String
        /// What the request needs.
        package let access: RouteAccess

        init(_ method: HTTPRequest.Method, _ path: String, _ access: RouteAccess) {
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
        }
    }
}
