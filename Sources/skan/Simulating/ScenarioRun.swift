import Attribution
import AttributionConsole
import AttributionHarness
import AttributionReports
import Foundation
import StrictJSON

/// One run of a scenario: to a file, to a server or into a store.
struct ScenarioRun {
    private let standIn: AppleStandIn
    private var traffic: ScenarioTraffic
    private let world: World

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - world: The devices.
    ///   - seed: Decides what is chance.
    ///   - standIn: Signs for Apple.
    /// - Throws: When keys cannot be made.
    init(_ world: World, seed: UInt64, standIn: AppleStandIn) throws {
        self.standIn = standIn
        self.world = world
        traffic = try ScenarioTraffic(world, seed: seed, standIn: standIn)
    }

    // MARK: Files

    /// Writes the deliveries as `skan import` and `skan replay` read them, what a report must say of them, and what the
    /// ads cost where the scenario says it.
    mutating func write(to folder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = try Self.file("\(folder)/postbacks.ndjson")
        while let chunk = try await traffic.next() {
            var text: [UInt8] = []
            for timed in chunk where timed.delivery.transport != .cut {
                text += line(timed).utf8
                text.append(UInt8(ascii: "\n"))
            }
            try file.write(contentsOf: text)
        }
        try file.close()
        try Data((traffic.expected.json.pretty + "\n").utf8).write(
            to: URL(fileURLWithPath: "\(folder)/expected-report.json"))
        Terminal.say(
            "skan: wrote \(traffic.expected.deliveryCount) deliveries to \(folder)/postbacks.ndjson, for skan import and "
                + "skan replay, and expected-report.json")
        try writeCosts(to: folder)
        sayWhatIsLeft()
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

    /// A delivery with the time of its receipt, whose copy it was, and its body byte for byte.
    private func line(_ timed: TimedDelivery) -> String {
        let received = Moment(milliseconds: traffic.startMilliseconds + timed.time).preciseText
        return JSONText.object(
            [("received-at", .string(received)), ("recipient", .string(timed.delivery.recipient.rawValue))]
                + StoredBody(timed.delivery.body).members
        ).line
    }

    private static func file(_ path: String) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else {
            throw CommandFailure("cannot write \(path)", hint: "check that the folder exists and can be written")
        }
        return file
    }

    // MARK: A server

    /// Posts the deliveries, as fast as they are made or paced by the clock of the scenario.
    ///
    /// - Parameters:
    ///   - sender: Where to.
    ///   - pace: Seconds of the scenario in a second; nil for as fast as it goes.
    ///   - onAnswer: Told each answer.
    /// - Returns: The answers, held against what was expected.
    /// - Throws: ``AttributionHarness/TrafficSender/Distrust``, and when a signature cannot be made.
    mutating func post(
        by sender: TrafficSender,
        pace: Double?,
        onAnswer: @escaping @Sendable (TrafficSender.Answer) -> Void
    ) async throws -> TrafficSender.Result {
        var result = TrafficSender.Result()
        let clock = ContinuousClock()
        let begin = clock.now
        while let chunk = try await (pace == nil ? traffic.next() : traffic.next(hours: 1)) {
            Terminal.progress("\(traffic.expected.days.last.map { "\($0)" } ?? "")")
            guard let pace else {
                result += try await sender.send(chunk.map(\.delivery), onAnswer: onAnswer)
                continue
            }
            // A part for each second that passes.
            let parts = Dictionary(grouping: chunk) { Int64(Double($0.time) / 1000 / pace) }
            for (second, part) in parts.sorted(by: { $0.key < $1.key }) {
                try await clock.sleep(until: begin + .seconds(second))
                result += try await sender.send(part.map(\.delivery), onAnswer: onAnswer)
            }
        }
        Terminal.progress("")
        sayWhatIsLeft()
        return result
    }

    // MARK: A store

    /// Records the deliveries in a store with the times of the scenario.
    ///
    /// - Parameters:
    ///   - feed: The store.
    ///   - end: The last moment whose deliveries are recorded, in Unix milliseconds.
    /// - Returns: The answers, held against what was expected.
    /// - Throws: When a signature cannot be made.
    mutating func record(in feed: StoreFeed, through end: Int64 = .max) async throws -> TrafficSender.Result {
        let start = traffic.startMilliseconds
        async let writing: Void = feed.run()
        // The next chunk is signed while the last one is recorded.
        try await withThrowingTaskGroup(of: Void.self) { group in
            while let chunk = try await traffic.next() {
                try await group.next()
                Terminal.progress("\(traffic.expected.days.last.map { "\($0)" } ?? "")")
                group.addTask {
                    await feed.record(chunk.filter { $0.time <= end - start }, start: start)
                }
            }
            try await group.waitForAll()
        }
        Terminal.progress("")
        if end == .max {
            sayWhatIsLeft()
        }
        feed.finish()
        try await writing
        return feed.result
    }

    // MARK: What came of it

    /// What reports must say.
    var expected: ExpectedReport {
        traffic.expected
    }

    /// The days of the calendar it lasts.
    var days: [CalendarDay] {
        (0..<Int64(traffic.scenario.days)).map { traffic.start.advanced(by: $0) }
    }

    private func sayWhatIsLeft() {
        if traffic.givenUp > 0 {
            Terminal.say("skan: devices gave up \(traffic.givenUp) postbacks after nine tries")
        }
        if traffic.lateCount > 0 {
            Terminal.say(
                "skan: \(traffic.lateCount) postbacks were still on their way when the scenario ended")
        }
    }
}
