import Attribution
package import AttributionExplaining
import AttributionListener
import AttributionSigning
import AttributionStore
package import Logging
import StrictJSON

/// Why a postback verifies or not, and whether an impression is signed as Apple requires.
///
/// Each answer takes some tens of milliseconds of processor time at most. One is made at a time, on a thread of low
/// priority, so that any number of them leaves the processors to the postbacks; tokens take turns.
package struct ExplainRoutes: ConsoleRoutes {
    private let postbacks: PostbackExplainer
    private let failures: RouteFailures
    /// As many may wait as there are connections.
    private let queue = JobQueue("one explanation is being made", waiting: .max)

    package init(postbacks: PostbackExplainer, logger: Logger) {
        self.postbacks = postbacks
        failures = RouteFailures(
            "explanation failed", unexpected: Refusal(.unexpected, "no explanation could be made"), logger: logger)
    }

    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.explain) { request, context in
                await answer(request, context, upTo: JSONObject.maximumLength) { postbacks.explain($0) }
            },
            ConsoleEndpoint(.impressionCheck) { request, context in
                await answer(request, context, upTo: ImpressionExplainer.limit) {
                    try ImpressionCheckRequest($0).explanation()
                }
            },
        ]
    }

    private func answer(
        _ request: IngressRequest, _ context: ConsoleContext, upTo limit: Int,
        _ explain: @escaping @Sendable ([UInt8]) throws -> Explanation
    ) async -> IngressAnswer {
        do {
            let body = try request.body(upTo: limit)
            return try await queue.run(for: context.caller?.id) {
                .json(try await BackgroundWork.run { try explain(body).json })
            }
        } catch {
            return failures.answer(to: error)
        }
    }
}

private struct ImpressionCheckRequest {
    private let impression: [UInt8]
    private let signedText: [UInt8]?
    private let explainer: ImpressionExplainer

    /// Reads the members.
    ///
    /// - Throws: ``StrictJSON/JSONError``, ``StrictJSON/FieldProblem``.
    init(_ body: [UInt8]) throws {
        let fields = try RequestFields(
            reading: body, limit: ImpressionExplainer.limit, depth: ImpressionExplainer.depth + 1)
        try fields.allow(only: ["public-key", "other-keys", "impression", "signed-text"])
        guard let named = try fields.string("public-key") else {
            throw fields.problem("public-key", found: "nothing", expected: Self.keyRule)
        }
        let others = try fields.strings("other-keys")
        guard others.count <= Self.maximumOtherKeys else {
            throw fields.problem(
                "other-keys", found: "\(others.count) keys", expected: "at most \(Self.maximumOtherKeys)")
        }
        explainer = ImpressionExplainer(
            key: try Self.key(named, "public-key", fields),
            otherKeys: try others.map { try Self.key($0, "other-keys", fields) })
        signedText = try fields.string("signed-text").map { Array($0.utf8) }
        let object = try JSONObject(
            reading: body, limit: ImpressionExplainer.limit, depth: ImpressionExplainer.depth + 1)
        switch object["impression"] {
        case .string(let text): impression = Array(text.utf8)
        case .nested(let text): impression = Array(text.utf8)
        case let other:
            throw fields.problem(
                "impression", found: other?.summary ?? "nothing",
                expected: "an object with the impression's values and signature, what it is inside, or a compact JWS")
        }
    }

    func explanation() -> Explanation {
        explainer.explain(impression, signedText: signedText)
    }

    /// Each is tried with every repair.
    private static let maximumOtherKeys = 8
    private static let keyRule = "a public key on P-256 or P-192, as PEM, base64 of its DER, or JWK"

    private static func key(_ text: String, _ name: String, _ fields: RequestFields) throws -> SignaturePublicKey {
        let bytes = Array(text.utf8)
        // A command line may name a private key, but a request must never carry one.
        if text.contains("PRIVATE KEY") || KeyMaterial(reading: bytes).hasSecret {
            throw fields.problem(
                name, found: "a private key", expected: keyRule + "; make a new key, this one was sent")
        }
        let key = try? SignaturePublicKey(reading: bytes, file: name)
        guard let key else {
            throw fields.problem(name, found: JSONValue.string(text).summary, expected: keyRule)
        }
        return key
    }
}
