import Attribution
import AttributionListener
package import AttributionSigning
import BoundedLogging
import FoundationEssentials
import Hummingbird
package import Logging
import NIOCore
import StrictJSON

/// The signing API: impressions by Apple's names, and the extensions of a bid in OpenRTB's.
///
/// A signature takes some tens of microseconds of a processor. It is made on the threads of Swift's pool, on which
/// Hummingbird runs handlers, and never on an event loop.
package struct SigningRoutes: ConsoleRoutes {
    /// The most bytes a request may have.
    private static let bodyLimit = 64 << 10

    private let current: CurrentSigner?
    private let failures: FailureLog

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - signer: Signs for the networks that the operator has keys of, and may be exchanged; without one the routes
    ///     answer 503.
    ///   - logger: Takes what goes wrong.
    package init(signer: CurrentSigner?, logger: Logger) {
        current = signer
        failures = FailureLog("signing failed", logger: logger)
    }

    /// `/v1/impressions` and `/v1/openrtb/skadn`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.impressions) { request, _ in await signImpressions(request) },
            ConsoleEndpoint(.openRTB) { request, _ in await signBid(request) },
        ]
    }

    private func signImpressions(_ request: Request) async -> Response {
        await answer(request) { body, signer, now in
            var generator = SystemRandomNumberGenerator()
            let order = try ImpressionOrder(reading: body, limit: Self.bodyLimit)
            let signed = try signer.answer(order, at: now, using: &generator)
            return (.ok, .object(["status": .string("signed"), "impressions": .array(signed)]))
        }
    }

    private func signBid(_ request: Request) async -> Response {
        await answer(request) { body, signer, now in
            var generator = SystemRandomNumberGenerator()
            let request = try BidSigningRequest(reading: body, limit: Self.bodyLimit)
            let answer = try signer.answer(request, at: now, using: &generator)
            return (answer.isSigned ? .ok : .unprocessableContent, answer.json)
        }
    }

    private func answer(
        _ request: Request,
        _ sign: (_ body: [UInt8], _ signer: NetworkSigner, _ now: UnixMilliseconds) throws -> (
            HTTPResponse.Status, JSONText
        )
    ) async -> Response {
        // A page in a browser can post to loopback, but not with this media type and without asking first.
        guard request.headers[.contentType]?.isJSONMediaType == true else {
            return .refusal(
                .unsupportedMediaType, "unsupported-media-type",
                "Content-Type: found \(request.headers[.contentType]?.shortened(to: 60) ?? "nothing"), "
                    + "expected application/json")
        }
        guard let signer = current?.signer else {
            return .refusal(
                .serviceUnavailable, "no-signing-keys",
                "this server has no keys to sign with; start it with --signing-keys FILE (SKAN_SIGNING_KEYS)")
        }
        guard let buffer = try? await request.body.collect(upTo: Self.bodyLimit) else {
            return .refusal(
                .contentTooLarge, "body-too-large", "the body is longer than \(Self.bodyLimit) bytes, or was cut short")
        }
        do {
            let now = UnixMilliseconds(Date())
            let (status, body) = try sign(Array(buffer.readableBytesView), signer, now)
            return .json(status, body)
        } catch let refusal as SigningRefusal {
            let status: HTTPResponse.Status = if case .notJSON = refusal { .badRequest } else { .unprocessableContent }
            return .refusal(status, refusal.reason, refusal.description)
        } catch {
            failures.note("\(error)")
            let body = JSONText.object(["status": .string("failed"), "reason": .string("signing-failed")])
            return .json(.internalServerError, body)
        }
    }
}
