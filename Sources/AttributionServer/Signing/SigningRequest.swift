import Attribution
import AttributionConsole
import AttributionListener
import AttributionSigning

/// A signing request that waits for its answer.
struct SigningRequest: Sendable {
    let route: SigningRoute
    let body: [UInt8]
    let caller: AccessGrant?
    let receivedAt: UnixMilliseconds
    let answer: @Sendable (IngressAnswer) -> Void
    /// The key list that signs the whole of it, once that has begun.
    var keys: CurrentSigner.Keys?
    /// What external signers are asked to sign for it, and their answers; nil if it needs none.
    var awaited: Awaited?
    /// What has been signed of a batch, which takes its turn many times.
    var progress: BatchProgress?

    /// What was read of a request that waits for external signers.
    struct Awaited: Sendable {
        /// The plans of its parts, each with the line of a batch.
        let parts: [(line: Int, plan: Result<SigningPlan, any Error>)]
        /// The signatures, once they were answered.
        var signatures: ExternalSignatures = [:]
    }

    /// How far a batch has come.
    struct BatchProgress: Sendable {
        let batch: ImpressionBatch
        /// The index of the next order.
        var next = 0
        /// Kept per turn; appending to those of earlier turns would copy them.
        var answers: [ImpressionBatch.Answers] = []
    }

    /// The maximum number of bytes in a request other than a batch.
    static let bodyLimit = 64 << 10

    /// Answers that it is refused.
    func refuse(_ error: some CodedError) {
        var answer = IngressAnswer(refusing: error)
        answer.caller = caller?.name
        self.answer(answer)
    }
}

/// A path of the signing listener; each needs a token with the scope `sign`, when there are tokens.
package enum SigningRoute: CaseIterable, Hashable, Sendable {
    /// Signing one ad in every form and version it may be shown in.
    case impressions
    /// Signing many ads.
    case batch
    /// Signing the extensions of OpenRTB bids.
    case openRTB

    /// The path, without a trailing slash.
    package var path: String {
        switch self {
        case .impressions: "/v1/impressions"
        case .batch: "/v1/impressions/batch"
        case .openRTB: "/v1/openrtb/skadn"
        }
    }

    /// The routes of the listener.
    static let all = IngressRoutes(
        allCases.map { IngressRoute($0.path, mediaType: $0 == .batch ? .ndjson : .json) },
        fields: ["authorization", "host"],
        requireMediaType: true, haveCallers: true)

    /// The route of a request to ``all``.
    init(_ route: IngressRoute) {
        self = Self.allCases[route.index]
    }
}
