package import Attribution
import AttributionSigning
import StrictJSON

/// A day of traffic: the deliveries with their expected answers, and the expected report.
package struct TrafficPlan: Sendable {
    /// The deliveries, in order.
    package private(set) var deliveries: [PlannedDelivery] = []
    /// The expected counts by network, app, campaign id and source identifier.
    package private(set) var rows: [[String]: Counts] = [:]
    /// The expected counts of durable deliveries, by kind.
    package private(set) var counts = DeliveryCounts()
    /// The number of deliveries that must be refused as not JSON.
    package private(set) var refused = 0

    /// The dimensions of ``rows``.
    package static let dimensions: [ReportDimension] = [.network, .app, .campaignID, .sourceIdentifier]

    private let standIn: AppleStandIn
    private let untrusted: AppleStandIn
    private var generator: SeededGenerator
    private let shares: TrafficShares
    /// The framework of the postback that is planned.
    private var framework = PostbackFramework.skAdNetwork

    /// Plans traffic.
    ///
    /// - Parameters:
    ///   - postbacks: The number of distinct genuine postbacks.
    ///   - seed: Determines everything except the randomness in ECDSA signatures.
    ///   - shares: The shares of repeats and faults.
    ///   - standIn: Signs as Apple.
    /// - Throws: An error if a signature cannot be made.
    package init(postbacks: Int, seed: UInt64, shares: TrafficShares, standIn: AppleStandIn) throws {
        self.standIn = standIn
        self.shares = shares
        untrusted = try AppleStandIn()
        generator = SeededGenerator(seed: seed)
        var drafts = DeviceModel(generator: SeededGenerator(seed: seed ^ 0x5EED))
        for _ in 0..<postbacks {
            try plan(drafts.nextPostback())
        }
        // Repeats may arrive in any order; deliveries that depend on order stay last.
        let sentLast = deliveries.filter(\.isSentLast)
        deliveries = deliveries.filter { !$0.isSentLast }.shuffled(using: &generator) + sentLast
    }

    private mutating func plan(_ draft: TrafficDraft) throws {
        framework = if case .adAttributionKit = draft { .adAttributionKit } else { .skAdNetwork }
        // The conversion value is not signed, so an invalid one still counts as an install.
        let draft = generator.chance(shares.invalidConversions) ? draft.withConversionValue(64) : draft
        let body = try standIn.sign(draft, escapesSlashes: generator.chance(0.2))
        let postback = try ReceivedPostback(reading: body)
        append(body, .recorded)
        rows[Self.dimensions.map { $0.value(of: postback) }, default: Counts()].count(CountedTraits(postback))
        if generator.chance(shares.repeats) {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                append(body, .duplicate)
            }
        }
        if generator.chance(shares.conflicts) {
            append(replay(of: postback), .conflict, isSentLast: true)
        }
        if generator.chance(shares.tampered),
            let tampering = Tampering.all(of: postback).randomElement(using: &generator)
        {
            try plan(tampering)
        }
        if generator.chance(shares.wrongKey) {
            append(try untrusted.sign(draft, escapesSlashes: false), quarantined: .invalidSignature)
        }
        if generator.chance(shares.unknownVersion) {
            let (body, reason) = fromTheFuture(draft, postback)
            append(body, quarantined: reason)
        }
        if generator.chance(shares.malformed) {
            append(malformed(draft, postback), quarantined: .malformed)
        }
        if generator.chance(shares.notJSON) {
            refused += 1
            append(PlannedDelivery(body: broken(body), expectation: .refused, isSentLast: false))
        }
    }

    private mutating func plan(_ tampering: Tampering) throws {
        let body = tampering.body
        switch tampering.expectation {
        case .forged:
            append(body, quarantined: .invalidSignature)
        case .rejected:
            do throws(PostbackRejection) {
                _ = try ReceivedPostback(reading: body)
                append(body, quarantined: .invalidSignature)
            } catch {
                append(body, quarantined: error.code)
            }
        case .sameStatement:
            append(body, .conflict, isSentLast: true)
        }
    }

    // MARK: Faults

    /// A genuine postback with another conversion value, whose signature still verifies.
    private func replay(of postback: ReceivedPostback) -> [UInt8] {
        TrafficDraft(postback).withConversionValue(postback.conversion == .fine(63) ? 62 : 63)
            .body(signature: postback.signature)
    }

    /// A postback with an unknown version or key.
    private mutating func fromTheFuture(
        _ draft: TrafficDraft,
        _ postback: ReceivedPostback
    ) -> ([UInt8], PostbackRejection.Code) {
        switch draft {
        case .skAdNetwork(var changed):
            changed[.version] = .string(["4.1", "5.0", "10.0", ""].randomElement(using: &generator) ?? "5.0")
            return (changed.body(signature: postback.signature), .unknownVersion)
        case .adAttributionKit(var changed):
            changed.keyID =
                ["apple-cas-identifier/1", "apple-development-identifier/2", ""]
                .randomElement(using: &generator) ?? ""
            return (changed.body(signature: postback.signature), .unknownKey)
        }
    }

    /// A postback with a field re-typed, removed or out of range, as forwarders do.
    private mutating func malformed(_ draft: TrafficDraft, _ postback: ReceivedPostback) -> [UInt8] {
        let kind = Int.random(in: 0..<5, using: &generator)
        switch draft {
        case .skAdNetwork(var changed):
            switch kind {
            case 0: changed[.appID] = .string(changed[.appID].map { "\($0)" } ?? "")
            case 1: changed[.transactionID] = nil
            case 2:
                changed[.campaignID] = .string("42")
                changed[.sourceIdentifier] = .integer(39)
            case 3: changed[.appID] = .bool(true)
            default: changed[.adNetworkID] = .null
            }
            return changed.body(signature: postback.signature)
        case .adAttributionKit(var changed):
            switch kind {
            case 0: changed[.conversionType] = .string("DOWNLOAD")
            case 1: changed[.postbackIdentifier] = nil
            case 2: changed[.didWin] = .string("true")
            case 3: changed[.sequenceIndex] = .integer(3)
            // As if a forwarder had truncated the signature.
            default: return changed.body(signature: [])
            }
            return changed.body(signature: postback.signature)
        }
    }

    /// Bytes that are not a JSON object.
    private mutating func broken(_ body: [UInt8]) -> [UInt8] {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: Array(body.dropLast(Int.random(in: 1..<20, using: &generator)))
        case 1: Array("postback=1&conversion=63".utf8)
        case 2: [UInt8(ascii: "[")] + body + [UInt8(ascii: "]")]
        default: body.map { $0 == UInt8(ascii: "\"") ? UInt8(ascii: "'") : $0 }
        }
    }

    // MARK: Expected counts

    private mutating func append(_ body: [UInt8], _ status: Recording.Status, isSentLast: Bool = false) {
        counts.add(.init(status: status, traffic: .test, reason: nil), kept: 1)
        if status == .duplicate {
            counts.add(RepeatDelay.minute)
        }
        append(PlannedDelivery(body: body, expectation: .durable(status, nil), isSentLast: isSentLast))
    }

    private mutating func append(_ body: [UInt8], quarantined reason: PostbackRejection.Code) {
        counts.add(.init(status: .quarantined, traffic: nil, reason: reason), kept: 1)
        append(PlannedDelivery(body: body, expectation: .durable(.quarantined, reason), isSentLast: false))
    }

    private mutating func append(_ delivery: PlannedDelivery) {
        var delivery = delivery
        delivery.framework = framework
        deliveries.append(delivery)
    }
}
