import Attribution
import AttributionAccess
import AttributionListener
import AttributionSigning
import CodedErrors

/// A signing request that waits for its answer.
struct SigningRequest: Sendable {
    /// Whose requests wait in one line.
    enum Holder: Hashable, Sendable {
        /// A token, by its id.
        case token(String)
        /// Without a token: a client's network, or everyone at the socket.
        case client(String?)
    }

    let route: SigningRoute
    let body: [UInt8]
    let caller: AccessGrant?
    let client: String?
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
    /// How many bytes an order in a batch has at least, roughly.
    private static let bytesOfOrder = 256
    /// What a batch costs at most, so that one finds room where others wait.
    private static let heaviest = SigningService.queuedPerLoop / 4

    var holder: Holder {
        caller.map { .token($0.id) } ?? .client(client)
    }

    /// What it costs, compared with a request for one ad.
    var weight: Int {
        switch route {
        case .impressions, .openRTB: 1
        case .batch: progress == nil ? min(max(1, body.count / Self.bytesOfOrder), Self.heaviest) : 1
        }
    }

    /// Answers that it is refused.
    func refuse(_ error: some CodedError) {
        var answer = IngressAnswer(refusing: error)
        answer.caller = caller?.name
        self.answer(answer)
    }
}
