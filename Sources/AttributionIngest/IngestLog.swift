import Attribution
import Logging
import Platform
import StrictJSON

/// The writer's log, which limits repeated lines to a few a second and counts the rest.
struct IngestLog {
    /// The limit for each reason of quarantine.
    private static let quarantinedLinesPerSecond = 10
    /// The most characters of a detail, which quotes what a client sent.
    private static let detailLimit = 160

    private let logger: Logger
    private var storeFailures = LogThrottle()
    private var undecided = LogThrottle()
    private var conflicts = LogThrottle(lines: quarantinedLinesPerSecond)
    private var quarantined = Dictionary(
        uniqueKeysWithValues: PostbackRejection.Code.allCases.map {
            ($0, LogThrottle(lines: quarantinedLinesPerSecond))
        })

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs that a batch could not be recorded.
    mutating func storeFailed(_ error: any Error, batch: Int, at now: ContinuousClock.Instant) {
        logger.log(
            level: .error, "store failed", throttle: &storeFailures, at: now, error: error,
            metadata: ["batch": "\(batch)"])
    }

    /// Logs that a signature could not be verified.
    mutating func undecided(_ reason: String, at now: ContinuousClock.Instant) {
        logger.log(
            level: .error, "cannot verify", throttle: &undecided, at: now, metadata: ["reason": "\(reason)"])
    }

    /// Logs that a copy contradicts the one that was counted.
    ///
    /// - Parameters:
    ///   - verified: The copy.
    ///   - isKept: Whether its bytes were kept.
    ///   - delivery: How it came.
    ///   - now: The current time.
    mutating func conflict(
        _ verified: VerifiedPostback,
        isKept: Bool,
        delivery: Delivery,
        at now: ContinuousClock.Instant
    ) {
        // Both ids are signed, and hold no control character.
        let key = verified.postback.key
        var fields: Logger.Metadata = [
            "network": "\(key.adNetworkID)", "transaction-id": "\(key.transactionID)",
            "recipient": "\(delivery.recipient.rawValue)", "kept": "\(isKept)",
        ]
        if let client = delivery.client { fields["client"] = "\(client)" }
        logger.log(
            level: .info, "postback contradicts the one counted", throttle: &conflicts, at: now, metadata: fields)
    }

    /// Logs that a postback was quarantined, and why.
    ///
    /// - Parameters:
    ///   - rejection: The reason.
    ///   - isKept: Whether its bytes were kept; nil if unknown.
    ///   - delivery: The postback.
    ///   - now: The current time.
    mutating func quarantined(
        _ rejection: PostbackRejection,
        isKept: Bool?,
        delivery: Delivery,
        at now: ContinuousClock.Instant
    ) {
        guard var throttle = quarantined[rejection.code] else { return }
        logger.log(
            level: .info, "postback quarantined", throttle: &throttle, at: now,
            metadata: Self.fields(rejection, isKept: isKept, delivery: delivery))
        quarantined[rejection.code] = throttle
    }

    private static func fields(
        _ rejection: PostbackRejection,
        isKept: Bool?,
        delivery: Delivery
    ) -> Logger.Metadata {
        var fields: Logger.Metadata = [
            "reason": "\(rejection.code.rawValue)",
            "detail": "\(rejection.description.shortened(to: detailLimit))",
            "recipient": "\(delivery.recipient.rawValue)",
        ]
        if let isKept { fields["kept"] = "\(isKept)" }
        if let client = delivery.client { fields["client"] = "\(client)" }
        // Parsed again, but only for the few lines logged. The network is what the postback claims, without proof.
        if case .invalidSignature = rejection, case .rejected(_, let body) = delivery.judgement,
            let postback = try? ReceivedPostback(reading: body)
        {
            fields["network"] = "\(postback.key.adNetworkID.description.shortened(to: 80))"
        }
        return fields
    }

    /// Whether there are suppressed lines that were not reported yet.
    var hasSuppressed: Bool {
        storeFailures.hasSuppressed || undecided.hasSuppressed || conflicts.hasSuppressed
            || quarantined.values.contains { $0.hasSuppressed }
    }

    /// Logs how many lines were suppressed, once a second has passed.
    mutating func countSuppressed(at now: ContinuousClock.Instant) {
        if let count = storeFailures.takeSuppressed(at: now) {
            logger.error("store failed", metadata: ["suppressed": "\(count)"])
        }
        if let count = undecided.takeSuppressed(at: now) {
            logger.error("cannot verify", metadata: ["suppressed": "\(count)"])
        }
        if let count = conflicts.takeSuppressed(at: now) {
            logger.info("postback contradicts the one counted", metadata: ["suppressed": "\(count)"])
        }
        for code in PostbackRejection.Code.allCases {
            if let count = quarantined[code]?.takeSuppressed(at: now) {
                logger.info(
                    "postback quarantined", metadata: ["reason": "\(code.rawValue)", "suppressed": "\(count)"])
            }
        }
    }
}
