package import AttributionAccess
package import HTTPTypes

/// Every route the console can have; there is no other way to add one, so none can go without saying whom it is for.
package enum ConsoleRoute: CaseIterable, Sendable, Hashable {
    /// Whether the process answers.
    case health
    /// Whether the store answers.
    case readiness
    /// What the routes of both listeners take and answer.
    case apiDescription
    /// A report.
    case report
    /// The metrics, for Prometheus.
    case metrics
    /// Issuing web ads.
    case webAds
    /// Signing impressions.
    case impressions
    /// Signing the extension of an OpenRTB bid.
    case openRTB
    /// What is in the quarantine.
    case quarantine
    /// Judging the quarantine again.
    case requeue
    /// Deleting from the quarantine.
    case prune
    /// Recorded postbacks with their bytes.
    case postbacks
    /// Reading everything again from the raw bytes, and mending what follows from them.
    case recount

    /// What a route is: how it is asked for, and by whom.
    package struct Definition: Sendable, Hashable {
        /// The request's method.
        package let method: HTTPRequest.Method
        /// The request's path.
        package let path: String
        /// What the request must bring.
        package let access: RouteAccess

        init(_ method: HTTPRequest.Method, _ path: String, _ access: RouteAccess) {
            self.method = method
            self.path = path
            self.access = access
        }
    }

    /// How the route is asked for, and by whom.
    package var definition: Definition {
        switch self {
        case .health: Definition(.get, "/healthz", .open)
        case .readiness: Definition(.get, "/readyz", .open)
        case .apiDescription: Definition(.get, "/openapi.yaml", .open)
        case .report: Definition(.get, "/v1/report", .scope(.report))
        case .metrics: Definition(.get, "/metrics", .scope(.metrics))
        case .webAds: Definition(.post, "/v1/web-ads", .scope(.sign))
        case .impressions: Definition(.post, "/v1/impressions", .scope(.sign))
        case .openRTB: Definition(.post, "/v1/openrtb/skadn", .scope(.sign))
        case .quarantine: Definition(.get, "/v1/quarantine", .scope(.report))
        case .requeue: Definition(.post, "/v1/quarantine/requeue", .scope(.manage))
        case .prune: Definition(.post, "/v1/quarantine/prune", .scope(.manage))
        case .postbacks: Definition(.get, "/v1/postbacks", .scope(.report))
        case .recount: Definition(.post, "/v1/recount", .scope(.manage))
        }
    }
}
