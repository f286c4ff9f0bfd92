package import Attribution

/// The signed deliveries of a scenario in order of time, faults included, and the report they must give.
package struct ScenarioTraffic: Sendable {
    /// The expected report on the deliveries returned so far.
    package private(set) var expected: ExpectedReport
    private var world: World
    private let signer: DeliverySigner
    /// Further copies that are still on their way, by hour.
    private var pending: [Int: [PlannedDelivery]] = [:]
    /// When the development postback was delivered first.
    private var developmentAt: Int64?

    /// Makes the traffic of a world at its beginning.
    package init(_ world: World, seed: UInt64, standIn: AppleStandIn) throws {
        self.world = world
        signer = try DeliverySigner(world.scenario, seed: seed, standIn: standIn)
        expected = ExpectedReport(world.scenario, start: world.start)
    }

    /// When the scenario begins, in Unix milliseconds; its days are in UTC.
    package var startMilliseconds: Int64 {
        world.start.number * AppleRules.day
    }

    package var days: [CalendarDay] {
        (0..<Int64(world.scenario.days)).map { world.start.advanced(by: $0) }
    }

    /// How many postbacks devices gave up because no server answered in nine days.
    package var givenUp: Int {
        world.givenUp
    }

    /// How many postbacks will only be sent after the end of the scenario.
    package var lateCount: Int {
        world.lateCount
    }

    /// Returns the next deliveries in order of time, or nil at the end of the scenario.
    package mutating func next(atLeast count: Int = 4_096, hours: Int = .max) async throws -> [PlannedDelivery]? {
        let first = world.hour
        var postbacks: [SimulatedPostback] = []
        while postbacks.count < count, world.hour - first < hours, let more = world.nextHour() {
            postbacks += more
        }
        guard world.hour > first else {
            return nil
        }
        var deliveries = (first..<world.hour).flatMap { pending.removeValue(forKey: $0) ?? [] }
        for delivery in try await signer.deliveries(of: postbacks) {
            let due = Int(delivery.time / AppleRules.hour)
            if due < world.hour {
                deliveries.append(delivery)
            } else if due < world.scenario.days * 24 {
                pending[due, default: []].append(delivery)
            }
        }
        // A further copy is always later than the first, so sorting by time keeps their order.
        deliveries.sort { $0.time < $1.time }
        for index in deliveries.indices {
            if case .development = deliveries[index].part {
                markRepeat(&deliveries[index])
            }
            expected.count(deliveries[index])
        }
        return deliveries
    }

    /// Apple's development postback is always the same, and so recorded once.
    private mutating func markRepeat(_ delivery: inout PlannedDelivery) {
        if let developmentAt {
            delivery.expectation = .durable(.duplicate, nil)
            delivery.firstAt = developmentAt
        } else {
            developmentAt = delivery.time
        }
    }
}
