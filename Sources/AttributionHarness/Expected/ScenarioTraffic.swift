import Attribution

/// The deliveries of a scenario in order of time, signed, with what goes wrong; and what reports must say of them.
package struct ScenarioTraffic: Sendable {
    /// What reports must say of the deliveries handed out so far.
    package private(set) var expected: ExpectedReport
    /// The devices and their clock.
    package private(set) var world: World

    private let standIn: AppleStandIn
    private let stranger: AppleStandIn
    private let seed: UInt64
    private let outages: [Range<Int64>]
    /// The hour handed out next.
    private var hour = 0
    /// Further copies on their way, by hour.
    private var pending: [Int: [TimedDelivery]] = [:]
    /// When the development postback was delivered first.
    private var developmentAt: Int64?

    /// Makes traffic.
    ///
    /// - Parameters:
    ///   - world: The devices, at the beginning of a scenario.
    ///   - seed: Decides which faults befall what.
    ///   - standIn: Signs as Apple.
    /// - Throws: When no keys can be made for forgers.
    package init(_ world: World, seed: UInt64, standIn: AppleStandIn) throws {
        self.world = world
        self.seed = seed
        self.standIn = standIn
        stranger = try AppleStandIn()
        outages = world.scenario.outages.map(\.range)
        expected = ExpectedReport(world.scenario, start: world.start)
    }

    /// When the scenario begins, in Unix milliseconds; its days are those of UTC.
    package var startMilliseconds: Int64 {
        world.start.number * AppleRules.day
    }

    /// Hands out the next deliveries.
    ///
    /// - Parameters:
    ///   - count: How many to gather at least, hour by hour.
    ///   - hours: How many hours to gather at most.
    /// - Returns: The deliveries in order of time; nil when the scenario is over.
    /// - Throws: When a signature cannot be made.
    package mutating func next(atLeast count: Int = 4_096, hours: Int = .max) async throws -> [TimedDelivery]? {
        var postbacks: [SimulatedPostback] = []
        let first = hour
        while postbacks.count < count, hour - first < hours, let more = world.nextHour() {
            postbacks += more
            hour += 1
        }
        guard hour > first else {
            return nil
        }
        var deliveries: [TimedDelivery] = []
        for hour in first..<hour {
            deliveries += pending.removeValue(forKey: hour) ?? []
        }
        for delivery in try await signed(postbacks) {
            let due = Int(delivery.time / AppleRules.hour)
            if due < hour {
                deliveries.append(delivery)
            } else if due < world.scenario.days * 24 {
                pending[due, default: []].append(delivery)
            }
        }
        // A further copy is always later than the first, so a sort by time alone keeps their order.
        deliveries.sort { $0.time < $1.time }
        deliveries = deliveries.map { judged($0) }
        deliveries.forEach { expected.count($0) }
        return deliveries
    }

    /// Apple's development postback is the same each time, and so recorded once.
    private mutating func judged(_ timed: TimedDelivery) -> TimedDelivery {
        guard timed.isDevelopment else {
            return timed
        }
        guard let developmentAt else {
            developmentAt = timed.time
            return timed
        }
        return TimedDelivery(
            time: timed.time,
            PlannedDelivery(body: timed.delivery.body, expectation: .durable(.duplicate, nil), isSentLast: true),
            firstAt: developmentAt, isDevelopment: true)
    }

    // MARK: Signing

    /// How many postbacks one task signs at a time.
    private static let slice = 256

    /// Signs postbacks on all cores, and adds the copies that go wrong.
    private func signed(_ postbacks: [SimulatedPostback]) async throws -> [TimedDelivery] {
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
        let body = try postback.body(in: world.scenario, signedBy: standIn)
        deliveries.append(
            TimedDelivery(
                time: postback.time,
                PlannedDelivery(body: body, expectation: .durable(.recorded, nil), isSentLast: false),
                genuine: postback, firstAt: postback.time))
        guard !world.scenario.faults.isEmpty else {
            return
        }
        var generator = SeededGenerator(seed: seed ^ postback.idLow &+ UInt64(postback.sequenceIndex))
        let day = Int(postback.time / AppleRules.day) + 1
        for wave in world.scenario.faults where !wave.fault.isDelay {
            guard wave.covers(day: day, campaign: Int(postback.campaign)), generator.chance(wave.share),
                let copy = try wave.fault.copy(of: body, stranger: stranger, using: &generator)
            else {
                continue
            }
            let time =
                wave.fault == .repeated
                ? RetrySchedule(first: postback.time, using: &generator).time(ofTry: 1)
                : postback.time + Int64.random(in: 60_001...6 * AppleRules.hour, using: &generator)
            guard !outages.contains(where: { $0.contains(time) }) else {
                continue
            }
            var delivery = PlannedDelivery(
                body: copy.body, expectation: copy.expectation, isSentLast: copy.expectation != .refused)
            delivery.transport = copy.transport
            deliveries.append(
                TimedDelivery(
                    time: time, delivery, firstAt: postback.time, isDevelopment: wave.fault == .development))
        }
    }
}
