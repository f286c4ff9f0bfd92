import Attribution
import AttributionListener
import Platform
import StrictJSON
import Synchronization

/// Sends requests to destinations, and keeps connections for the next ones as long as it exists.
package final class DestinationClient: Sendable {
    private static let longestAnswer = 16 << 10
    /// How many addresses of a name are tried in an attempt.
    private static let mostAddresses = 4
    /// How long the addresses of a name are used.
    private static let lookupLife = Duration.seconds(10)

    private let client = HTTPClient()
    private let lookups = Mutex<[String: (results: [AddressLookup.Result], until: ContinuousClock.Instant)]>([:])

    package init() {}

    /// Attempts to deliver a request.
    ///
    /// The name is looked up, its addresses are filtered by the destination's ``AddressRule``, and one of those left is
    /// connected to: there is no second lookup. Through a proxy, the name is the proxy's business. A certificate must be
    /// for the URL's host. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - destination: Where it is sent; the one that it was made for.
    ///   - now: The time of the attempt, in Unix seconds.
    ///   - limit: How long it may take as a whole.
    /// - Returns: What the destination answered, or why it did not.
    package func send(
        _ request: OutgoingRequest, to destination: Destination, at now: Int64, within limit: Duration = .seconds(20)
    ) async -> DeliveryResult {
        let server = destination.url.server
        let end = ContinuousClock.now + limit
        do {
            let route: HTTPClient.Request.Route
            if let proxy = destination.proxy {
                route = .proxy(host: proxy.host, port: proxy.port)
            } else {
                let found = try await addresses(of: server.host, within: limit)
                let permitted = found.filter {
                    destination.addressRule.permits($0.address, isMapped: server.isMapped || $0.isMapped)
                }
                guard !permitted.isEmpty else {
                    let addresses = found.map(\.address.description).joined(separator: ", ")
                    return .failed(
                        "\(server.host) has only addresses that are refused (\(addresses)): "
                            + "add \"allow\" with their network to the destination if they are meant")
                }
                route = .addresses(permitted.prefix(Self.mostAddresses).map(\.address))
            }
            let answer = try await client.send(
                HTTPClient.Request(
                    destination.method.rawValue, request.target, host: server.host, port: server.port,
                    isSecure: destination.url.isSecure, route: route,
                    fields: destination.fields(of: request, at: now), content: request.body),
                keeping: Self.longestAnswer, within: max(end - .now, .zero))
            var text = String(decoding: answer.body, as: UTF8.self)
            // A receiver may repeat what it was sent.
            if let token = destination.secret?.token {
                for spelling in [token, token.percentEncoded] { text = text.replacing(spelling, with: "(secret)") }
            }
            return .answered(
                DeliveryResult.Answer(
                    status: answer.status,
                    excerpt: String(decoding: text.utf8.prefix(DeliveryResult.keptBytes), as: UTF8.self),
                    retryAfter: answer.field("Retry-After").flatMap { Self.pause($0, now: now) }))
        } catch {
            return .failed("\(server): \(HTTPClient.reason(error))")
        }
    }

    private func addresses(of host: String, within limit: Duration) async throws -> [AddressLookup.Result] {
        let now = ContinuousClock.now
        if let known = lookups.withLock({ $0[host] }), known.until > now { return known.results }
        let results = try await AddressLookup.addresses(of: host, within: limit)
        lookups.withLock { $0[host] = (results, now + Self.lookupLife) }
        return results
    }

    /// What `Retry-After` says: seconds, or a date such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else.
    static func pause(_ text: String, now: Int64) -> Duration? {
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        let words = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let day = "\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z"
        return (try? Moment(day, field: "Retry-After")).map { .seconds(max(0, $0.milliseconds / 1000 - now)) }
    }
}

extension Destination {
    /// Which addresses it may be at.
    package var addressRule: AddressRule { AddressRule(allow: allow, isSecure: url.isSecure) }

    /// The header of an attempt, as Standard Webhooks 1.0.0 has it.
    func fields(of request: OutgoingRequest, at now: Int64) -> [(name: String, value: String)] {
        var fields = headers.map { header in
            (name: header.name, value: header.value.replacing("{secret}", with: secret?.token ?? ""))
        }
        if !headers.contains(where: { $0.name.lowercasedASCII == "user-agent" }) {
            fields.append(("User-Agent", "skan"))
        }
        if body != .query { fields.append(("Content-Type", "application/json")) }
        fields += [("webhook-id", request.id), ("webhook-timestamp", String(now))]
        if case .signing(let keys) = secret {
            let signed = Array("\(request.id).\(now).".utf8) + (request.body ?? [])
            let signatures = keys.map { key in
                "v1," + Base64.encode(SHA256.authenticationCode(of: signed, key: key))
            }
            fields.append(("webhook-signature", signatures.joined(separator: " ")))
        }
        return fields
    }
}
