import Attribution
import AttributionConsole
import AttributionHarness
import AttributionReports
import Foundation
import StrictJSON

/// One run of a scenario: to a folder, to a server or into a store.
struct ScenarioRun {
    private var traffic: ScenarioTraffic
    private let world: World

    init(_ world: World, seed: UInt64, standIn: AppleStandIn) throws {
        self.world = world
        traffic = try ScenarioTraffic(world, seed: seed, standIn: standIn)
    }

    /// What reports must say of the deliveries so far.
    var expected: ExpectedReport {
        traffic.expected
    }

    var days: [CalendarDay] {
        traffic.days
    }

    // MARK: A folder

    /// Writes the deliveries as `skan import` and `skan replay` read them, the expected report, and the costs of the
    /// ads if the scenario has any.
    mutating func write(to folder: String, isTimed: Bool) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/postbacks.ndjson"
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else {
            throw CommandFailure("cannot write \(path)", hint: "check that the folder exists and can be written")
        }
        while let deliveries = try await traffic.next() {
            var text: [UInt8] = []
            for delivery in deliveries where delivery.transport != .cut {
                text += isTimed ? line(delivery) : delivery.body
                text.append(UInt8(ascii: "\n"))
            }
            try file.write(contentsOf: text)
        }
        try file.close()
        try Data((expected.json.pretty + "\n").utf8)
            .write(to: URL(fileURLWithPath: "\(folder)/expected-report.json"))
        Terminal.say(
            "skan: wrote \(expected.deliveryCount) deliveries to \(path), for skan import and skan replay, and "
                + "expected-report.json")
        try writeCosts(to: folder)
        sayWhatIsMissing(isTimed)
    }

    private func writeCosts(to folder: String) throws {
        let costs = ScenarioCosts(world)
        guard !costs.spend.isEmpty else {
            return
        }
        let lines = costs.signed.map { $0.line + "\n" }.joined()
        try Data(lines.utf8).write(to: URL(fileURLWithPath: "\(folder)/impressions.ndjson"))
        try Data(costs.spend.csv.utf8).write(to: URL(fileURLWithPath: "\(folder)/spend.csv"))
        Terminal.say(
            "skan: wrote impressions.ndjson and spend.csv there, for skan import --test-ads --impressions and --spend")
    }

    /// A delivery with its time of receipt, its recipient, and its body byte for byte.
    private func line(_ delivery: PlannedDelivery) -> [UInt8] {
        let received = Moment(milliseconds: traffic.startMilliseconds + delivery.time).preciseText
        return Array(
            JSONText.object(
                [("received-at", .string(received)), ("recipient", .string(delivery.recipient.rawValue))]
                    + StoredBody(delivery.body).members
            ).line.utf8)
    }

    // MARK: A server

    /// Posts the deliveries, as fast as they are made or at a pace of so many seconds of the scenario in a second.
    mutating func post(
        by sender: TrafficSender, pace: Double?, isTimed: Bool, onAnswer: (TrafficSender.Answer) -> Void
    ) async throws -> TrafficSender.Result {
        var result = TrafficSender.Result()
        let clock = ContinuousClock()
        let begin = clock.now
        while let deliveries = try await traffic.next(hours: pace == nil ? .max : 1) {
            showProgress()
            guard let pace else {
                result += try await sender.send(deliveries, onAnswer: onAnswer)
                continue
            }
            let seconds = Dictionary(grouping: deliveries) { Int64(Double($0.time) / 1000 / pace) }
            for (second, deliveries) in seconds.sorted(by: { $0.key < $1.key }) {
                try await clock.sleep(until: begin + .seconds(second))
                result += try await sender.send(deliveries, onAnswer: onAnswer)
            }
        }
        Terminal.progress("")
        sayWhatIsMissing(isTimed)
        return result
    }

    // MARK: A store

    /// Records the deliveries up to a time in Unix milliseconds, with the times of the scenario.
    mutating func record(in feed: StoreFeed, through end: Int64 = .max) async throws -> TrafficSender.Result {
        let start = traffic.startMilliseconds
        async let writing: Void = feed.run()
        // The next deliveries are signed while the last ones are recorded.
        try await withThrowingTaskGroup(of: Void.self) { group in
            while let deliveries = try await traffic.next() {
                try await group.next()
                showProgress()
                group.addTask {
                    await feed.record(deliveries.filter { $0.time <= end - start }, start: start)
                }
            }
            try await group.waitForAll()
        }
        Terminal.progress("")
        sayWhatIsMissing(end == .max)
        feed.finish()
        try await writing
        return feed.result
    }

    private func showProgress() {
        Terminal.progress(expected.days.last?.description ?? "")
    }

    private func sayWhatIsMissing(_ isTimed: Bool) {
        if isTimed, traffic.givenUp > 0 {
            Terminal.say("skan: devices gave up \(traffic.givenUp) postbacks after nine tries")
        }
        if isTimed, traffic.lateCount > 0 {
            Terminal.say("skan: \(traffic.lateCount) postbacks were still on their way when the scenario ended")
        }
    }
}
