import AttributionConsole
import Testing

@Suite("Rate bounds")
struct RateBoundsTests {
    /// Any moment: only distances from it count.
    static let start = ContinuousClock.now

    /// Milliseconds after the start at which requests come, and which of them are let through.
    static let traffic: [(perSecond: Int, times: [Int], admitted: [Bool])] = [
        // One second's worth at once, then one for each interval.
        (1, [0, 0, 999, 1_000, 1_001], [true, false, false, true, false]),
        (2, [0, 0, 0, 499, 500, 501], [true, true, false, false, true, false]),
        (3, [0, 0, 0, 0, 334, 334], [true, true, true, false, true, false]),
        // An idle time fills the bucket, and no more than that.
        (2, [0, 0, 60_000, 60_000, 60_000], [true, true, true, true, false]),
        // A refused request takes nothing.
        (1, [0, 100, 200, 300, 400, 1_000], [true, false, false, false, false, true]),
    ]

    @Test("A bucket holds one second's worth and fills evenly", arguments: traffic)
    func bucket(_ row: (perSecond: Int, times: [Int], admitted: [Bool])) {
        var bounds = RateBounds<String>(perSecond: row.perSecond, capacity: 10)
        let admitted = row.times.map { bounds.take("a", at: Self.start + .milliseconds($0)) == nil }
        #expect(admitted == row.admitted)
    }

    @Test("What is charged afterwards has to be waited for, and by nobody else")
    func charge() {
        var bounds = RateBounds<String>(perSecond: 10, capacity: 2)
        #expect(bounds.take("a", at: Self.start) == nil)
        bounds.charge("a", 94, at: Self.start)
        bounds.charge("a", -1, at: Self.start)
        #expect(bounds.take("a", at: Self.start) == .milliseconds(8_600))
        #expect(bounds.take("a", at: Self.start + .milliseconds(8_600)) == nil)
        #expect(bounds.take("b", at: Self.start) == nil)
    }

    @Test("Who must wait is told how long, and is let through then; keys do not take from each other")
    func wait() throws {
        var bounds = RateBounds<String>(perSecond: 4, capacity: 10)
        for _ in 0..<4 {
            #expect(bounds.take("a", at: Self.start) == nil)
        }
        let refused = bounds.take("a", at: Self.start)
        let wait = try #require(refused)
        #expect(wait == .milliseconds(250))
        #expect(bounds.take("a", at: Self.start + wait - .nanoseconds(1)) != nil)
        #expect(bounds.take("b", at: Self.start + wait) == nil)
        #expect(bounds.take("a", at: Self.start + wait) == nil)
    }

    @Test("A second's worth is admitted whole at every rate", arguments: [1, 3, 7, 50, 999, 5_000, 1_000_000])
    func wholeSecond(_ perSecond: Int) {
        var bounds = RateBounds<Int>(perSecond: perSecond, capacity: 1)
        #expect((0..<perSecond).allSatisfy { _ in bounds.take(0, at: Self.start) == nil })
        #expect(bounds.take(0, at: Self.start) != nil)
    }

    @Test("Keys beyond the capacity share one bucket, and memory stays bounded")
    func capacity() {
        var bounds = RateBounds<Int>(perSecond: 2, capacity: 100)
        let admitted = (0..<10_000).count { bounds.take($0, at: Self.start) == nil }
        // A hundred buckets of their own, and two requests from the shared one.
        #expect(admitted == 102)
        #expect(bounds.count == 100)
        // A second later the buckets are full again and make room.
        #expect(bounds.take(20_000, at: Self.start + .seconds(1)) == nil)
        #expect(bounds.count == 1)
    }
}
