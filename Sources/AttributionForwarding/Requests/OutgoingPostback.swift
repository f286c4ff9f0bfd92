package import Attribution
package import AttributionSigning
package import AttributionStore
import StrictJSON

/// A recorded postback whose bytes were read and verified again, to be sent to any number of destinations.
package struct OutgoingPostback: Sendable {
    /// What was read.
    package let postback: ReceivedPostback
    /// Which traffic it was recorded as.
    package let traffic: Traffic
    /// When it was first received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64
    /// The digest of its dedupe key, which is the same in every copy of a store.
    package let key: Digest16

    init(_ postback: ReceivedPostback, traffic: Traffic, receivedAtMilliseconds: Int64) {
        self.postback = postback
        self.traffic = traffic
        self.receivedAtMilliseconds = receivedAtMilliseconds
        key = PostbackDigests.key(of: postback, provenance: traffic.provenance)
    }

    /// Reads recorded postbacks as ingest does, and verifies them by when they were received.
    ///
    /// - Returns: Each in the same order, or why it is not sent: nothing is that does not verify again.
    package static func read(
        _ recorded: [RecordedPostback], by verifier: PostbackVerifier
    ) -> [Result<OutgoingPostback, OutgoingProblem>] {
        zip(recorded, verifier.judge(recorded.map(\.receivedBody))).map { recorded, judgement in
            Result { () throws(OutgoingProblem) -> OutgoingPostback in
                guard recorded.body != nil else { throw .noBytes }
                let verified = try judgement.verified()
                let postback = OutgoingPostback(
                    verified.postback, traffic: recorded.traffic,
                    receivedAtMilliseconds: recorded.receivedAtMilliseconds)
                guard verified.provenance == recorded.traffic.provenance,
                    recorded.digests.map({ $0.key == postback.key }) ?? true
                else {
                    throw .otherBytes
                }
                return postback
            }
        }
    }

    /// A value for members and URLs; of Apple's fields, one that Apple documents where it was found.
    func value(of source: ValueSource, requestID: String) -> JSONValue? {
        switch source {
        case .own(.receivedAtSeconds): .integer(receivedAtMilliseconds.dividedRoundingDown(by: 1000))
        case .own(.receivedAtMilliseconds): .integer(receivedAtMilliseconds)
        case .own(.isTest): .bool(traffic.provenance != .apple)
        case .own(.webhookID): .string(requestID)
        case .field(let field):
            switch postback {
            case .adAttributionKit(let kit) where !PostbackField.besideJWS.contains(field): kit.signedFields[field]
            default: postback.appleMembers[field]
            }
        }
    }
}

/// Why a postback is not sent to a destination.
package enum OutgoingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its bytes are damaged, or no longer kept.
    case noBytes
    /// Its bytes do not verify, or what would leave does not; with the reason.
    case notVerified(String)
    /// Verification failed without a result; it may succeed later.
    case undecided(String)
    /// Its bytes are those of another postback.
    case otherBytes
    /// It has no value for the URL's path, or one that would lead elsewhere.
    case lacks(String)

    /// Whether it may be gone at the next attempt.
    package var isTemporary: Bool {
        if case .undecided = self { true } else { false }
    }

    /// What is wrong, in words.
    package var description: String {
        switch self {
        case .noBytes: "its bytes are damaged or no longer kept"
        case .notVerified(let reason): "its signature does not verify again: \(reason)"
        case .undecided(let reason): "its signature could not be verified now: \(reason)"
        case .otherBytes: "its bytes are those of another postback"
        case .lacks(let name): "it has no \(name) that the URL's path could have"
        }
    }
}

extension Judgement {
    /// The postback, if it is verified.
    func verified() throws(OutgoingProblem) -> VerifiedPostback {
        switch self {
        case .verified(let verified): return verified
        case .rejected(let rejection, _): throw .notVerified(rejection.description)
        case .undecided(let reason, _): throw .undecided(reason)
        }
    }
}
