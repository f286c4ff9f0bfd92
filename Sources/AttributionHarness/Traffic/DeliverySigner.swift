import Attribution

/// Signs postbacks, and adds the copies for developers and those with faults.
struct DeliverySigner: Sendable {
    private let scenario: Scenario
    private let seed: UInt64
    private let outages: [Range<Int64>]
    private let standIn: AppleStandIn
    private let stranger: AppleStandIn

    /// How many postbacks one task signs at a time.
    private static let slice = 256

    init(_ scenario: Scenario, seed: UInt64, standIn: AppleStandIn) throws {
        self.scenario = scenario
        self.seed = seed
        self.standIn = standIn
        stranger = try AppleStandIn()
        outages = scenario.outages.map(\.range)
    }

    /// Signs postbacks on all cores; the deliveries of one postback are in order of time.
    func deliveries(of postbacks: [SimulatedPostback]) async throws -> [PlannedDelivery] {
        try await withThrowingTaskGroup(of: (Int, [PlannedDelivery]).self) { group in
            for start in stride(from: 0, to: postbacks.count, by: Self.slice) {
                let slice = postbacks[start..<min(start + Self.slice, postbacks.count)]
                group.addTask { (start, try slice.flatMap { try deliveries(of: $0) }) }
            }
            var slices: [(Int, [PlannedDelivery])] = []
            for try await slice in group {
                slices.append(slice)
            }
            return slices.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    private func deliveries(of postback: SimulatedPostback) throws -> [PlannedDelivery] {
        let body = try postback.body(in: scenario, signedBy: standIn)
        let isDeveloperFirst = postback.flags.contains(.isDeveloperFirst)
        var deliveries = [
            PlannedDelivery(
                time: postback.time, body: body, expectation: .durable(.recorded, nil),
                recipient: isDeveloperFirst ? .developer : .network, framework: postback.framework,
                part: .first(postback), firstAt: postback.time)
        ]
        if let time = postback.otherCopyAt {
            deliveries.append(
                PlannedDelivery(
                    time: time, body: body, expectation: .durable(.duplicate, nil),
                    recipient: isDeveloperFirst ? .network : .developer, framework: postback.framework,
                    part: .otherRecipient, firstAt: postback.time))
        }
        // Faults affect the network's own copy.
        if !scenario.faults.isEmpty, let sentAt = isDeveloperFirst ? postback.otherCopyAt : postback.time {
            deliveries += try faultyCopies(of: postback, body, sentAt: sentAt)
        }
        return deliveries
    }

    private func faultyCopies(
        of postback: SimulatedPostback, _ body: [UInt8], sentAt: Int64
    ) throws -> [PlannedDelivery] {
        var generator = SeededGenerator(seed: seed ^ postback.idLow &+ UInt64(postback.sequenceIndex))
        let day = Int(sentAt / AppleRules.day) + 1
        var copies: [PlannedDelivery] = []
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
            let isDevelopment = wave.fault == .development
            copies.append(
                PlannedDelivery(
                    time: time, body: copy.body, expectation: copy.expectation, transport: copy.transport,
                    framework: isDevelopment ? .adAttributionKit : postback.framework,
                    part: isDevelopment ? .development : .further, firstAt: postback.time))
        }
        return copies
    }
}
