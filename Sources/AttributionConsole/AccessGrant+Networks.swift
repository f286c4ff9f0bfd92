import Attribution
import AttributionAccess
import AttributionReports
import AttributionStore
import CodedErrors
import FoundationEssentials
import Hummingbird
import StrictJSON

extension AccessGrant {
    /// The limit of a signing request.
    private static let bodyLimit = 64 << 10

    /// Refuses a request for a network that the token is not limited to.
    ///
    /// A limited token has to name its networks, because a request that names none applies to all.
    ///
    /// - Parameters:
    ///   - request: The request; a body read here is put back.
    ///   - route: The route it is for.
    /// - Returns: The refusal; nil when it may proceed, or cannot be read, which the route then refuses.
    func refusal(of request: inout Request, to route: ConsoleRoute) async -> (any CodedError)? {
        guard !networks.isEmpty else {
            return nil
        }
        let named: [String]?
        switch route {
        case .report: named = Self.networks(ofReport: request)
        case .impressions, .openRTB, .webAds:
            guard let body = try? await request.body.collect(upTo: Self.bodyLimit) else {
                return Refusal(.bodyTooLarge, "the body is larger than \(Self.bodyLimit) bytes, or was cut short")
            }
            request.body = .init(buffer: body)
            named = Self.networks(of: Array(body.readableBytesView), route)
        default: named = []
        }
        guard let named, named.isEmpty || !named.allSatisfy({ allows(network: $0) }) else {
            return nil
        }
        return AccessRefusal.outOfNetwork(allowed: networks.map(\.text))
    }

    /// The networks a body names; nil when it is not a JSON object.
    private static func networks(of body: [UInt8], _ route: ConsoleRoute) -> [String]? {
        guard let fields = try? RequestFields(reading: body, limit: bodyLimit) else {
            return nil
        }
        if route == .openRTB {
            return (try? fields.object("advertise")?.strings("networks")) ?? []
        }
        return (try? fields.string("ad-network-id")).flatMap(\.self).map { [$0] } ?? []
    }

    /// The networks a report counts; nil when its parameters break a rule.
    private static func networks(ofReport request: Request) -> [String]? {
        guard let query = try? ReportQuery(request, nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1000)) else {
            return nil
        }
        return query.request.conditions.filter { $0.dimension == .network && !$0.isExcluded }.flatMap(\.values)
    }
}
