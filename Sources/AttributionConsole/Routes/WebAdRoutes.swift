import Attribution
package import AttributionIngest
import AttributionListener
import FoundationEssentials
package import Logging
import StrictJSON

/// The console's route for issuing web ads: `POST /v1/web-ads`.
package struct WebAdRoutes: ConsoleRoutes {
    /// The maximum number of ads per request.
    static let maximumCount = 10_000

    private let issuer: WebAdIssuer?
    private let failures: RouteFailures

    package init(issuer: WebAdIssuer?, logger: Logger) {
        self.issuer = issuer
        failures = RouteFailures(
            "web ad not issued", unexpected: Refusal(.storeFailed, "the store does not answer; nothing was issued"),
            logger: logger)
    }

    package var endpoints: [ConsoleEndpoint] {
        [ConsoleEndpoint(.webAds) { request, context in await issue(request, context) }]
    }

    private func issue(_ request: IngressRequest, _ context: ConsoleContext) async -> IngressAnswer {
        do {
            guard let issuer else {
                throw Refusal.noSigningKeys
            }
            let body = try request.body(upTo: JSONObject.maximumLength)
            let parameters = try RequestParameters(query: request, known: ["count", "issued-at"])
            let count = try parameters.integer("count", 1...Int64(Self.maximumCount))
            let now = UnixMilliseconds(Date())
            let issuedAt = try parameters.integer("issued-at", 0...Int64.max).map(UnixMilliseconds.init)
            let ad = try WebAdRequest(reading: body)
            try context.authorize([ad.adNetworkID])
            let links = try await issuer.issue(ad, count: Int(count ?? 1), issuedAt: issuedAt, now: now)
            guard count == nil else {
                return .text(IngressMediaType.ndjson.rawValue, links.map { $0.json.line + "\n" }.joined())
            }
            return .json(links.first?.json ?? .null)
        } catch {
            return failures.answer(to: error)
        }
    }
}

extension Refusal {
    /// The answer on a server without keys.
    fileprivate static let noSigningKeys = Refusal(
        .noSigningKeys, "this server has no keys to sign with",
        hint: "start it with --signing-keys FILE (SKAN_SIGNING_KEYS)")
}

extension WebAdRequest {
    /// What ``Attribution/WebAdRequest/init(reading:)`` reads.
    var json: JSONText {
        .object([
            "ad-network-id": .string(adNetworkID),
            "itunes-item-id": .integer(itunesItemID),
            "source-identifier": .integer(sourceIdentifier),
            "source-domains": .array(sourceDomains.map(JSONText.string)),
            "attribution-destination": .string(attributionDestination),
            "label": .string(label),
            "lifetime-seconds": .integer(lifetimeSeconds),
        ])
    }
}
