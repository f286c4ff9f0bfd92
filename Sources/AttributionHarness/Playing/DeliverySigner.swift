import Attribution

/// Makes deliveries of postbacks: signs each, and adds the copies for developers and those that go wrong.
struct DeliverySigner: Sendable {
    private let scenario: Scenario
    private let seed: UInt64
    private let outages: [Range<Int64>]
    private let standIn: AppleStandIn
    private let stranger: AppleStandIn

    /// How many postbacks one task signs at a time.
    private static let slice = 256

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - scenario: Names what postbacks mean by their numbers, and what goes wrong.
    ///   - seed: Decides which faults befall what.
    ///   - standIn: Signs as Apple.
    /// - Throws: When no keys can be made for forgers.
    init(_ scenario: Scenario, seed: UInt64, standIn: AppleStandIn) throws {
        self.scenario = scenario
        self.seed = seed
        self.standIn = standIn
        stranger = try AppleStandIn()
        outages = scenario.outages.map(\.range)
    }

    /// Signs postbacks on all cores.
    ///
    /// - Parameter postbacks: The postbacks.
    /// - Returns: Their deliveries, those of one postback in order of time.
    /// - Throws: When a signature cannot be made.
    func deliveries(of postbacks: [SimulatedPostback]) async throws -> [TimedDelivery] {
        try await withThrowingTaskGroup(of: (Int, [TimedDelivery]).self) { group in
            for start in stride(from: 0, to: postbacks.count, by: Self.slice) {
                let slice = postbacks[start..<min(start + Self.slice, postbacks.count)]
                group.addTask {
                    var deliveries: [TimedDelivery] = []
                    deliveries.reserveCapacity(slice.count + slice.count / 8)
                    for postback in slice {
                        try append(postback, to: &deliveries)
                    }
                    return (start, deliveries)
                }
            }
            var slices: [(Int, [TimedDelivery])] = []
            for try await slice in group {
                slices.append(slice)
            }
            return slices.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    private func append(_ postback: SimulatedPostback, to deliveries: inout [TimedDelivery]) throws {
        let body = try postback.body(in: scenario, signedBy: standIn)
        let isDeveloperFirst = postback.flags.contains(.isDeveloperFirst)
        func delivery(_ expectation: PlannedDelivery.Expectation, _ recipient: Delivery.Recipient) -> PlannedDelivery {
            var delivery = PlannedDelivery(
                body: body, expectation: expectation, isSentLast: expectation != .durable(.recorded, nil))
            delivery.recipient = recipient
            delivery.framework = postback.framework
            return delivery
        }
        deliveries.append(
            TimedDelivery(
                time: postback.time, delivery(.durable(.recorded, nil), isDeveloperFirst ? .developer : .network),
                .first(postback), firstAt: postback.time))
        if let time = postback.otherCopyAt {
            deliveries.append(
                TimedDelivery(
                    time: time, delivery(.durable(.duplicate, nil), isDeveloperFirst ? .network : .developer),
                    .otherRecipient, firstAt: postback.time))
        }
        // What goes wrong befalls the network's own copy.
        if !scenario.faults.isEmpty, let sentAt = isDeveloperFirst ? postback.otherCopyAt : postback.time {
            try appendFaults(of: postback, body, sentAt: sentAt, to: &deliveries)
        }
    }

    private func appendFaults(
        of postback: SimulatedPostback,
        _ body: [UInt8],
        sentAt: Int64,
        to deliveries: inout [TimedDelivery]
    ) throws {
        var generator = SeededGenerator(seed: seed ^ postback.idLow &+ UInt64(postback.sequenceIndex))
        let day = Int(sentAt / AppleRules.day) + 1
        for wave in scenario.faults where !wave.fault.isDelay {
            guard wave.covers(day: day, campaign: Int(postback.campaign)), generator.chance(wave.share),
                let copy = try wave.fault.copy(of: body, stranger: stranger, using: &generator)
            else {
                continue
            }
            let time =
                wave.fault == .repeated
                ? RetrySchedule(first: sentAt, using: &generator).time(ofTry: 1)
                : sentAt + Int64.random(in: 60_001...6 * AppleRules.hour, using: &generator)
            guard !outages.contains(where: { $0.contains(time) }) else {
                continue
            }
            var delivery = PlannedDelivery(
                body: copy.body, expectation: copy.expectation, isSentLast: copy.expectation != .refused)
            delivery.transport = copy.transport
            let isDevelopment = wave.fault == .development
            delivery.framework = isDevelopment ? .adAttributionKit : postback.framework
            deliveries.append(
                TimedDelivery(
                    time: time, delivery, isDevelopment ? .development : .further, firstAt: postback.time))
        }
    }
}
