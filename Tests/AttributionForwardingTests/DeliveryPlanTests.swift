import Attribution
import AttributionForwarding
import AttributionStore
import Testing

@Suite("What a destination is sent, in virtual time")
struct DeliveryPlanTests {
    /// Numbers that are the same in each run.
    struct Numbers: RandomNumberGenerator {
        var state: UInt64 = 1

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return state
        }
    }

    static let start: Int64 = 1_795_867_200_000
    static let day: Int64 = 86_400_000
    static let taken = DeliveryPlan.Outcome.attempted(.answered(.init(status: 200, excerpt: "", retryAfter: nil)))
    static let refused = answered(400)
    static let silent = DeliveryPlan.Outcome.attempted(.failed("timed out"))

    static func answered(_ status: Int, after: Duration? = nil) -> DeliveryPlan.Outcome {
        .attempted(.answered(.init(status: status, excerpt: "words", retryAfter: after)))
    }

    static func cursor(_ id: Int64) -> FeedCursor {
        FeedCursor(id: id, order: id, recordedAtMilliseconds: id == 0 ? 0 : start, check: id == 0 ? nil : 7)
    }

    static func postback(_ id: Int64) -> RecordedPostback {
        RecordedPostback(
            id: id, recordedAtMilliseconds: start, receivedAtMilliseconds: start, recipient: .network, traffic: .test,
            keyName: "test", body: [UInt8(truncatingIfNeeded: id)], check: 7)
    }

    /// A plan of a destination at the beginning of a feed.
    static func plan(concurrency: Int = 4, isOrdered: Bool = false, rate: Int? = nil) -> DeliveryPlan {
        DeliveryPlan(
            StoredDestination(name: "a", cursor: cursor(0)), concurrency: concurrency, isOrdered: isOrdered, rate: rate)
    }

    /// The next page of an endless feed, all of which is wanted.
    static func fill(_ plan: inout DeliveryPlan, _ count: Int64) {
        let first = plan.readTo.id + 1
        let ids = first..<(first + count)
        plan.add(
            FeedPage(postbacks: ids.map { (cursor($0), postback($0)) }, end: cursor(ids.upperBound - 1)),
            ids.map { _ in .failure(.noBytes) })
    }

    @Test("The cursor passes what is done with, in the order of the feed, whatever the order of the answers")
    func cursor() {
        var (plan, numbers) = (Self.plan(), Numbers())
        Self.fill(&plan, 6)
        let items = plan.next(at: Self.start)
        #expect(items.map(\.postback.id) == [1, 2, 3, 4] && plan.next(at: Self.start).isEmpty)
        for item in items.dropFirst() {
            plan.finish(item, Self.taken, at: Self.start, using: &numbers)
        }
        #expect(plan.takeProgress().to == Self.cursor(0))
        plan.finish(items[0], Self.taken, at: Self.start, using: &numbers)
        let progress = plan.takeProgress()
        #expect(progress.from == Self.cursor(0) && progress.to == Self.cursor(4) && progress.failed.isEmpty)
        #expect(plan.takeProgress().from == Self.cursor(4) && !plan.hasChanged)
    }

    @Test("What a destination does not want, and history, is passed over without a request")
    func unwanted() {
        var plan = Self.plan()
        plan.add(
            FeedPage(postbacks: (1...3).map { (Self.cursor($0), Self.postback($0)) }, end: Self.cursor(9)),
            [nil, .failure(.noBytes), nil])
        var numbers = Numbers()
        let items = plan.next(at: Self.start)
        #expect(items.map(\.postback.id) == [2] && plan.takeProgress().to == Self.cursor(1))
        plan.finish(items[0], Self.taken, at: Self.start, using: &numbers)
        #expect(plan.takeProgress().to == Self.cursor(9) && plan.readTo == Self.cursor(9))
    }

    @Test("The first three retries come within 30 seconds, the last after three days, and no more")
    func schedule() throws {
        var numbers = Numbers()
        let delays = try (1...23).map { try #require(DeliveryPlan.delay(after: $0, using: &numbers)) }
        #expect(delays.prefix(3).allSatisfy { (1_000...30_000).contains($0) })
        #expect((2 * Self.day...4 * Self.day).contains(delays.reduce(0, +)))
        #expect(delays.allSatisfy { $0 <= 26_000_000 })
        #expect(DeliveryPlan.delay(after: 24, using: &numbers) == nil)
    }

    @Test("A postback that fails is kept aside until it is due, while others go on, and is parked after three days")
    func aside() throws {
        var (plan, numbers, now) = (Self.plan(concurrency: 1), Numbers(), Self.start)
        Self.fill(&plan, 200)
        var failed: FailedForwarding?
        var attempts = 0
        // Postback 1 is never taken; all others are.
        while now < Self.start + 5 * Self.day {
            if let waiting = failed, let due = waiting.dueAt, due <= now, !plan.knows(waiting) {
                plan.add(waiting, Self.postback(waiting.postback))
            }
            for item in plan.next(at: now) {
                let isBad = item.postback.id == 1
                attempts += isBad ? 1 : 0
                plan.finish(item, isBad ? Self.answered(500) : Self.taken, at: now, using: &numbers)
            }
            failed = plan.takeProgress().failed[1] ?? failed
            if plan.wantsPage { Self.fill(&plan, 1) }
            if failed.map({ $0.dueAt == nil }) ?? false { break }
            now += 5_000
        }
        let parked = try #require(failed)
        #expect(parked.dueAt == nil && parked.attempts == 24 && attempts == 24)
        #expect(parked.status == 500 && parked.text == "words")
        #expect((2 * Self.day...4 * Self.day).contains(now - Self.start) && !plan.isDown)
    }

    @Test("A destination that is down for three days is probed every ten seconds, costs no memory, and loses nothing")
    func down() {
        var (plan, numbers, now) = (Self.plan(concurrency: 4), Numbers(), Self.start)
        var waiting: [Int64: FailedForwarding] = [:]
        var (attempts, pages) = (0, 0)
        func save() {
            let progress = plan.takeProgress()
            for id in progress.settled { waiting[id] = nil }
            waiting.merge(progress.failed) { $1 }
            if progress.wakes { waiting = waiting.mapValues { $0.due(at: 0) } }
        }
        var delivered: Set<Int64> = []
        func step(_ outcome: DeliveryPlan.Outcome) {
            plan.waitingCount = Int64(waiting.count)
            if plan.wantsPage {
                Self.fill(&plan, 64)
                pages += 1
            }
            if plan.wantsRetries {
                for failed in waiting.values
                where (plan.isDown || failed.dueAt.map { $0 <= now } ?? false) && !plan.knows(failed) {
                    plan.add(failed, Self.postback(failed.postback))
                }
            }
            for item in plan.next(at: now) {
                attempts += 1
                plan.finish(item, outcome, at: now, using: &numbers)
                if case .attempted(let result) = outcome, result.isDelivered { delivered.insert(item.postback.id) }
            }
            save()
            now += 1_000
        }
        while now < Self.start + 3 * Self.day { step(Self.silent) }
        #expect(plan.isDown && pages <= 3)
        #expect((25_000...26_200).contains(attempts))
        #expect(waiting.count <= 14 && waiting.values.allSatisfy { $0.dueAt != nil })
        let missed = Set(waiting.keys).union(1...64)
        // One success, and everything goes on.
        while !missed.isSubset(of: delivered), now < Self.start + 3 * Self.day + 120_000 { step(Self.taken) }
        #expect(!plan.isDown && missed.isSubset(of: delivered) && waiting.isEmpty)
    }

    @Test("A permanent answer parks a postback at once; ten in a row park no more, and 410 stops everything")
    func permanent() {
        var (plan, numbers) = (Self.plan(concurrency: 1), Numbers())
        Self.fill(&plan, 40)
        var (now, parked) = (Self.start, Set<Int64>())
        for _ in 0..<120 {
            for item in plan.next(at: now) { plan.finish(item, Self.refused, at: now, using: &numbers) }
            let progress = plan.takeProgress()
            #expect(progress.failed.values.allSatisfy { $0.dueAt == nil && $0.status == 400 })
            parked.formUnion(progress.failed.keys)
            now += 1_000
        }
        #expect(parked == Set(1...10) && plan.isDown)
        var probe: DeliveryPlan.Item?
        for second: Int64 in 0..<11 where probe == nil { probe = plan.next(at: now + second * 1_000).first }
        #expect(probe != nil)
        if let probe { plan.finish(probe, Self.answered(410), at: now + 11_000, using: &numbers) }
        #expect(plan.takeProgress().isGone && plan.next(at: now + Self.day).isEmpty && !plan.wantsPage)
    }

    @Test(
        "Retry-After holds everything back, for a day at most",
        arguments: [(30 as Int64, 30 as Int64), (1_000_000, 86_400)])
    func retryAfter(_ said: Int64, _ obeyed: Int64) {
        var (plan, numbers) = (Self.plan(concurrency: 1), Numbers())
        Self.fill(&plan, 3)
        for item in plan.next(at: Self.start) {
            plan.finish(item, Self.answered(429, after: .seconds(said)), at: Self.start, using: &numbers)
        }
        #expect(plan.next(at: Self.start + obeyed * 1_000 - 1).isEmpty)
        #expect(plan.next(at: Self.start + obeyed * 1_000).map(\.postback.id) == [2])
    }

    @Test("In order, nothing passes a postback that fails for now, and one that is refused for good is passed")
    func ordered() {
        var (plan, numbers, now) = (Self.plan(concurrency: 8, isOrdered: true), Numbers(), Self.start)
        Self.fill(&plan, 4)
        var (sent, failures) = ([Int64](), 3)
        while sent.count < 7, now < Self.start + Self.day {
            for item in plan.next(at: now) {
                sent.append(item.postback.id)
                let fails = item.postback.id == 2 && failures > 0
                failures -= fails ? 1 : 0
                let outcome = fails ? Self.silent : item.postback.id == 3 ? Self.refused : Self.taken
                plan.finish(item, outcome, at: now, using: &numbers)
            }
            now += 100
        }
        #expect(sent == [1, 2, 2, 2, 2, 3, 4])
        let progress = plan.takeProgress()
        #expect(progress.to == Self.cursor(4) && Array(progress.failed.keys) == [3])
    }

    @Test("The rate is kept")
    func rate() {
        var (plan, numbers) = (Self.plan(concurrency: 100, rate: 50), Numbers())
        Self.fill(&plan, 256)
        var count = 0
        for millisecond in 0..<2_000 {
            for item in plan.next(at: Self.start + Int64(millisecond)) {
                count += 1
                plan.finish(item, Self.taken, at: Self.start + Int64(millisecond), using: &numbers)
            }
        }
        #expect((95...110).contains(count))
    }
}

extension FailedForwarding {
    fileprivate func due(at time: Int64) -> FailedForwarding {
        var failed = self
        failed.dueAt = time
        return failed
    }
}
