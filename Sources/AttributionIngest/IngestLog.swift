import Attribution
import BoundedLogging
import Logging
import StrictJSON

/// What the writer says of its batches: a flood of bodies makes a few lines a second and counts, never a full log.
struct IngestLog {
    /// For each reason a postback is in quarantine.
    private static let quarantinedLinesPerSecond = 10
    /// What a detail may have: it quotes what a stranger sent.
    private static let detailLimit = 160

    private let logger: Logger
    private var storeFailures = LogThrottle()
    private var undecided = LogThrottle()
    private var quarantined = Dictionary(
        uniqueKeysWithValues: PostbackRejection.Code.allCases.map {
            ($0, LogThrottle(lines: quarantinedLinesPerSecond))
        })

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Says that a batch could not be recorded.
    mutating func storeFailed(_ error: any Error, batch: Int, at now: ContinuousClock.Instant) {
        logger.log(
            level: .error, "store failed", throttle: &storeFailures, at: now,
            metadata: ["batch": "\(batch)", "error": "\(error)"])
    }

    /// Says that a signature could not be verified.
    mutating func undecided(_ reason: String, at now: ContinuousClock.Instant) {
        logger.log(
            level: .error, "cannot verify", throttle: &undecided, at: now, metadata: ["reason": "\(reason)"])
    }

    /// Says that a postback is in quarantine, and why.
    ///
    /// - Parameters:
    ///   - rejection: Why.
    ///   - isKept: Whether its bytes were kept; nil when that is not known.
    ///   - delivery: The postback.
    ///   - now: The present.
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
        // Read once more, for few lines only; a postback whose form is right has a network, whether or not it is true.
        if case .invalidSignature = rejection, case .rejected(_, let body) = delivery.judgement,
            let postback = try? ReceivedPostback(reading: body)
        {
            fields["network"] = "\(postback.key.adNetworkID.description.shortened(to: 80))"
        }
        return fields
    }

    /// Whether suppressed lines still wait to be counted.
    var hasSuppressed: Bool {
        storeFailures.hasSuppressed || undecided.hasSuppressed || quarantined.values.contains { $0.hasSuppressed }
    }

    /// Says how many lines were suppressed at the end of a flood, once a second has passed.
    mutating func countSuppressed(at now: ContinuousClock.Instant) {
        if let count = storeFailures.takeSuppressed(at: now) {
            logger.error("store failed", metadata: ["suppressed": "\(count)"])
        }
        if let count = undecided.takeSuppressed(at: now) {
            logger.error("cannot verify", metadata: ["suppressed": "\(count)"])
        }
        for code in PostbackRejection.Code.allCases {
            if let count = quarantined[code]?.takeSuppressed(at: now) {
                logger.info(
                    "postback quarantined", metadata: ["reason": "\(code.rawValue)", "suppressed": "\(count)"])
            }
        }
    }
}
