import Attribution
import Testing

/// The figures of Schemas.md, which derives them from Apple's windows, delays and repeats.
@Suite("How long postbacks may take")
struct PostbackTimingTests {
    static let days: [(PostbackTiming, sinceValue: ClosedRange<Int64>, sinceAd: Int64)] = [
        (.timer, 1...11, 164), (.firstWindow, 1...13, 103), (.secondWindow, 1...20, 112), (.thirdWindow, 1...43, 140),
    ]

    @Test("Days from a value, and from an ad, to the postback", arguments: days)
    func daysToArrive(_ timing: PostbackTiming, _ sinceValue: ClosedRange<Int64>, _ sinceAd: Int64) {
        #expect(timing.sinceValue == sinceValue)
        #expect(timing.sinceAd == sinceAd)
    }

    @Test(
        "Versions up to 3.0 have a timer, later ones windows",
        arguments: [
            (SKAdNetworkVersion.v1_0, nil, PostbackTiming.timer), (.v3_0, nil, .timer), (.v4_0, 0, .firstWindow),
            (.v4_0, 1, .secondWindow), (.v4_0, 2, .thirdWindow), (nil, 0, .firstWindow), (nil, 2, .thirdWindow),
        ] as [(SKAdNetworkVersion?, Int64?, PostbackTiming)])
    func version(_ version: SKAdNetworkVersion?, _ index: Int64?, _ timing: PostbackTiming) {
        #expect(PostbackTiming(version: version, sequenceIndex: index) == timing)
    }
}
