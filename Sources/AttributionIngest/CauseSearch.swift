package import Attribution
package import AttributionExplaining
import AttributionSigning
package import Metrics
import Platform

/// Finds the causes that answers name, within a budget: no flood of forged postbacks buys more time with it.
///
/// - `skan_delivery_causes_total{outcome}`: deliveries quarantined because their signature does not verify, or is not
///   where Apple puts it, or refused because they are no object but may have a postback inside.
package struct CauseSearch {
    /// What an answer says of the cause.
    package enum Outcome: String, CaseIterable, Sendable {
        /// It names the cause.
        case proven
        /// Nothing that was tried is the cause.
        case unproven
        /// Nothing was tried, because the budget was spent, or because there are no tables to verify with.
        case skipped
    }

    /// The most deliveries looked at in a second; each takes 0.1 to 0.3 ms.
    package static let perSecond = 100
    /// The most of a batch, because all its answers wait for them.
    package static let perBatch = 8

    private let explainer: PostbackExplainer
    private let counters: [Outcome: Counter]
    private var throttle = LogThrottle(lines: perSecond)

    package init(_ explainer: PostbackExplainer, factory: any MetricsFactory) {
        self.explainer = explainer
        counters = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                let counter = Counter(
                    label: "skan_delivery_causes_total", dimensions: [("outcome", outcome.rawValue)], factory: factory)
                return (outcome, counter)
            })
    }

    /// Looks for the causes of a batch's invalid and misplaced signatures, as far as the budget allows.
    ///
    /// The bodies that were refused, because they are no object, come after the deliveries in the result's numbers.
    package mutating func causes(
        of deliveries: [Delivery], _ recordings: [Recording?], refused: [[UInt8]] = [],
        at now: ContinuousClock.Instant
    ) -> [Int: ProvenCause] {
        var indices: [Int] = []
        var bodies: [[UInt8]] = []
        var skipped = 0
        var looks = 0
        func take(_ body: [UInt8], _ index: Int) {
            // What is never looked at takes nothing from the budget of others.
            if body.count <= PostbackExplainer.maximumCheapLength, bodies.count < Self.perBatch, explainer.isCheap,
                throttle.admit(at: now) != nil
            {
                indices.append(index)
                bodies.append(body)
            } else {
                skipped += 1
            }
        }
        for (index, recording) in recordings.enumerated() {
            guard case .quarantined(let rejection, _)? = recording,
                case .rejected(_, let body) = deliveries[index].judgement
            else {
                continue
            }
            if rejection.code != .invalidSignature {
                // Each look reads the body once more.
                guard explainer.isCheap, looks < Self.perBatch, bodies.count < Self.perBatch else {
                    continue
                }
                looks += 1
                guard PostbackExplainer.mayBeWrapped(body) else {
                    continue
                }
            }
            take(body, index)
        }
        for (number, body) in refused.enumerated() {
            take(body, deliveries.count + number)
        }
        var causes: [Int: ProvenCause] = [:]
        if !bodies.isEmpty {
            for (index, cause) in zip(indices, explainer.cheapCauses(of: bodies)) {
                causes[index] = cause
            }
        }
        count(.proven, causes.count)
        count(.unproven, bodies.count - causes.count)
        count(.skipped, skipped)
        return causes
    }

    private func count(_ outcome: Outcome, _ count: Int) {
        if count > 0 {
            counters[outcome]?.increment(by: count)
        }
    }
}
