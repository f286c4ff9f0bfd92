package import Attribution

/// The deliveries of a scenario in order of time, signed, with what goes wrong; and what reports must say of them.
///
/// What comes next is played and signed while its user is busy with what came last.
package struct ScenarioTraffic: Sendable {
    /// What is played.
    package let scenario: Scenario
    /// The day of the calendar on which it begins.
    package let start: CalendarDay
    /// What reports must say of the deliveries handed out so far.
    package private(set) var expected: ExpectedReport
    /// How many postbacks devices gave up, for the server did not answer in nine days.
    package private(set) var givenUp = 0
    /// How many postbacks are to come only after the end of the scenario.
    package private(set) var lateCount = 0

    private let clock: WorldClock
    private let signer: DeliverySigner
    /// The next deliveries, while they are made.
    private var upcoming: Task<Signed?, any Error>?
    /// Further copies on their way, by hour.
    private var pending: [Int: [TimedDelivery]] = [:]
    /// When the development postback was delivered first.
    private var developmentAt: Int64?

    private struct Signed: Sendable {
        let stretch: WorldClock.Stretch
        let deliveries: [TimedDelivery]
    }

    /// Makes traffic.
    ///
    /// - Parameters:
    ///   - world: The devices, at the beginning of a scenario.
    ///   - seed: Decides which faults befall what.
    ///   - standIn: Signs as Apple.
    /// - Throws: When no keys can be made for forgers.
    package init(_ world: World, seed: UInt64, standIn: AppleStandIn) throws {
        scenario = world.scenario
        start = world.start
        clock = WorldClock(world)
        signer = try DeliverySigner(world.scenario, seed: seed, standIn: standIn)
        expected = ExpectedReport(world.scenario, start: world.start)
    }

    /// When the scenario begins, in Unix milliseconds; its days are those of UTC.
    package var startMilliseconds: Int64 {
        start.number * AppleRules.day
    }

    /// Hands out the next deliveries.
    ///
    /// - Parameters:
    ///   - count: How many to gather at least, hour by hour; the same each time, as is the next one.
    ///   - hours: How many hours to gather at most.
    /// - Returns: The deliveries in order of time; nil when the scenario is over.
    /// - Throws: When a signature cannot be made.
    package mutating func next(atLeast count: Int = 4_096, hours: Int = .max) async throws -> [TimedDelivery]? {
        let begun = upcoming ?? signing(atLeast: count, hours: hours)
        upcoming = nil
        guard let signed = try await begun.value else {
            return nil
        }
        upcoming = signing(atLeast: count, hours: hours)
        let hours = signed.stretch.hours
        var deliveries: [TimedDelivery] = []
        for hour in hours {
            deliveries += pending.removeValue(forKey: hour) ?? []
        }
        for delivery in signed.deliveries {
            let due = Int(delivery.time / AppleRules.hour)
            if due < hours.upperBound {
                deliveries.append(delivery)
            } else if due < scenario.days * 24 {
                pending[due, default: []].append(delivery)
            }
        }
        // A further copy is always later than the first, so a sort by time alone keeps their order.
        deliveries.sort { $0.time < $1.time }
        for index in deliveries.indices {
            if case .development = deliveries[index].part {
                deliveries[index] = judged(deliveries[index])
            }
            expected.count(deliveries[index])
        }
        givenUp = signed.stretch.givenUp
        lateCount = signed.stretch.lateCount
        return deliveries
    }

    private func signing(atLeast count: Int, hours: Int) -> Task<Signed?, any Error> {
        Task { [clock, signer] in
            guard let stretch = await clock.next(atLeast: count, hours: hours) else {
                return nil
            }
            return Signed(stretch: stretch, deliveries: try await signer.deliveries(of: stretch.postbacks))
        }
    }

    /// Apple's development postback is the same each time, and so recorded once.
    private mutating func judged(_ timed: TimedDelivery) -> TimedDelivery {
        guard let developmentAt else {
            developmentAt = timed.time
            return timed
        }
        var delivery = PlannedDelivery(
            body: timed.delivery.body, expectation: .durable(.duplicate, nil), isSentLast: true)
        delivery.framework = timed.delivery.framework
        return TimedDelivery(time: timed.time, delivery, .development, firstAt: developmentAt)
    }
}
