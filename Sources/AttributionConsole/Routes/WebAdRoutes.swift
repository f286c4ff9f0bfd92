import Attribution
package import AttributionIngest
import AttributionListener
import AttributionSigning
import BoundedLogging
import FoundationEssentials
import Hummingbird
package import Logging
import NIOCore
import StrictJSON

/// The console's route for issuing web ads: `POST /v1/web-ads`.
package struct WebAdRoutes: ConsoleRoutes {
    /// The most ads of one request, whose answer has all their links.
    static let most = 10_000

    private let issuer: WebAdIssuer?
    private let failures: FailureLog

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - issuer: Issues web ads; nil when the server has no signing keys.
    ///   - logger: Takes what goes wrong.
    package init(issuer: WebAdIssuer?, logger: Logger) {
        self.issuer = issuer
        failures = FailureLog("web ad not issued", logger: logger)
    }

    /// `/v1/web-ads`.
    package var endpoints: [ConsoleEndpoint] {
        [ConsoleEndpoint(.webAds) { request, _ in await issue(request) }]
    }

    private func issue(_ request: Request) async -> Response {
        guard let issuer else {
            return .refusal(
                .serviceUnavailable, "no-signing-keys", "the server was started without --signing-keys")
        }
        // Only a page of this origin may send this type unasked: no page elsewhere can issue ads through a browser.
        guard request.headers[.contentType]?.isJSONMediaType == true else {
            return .refusal(.unsupportedMediaType, "unsupported-media-type", "send Content-Type: application/json")
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: JSONObject.maximumLength)
        } catch {
            return .refusal(
                .contentTooLarge, "body-too-large", "the body is larger than \(JSONObject.maximumLength) bytes")
        }
        do {
            let parameters = try RequestParameters(query: request, known: ["count", "issued-at"])
            let count = try parameters.integer("count", 1...Int64(Self.most))
            let now = UnixMilliseconds(Date())
            let issuedAt = try parameters.integer("issued-at", 0...Int64.max).map(UnixMilliseconds.init)
            let links = try await issuer.issue(
                try WebAdRequest(reading: body.readableBytesView), count: Int(count ?? 1), issuedAt: issuedAt, now: now)
            guard count == nil else {
                return .text(.ok, "application/x-ndjson", links.map { $0.json.line + "\n" }.joined())
            }
            return .json(.ok, links.first?.json ?? .null)
        } catch let error as JSONError {
            return .refusal(.badRequest, "not-json", error.description)
        } catch let problem as FieldProblem {
            return .refusal(.badRequest, "malformed", problem.description)
        } catch let problem as KeyProblem {
            return .refusal(.unprocessableContent, "no-key", "\(problem); \(problem.hint)")
        } catch {
            failures.note("\(error)")
            return .refusal(.serviceUnavailable, "store-failed", "the store does not answer; nothing was issued")
        }
    }
}
