import Attribution
import Logging
import Platform
import StrictJSON

/// The writer's log, which limits repeated lines to a few a second and counts the rest.
struct IngestLog {
    /// What is logged; lines of one kind are limited together.
    private enum Kind: Hashable, CaseIterable {
        case storeFailed, undecided, conflict
        case quarantined(PostbackRejection.Code)

        static let allCases =
            [storeFailed, undecided, conflict] + PostbackRejection.Code.allCases.map(Kind.quarantined)

        var message: Logger.Message {
            switch self {
            case .storeFailed: "store failed"
            case .undecided: "cannot verify"
            case .conflict: "postback contradicts the one counted"
            case .quarantined: "postback quarantined"
            }
        }

        var isFailure: Bool { self == .storeFailed || self == .undecided }
    }

    /// The most characters of a detail, which quotes what a client sent.
    private static let detailLimit = 160

    private let logger: Logger
    private var throttles = Dictionary(
        uniqueKeysWithValues: Kind.allCases.map { ($0, LogThrottle(lines: $0.isFailure ? 1 : 10)) })

    init(_ logger: Logger) {
        self.logger = logger
    }

    private mutating func log(
        _ kind: Kind, at now: ContinuousClock.Instant, error: (any Error)? = nil,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        logger.log(
            level: kind.isFailure ? .error : .info, kind.message, throttle: &throttles[kind, default: LogThrottle()],
            at: now, error: error, metadata: metadata())
    }

    /// Logs that a batch could not be recorded.
    mutating func storeFailed(_ error: any Error, batch: Int, at now: ContinuousClock.Instant) {
        log(.storeFailed, at: now, error: error, ["batch": "\(batch)"])
    }

    /// Logs that a signature could not be verified.
    mutating func undecided(_ reason: String, at now: ContinuousClock.Instant) {
        log(.undecided, at: now, ["reason": "\(reason)"])
    }

    /// Logs that a copy contradicts the one that was counted.
    mutating func conflict(
        _ verified: VerifiedPostback, isKept: Bool, delivery: Delivery, at now: ContinuousClock.Instant
    ) {
        // Both ids are signed, and hold no control character.
        let key = verified.postback.key
        log(
            .conflict, at: now,
            ["network": "\(key.adNetworkID)", "transaction-id": "\(key.transactionID)"]
                .merging(Self.fields(of: delivery, isKept)) { $1 })
    }

    /// Logs that a postback was quarantined, and why.
    mutating func quarantined(
        _ rejection: PostbackRejection, isKept: Bool, delivery: Delivery, at now: ContinuousClock.Instant
    ) {
        log(.quarantined(rejection.code), at: now, Self.fields(rejection, isKept, delivery))
    }

    private static func fields(
        _ rejection: PostbackRejection, _ isKept: Bool, _ delivery: Delivery
    ) -> Logger.Metadata {
        var fields = Self.fields(of: delivery, isKept)
        fields["reason"] = "\(rejection.code.rawValue)"
        fields["detail"] = "\(rejection.description.shortened(to: detailLimit))"
        if let hint = rejection.hint { fields["hint"] = "\(hint)" }
        // Parsed again, but only for the few lines logged. The network is what the postback claims, without proof.
        if case .invalidSignature = rejection, case .rejected(_, let body) = delivery.judgement,
            let postback = try? ReceivedPostback(reading: body)
        {
            fields["network"] = "\(postback.key.adNetworkID.description.shortened(to: 80))"
        }
        return fields
    }

    private static func fields(of delivery: Delivery, _ isKept: Bool) -> Logger.Metadata {
        var fields: Logger.Metadata = ["recipient": "\(delivery.recipient.rawValue)", "kept": "\(isKept)"]
        if let client = delivery.client { fields["client"] = "\(client)" }
        return fields
    }

    /// Whether there are suppressed lines that were not reported yet.
    var hasSuppressed: Bool {
        throttles.values.contains(where: \.hasSuppressed)
    }

    /// Logs how many lines were suppressed, once a second has passed.
    mutating func countSuppressed(at now: ContinuousClock.Instant) {
        for kind in Kind.allCases {
            guard let count = throttles[kind]?.takeSuppressed(at: now) else {
                continue
            }
            var metadata: Logger.Metadata = ["suppressed": "\(count)"]
            if case .quarantined(let code) = kind { metadata["reason"] = "\(code.rawValue)" }
            logger.log(level: kind.isFailure ? .error : .info, kind.message, metadata: metadata)
        }
    }
}
