import Attribution
import AttributionAccess
import AttributionReports
import AttributionStore
import CodedErrors
import FoundationEssentials
import Hummingbird
import StrictJSON

extension AccessGrant {
    /// As much as a signing request may have.
    private static let bodyLimit = 64 << 10

    /// Refuses a request for a network that the token is not limited to.
    ///
    /// Whoever holds a limited token has to name the networks: a request without any concerns all.
    ///
    /// - Parameters:
    ///   - request: The request; a body that was read for its networks is put back.
    ///   - route: What it asks for.
    /// - Returns: The refusal; nil when it may go on, or cannot be read, which the route refuses.
    func refusal(of request: inout Request, to route: ConsoleRoute) async -> (any CodedError)? {
        guard !networks.isEmpty else {
            return nil
        }
        let named: [String]?
        switch route {
        case .report: named = Self.networks(ofReport: request)
        case .impressions, .openRTB, .webAds:
            guard let body = try? await request.body.collect(upTo: Self.bodyLimit) else {
                return Refusal(.bodyTooLarge, "the body is longer than \(Self.bodyLimit) bytes, or was cut short")
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

    /// The networks a body names; nil when it is no JSON object.
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
