import Attribution
package import AttributionSigning
import CodedErrors
import FoundationEssentials
import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import StrictJSON

/// The signing API: impressions with Apple's names, and bid extensions with OpenRTB's.
///
/// A signature takes some tens of microseconds of processor time. It is made on Swift's pool, where Hummingbird runs
/// handlers, never on an event loop.
package struct SigningRoutes: ConsoleRoutes {
    /// The maximum number of bytes in a request.
    private static let bodyLimit = 64 << 10

    private let current: CurrentSigner?
    private let failures: RouteFailures

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - signer: Signs for the networks whose keys the operator has, and may be replaced; without one the routes
    ///     answer 503.
    ///   - logger: Logs problems.
    package init(signer: CurrentSigner?, logger: Logger) {
        current = signer
        failures = RouteFailures(
            "signing failed",
            unexpected: Refusal(.signingFailed, "no signature could be made; the server's log says why"), logger: logger
        )
    }

    /// `/v1/impressions`, `/v1/impressions/batch` and `/v1/openrtb/skadn`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.impressions) { request, context in await signImpressions(request, context) },
            ConsoleEndpoint(.impressionBatch) { request, context in await signBatch(request, context) },
            ConsoleEndpoint(.openRTB) { request, context in await signBid(request, context) },
        ]
    }

    private func signImpressions(_ request: Request, _ context: ConsoleContext) async -> Response {
        await answer(request) { body, signer, now in
            var generator = SystemRandomNumberGenerator()
            let order = try ImpressionOrder(reading: body, limit: Self.bodyLimit)
            try context.authorize([order.adNetworkID.text])
            let signed = try signer.answer(order, at: now, using: &generator)
            return .json(.ok, .object(["status": .string("signed"), "impressions": .array(signed)]))
        }
    }

    private func signBatch(_ request: Request, _ context: ConsoleContext) async -> Response {
        await answer(request, .ndjson, upTo: ImpressionBatch.bodyLimit) { body, signer, now in
            var generator = SystemRandomNumberGenerator()
            let batch = try ImpressionBatch(readingRequest: body)
            let answers = try batch.answers(at: now, using: &generator) { impression in
                try context.authorize([impression.adNetworkID.text])
                return try signer.signer(for: impression)
            }
            return Response(
                status: answers.refusals.isEmpty ? .ok : .multiStatus,
                headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(bytes: answers.text)))
        }
    }

    private func signBid(_ request: Request, _ context: ConsoleContext) async -> Response {
        await answer(request) { body, signer, now in
            var generator = SystemRandomNumberGenerator()
            let request = try BidRequest(reading: body, limit: Self.bodyLimit)
            try context.authorize(request.networks)
            let answer = try signer.answer(request, at: now, using: &generator)
            var response: Response =
                if let refusal = answer.refusal {
                    .refusing(refusal, body: answer.json)
                } else {
                    // Many bidders look at nothing but the status.
                    .json(answer.isPartial ? .multiStatus : .ok, answer.json)
                }
            if let refused = answer.refusedExtensions, let name = HTTPField.Name("Skan-Refused") {
                response.headers[name] = refused
            }
            return response
        }
    }

    private func answer(
        _ request: Request,
        _ mediaType: BodyMediaType = .json,
        upTo limit: Int = Self.bodyLimit,
        _ sign: (_ body: [UInt8], _ signer: NetworkSigner, _ now: UnixMilliseconds) throws -> Response
    ) async -> Response {
        do {
            guard let signer = current?.signer else {
                throw Refusal.noSigningKeys
            }
            let body = try await request.body(of: mediaType, upTo: limit)
            return try sign(
                Array(body.readableBytesView), signer, UnixMilliseconds(Date()))
        } catch {
            return failures.response(to: error)
        }
    }
}

extension HTTPResponse.Status {
    /// Part of what was asked for was done; the body says what (RFC 4918, section 13).
    fileprivate static let multiStatus = HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")
}

extension Refusal {
    /// The answer of every signing route on a server without keys.
    static let noSigningKeys = Refusal(
        .noSigningKeys, "this server has no keys to sign with",
        hint: "start it with --signing-keys FILE (SKAN_SIGNING_KEYS)")
}
