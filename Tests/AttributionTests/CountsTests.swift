import Attribution
import Testing

@Suite("How postbacks are counted")
struct CountsTests {
    static func metrics(_ traits: [CountedTraits]) -> Counts {
        traits.reduce(into: Counts()) { $0.count($1) }
    }

    @Test("Later windows and non-winners are not installs")
    func installs() {
        let metrics = Self.metrics([
            CountedTraits(didWin: nil, sequenceIndex: nil, isRedownload: true, conversion: .absent),
            CountedTraits(didWin: true, sequenceIndex: nil, isRedownload: false, conversion: .fine(0)),
            CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: false, conversion: .coarse(.high)),
            CountedTraits(didWin: true, sequenceIndex: 1, isRedownload: false, conversion: .coarse(.low)),
            CountedTraits(didWin: true, sequenceIndex: 2, isRedownload: false, conversion: .absent),
            CountedTraits(didWin: false, sequenceIndex: 0, isRedownload: true, conversion: .absent),
            CountedTraits(didWin: false, sequenceIndex: nil, isRedownload: true, conversion: .absent),
        ])
        #expect(metrics[.postbacks] == 7)
        #expect(metrics[.installs] == 3)
        #expect(metrics[.wins] == 2)
        #expect(metrics[.losses] == 2)
        #expect(metrics[.secondWindow] == 1)
        #expect(metrics[.thirdWindow] == 1)
        #expect(metrics[.redownloads] == 1)
        #expect(metrics[.newInstalls] == 2)
        #expect(metrics[.conversion(.coarse(.high))] == 1)
        #expect(metrics[.laterConversion(.coarse(.low))] == 1)
        #expect(metrics[.laterConversion(.absent)] == 1)
    }

    @Test("Re-engagements are not installs, and their conversion values are counted separately")
    func reengagements() {
        func traits(_ index: Int64, _ isReengagement: Bool, _ value: UInt8) -> CountedTraits {
            CountedTraits(
                didWin: true, sequenceIndex: index, isRedownload: isReengagement ? nil : false,
                isReengagement: isReengagement, conversion: .fine(value))
        }
        let metrics = Self.metrics([
            traits(0, true, 7), traits(0, true, 9), traits(1, true, 0), traits(2, true, 0), traits(0, false, 5),
        ])
        #expect(metrics[.postbacks] == 5)
        #expect(metrics[.installs] == 1 && metrics[.wins] == 1 && metrics[.newInstalls] == 1)
        #expect(metrics[.reengagements] == 2 && metrics[.laterReengagements] == 2)
        #expect(metrics[.secondWindow] == 0 && metrics[.thirdWindow] == 0)
        #expect(metrics.fineHistogram.map(\.value) == [5])
        #expect(metrics.reengagementHistogram.map(\.value) == [7, 9])
    }

    @Test("Null is not 0: the mean is of known values only")
    func conversions() {
        let metrics = Self.metrics(
            [Conversion.absent, .null, .fine(0), .fine(10)].map {
                CountedTraits(didWin: nil, sequenceIndex: nil, isRedownload: nil, conversion: $0)
            })
        #expect(metrics.nullConversions == 2)
        #expect(metrics.fineConversions == 2 && metrics.fineConversionSum == 10)
        #expect(metrics.fineHistogram.map(\.value) == [0, 10])
        #expect(metrics.knownRedownloads == 0)
    }

    @Test("An invalid conversion value still counts as an install, but neither as null nor as a value")
    func invalidConversions() {
        let metrics = Self.metrics(
            [0, 1].map { CountedTraits(didWin: true, sequenceIndex: $0, isRedownload: false, conversion: .invalid) }
                + [
                    CountedTraits(
                        didWin: true, sequenceIndex: 0, isRedownload: nil, isReengagement: true, conversion: .invalid)
                ])
        #expect(metrics[.installs] == 1 && metrics[.conversion(.invalid)] == 1)
        #expect(metrics[.laterConversion(.invalid)] == 1 && metrics[.reengagementConversion(.invalid)] == 1)
        #expect(metrics.nullConversions == 0 && metrics.fineConversions == 0 && metrics.fineConversionSum == 0)
    }

    @Test("An unsigned redownload is counted as unproven")
    func unprovenRedownloads() throws {
        func metrics(_ members: String) throws -> Counts {
            let body = "{\(members),\"redownload\":true,\"attribution-signature\":\"AAAA\"}"
            return Self.metrics([CountedTraits(try ReceivedPostback(reading: Array(body.utf8)))])
        }
        let first = try metrics(SKAdNetworkPostbackTests.bodies[0].1)
        #expect(first[.redownloads] == 1 && first.knownRedownloads == 1 && first[.unprovenRedownloads] == 1)
        let second = try metrics(
            SKAdNetworkPostbackTests.bodies[1].1.replacing(#","redownload":true"#, with: ""))
        #expect(second[.redownloads] == 1 && second.knownRedownloads == 1 && second[.unprovenRedownloads] == 0)
    }

    @Test("Every counter has its own index")
    func indices() {
        let counters: [Counts.Counter] =
            [
                .postbacks, .installs, .redownloads, .newInstalls, .unprovenRedownloads, .wins, .losses,
                .secondWindow, .thirdWindow, .reengagements, .laterReengagements,
            ]
            + Conversion.allCases.map(Counts.Counter.conversion)
            + Conversion.allCases.map(Counts.Counter.laterConversion)
            + Conversion.allCases.map(Counts.Counter.reengagementConversion)
        #expect(counters.map(\.index) == Array(0..<Counts.Counter.count))
        #expect(Conversion.allCases.map(\.index) == Array(Conversion.allCases.indices))
    }

    @Test("Counts can be added")
    func sums() {
        let one = CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: true, conversion: .fine(63))
        var sum = Self.metrics([one])
        sum += Self.metrics([one, one])
        #expect(sum == Self.metrics([one, one, one]))
    }

    @Test("Every dimension says who vouches for it: Apple, no one, or the server")
    func dimensionBasis() {
        let bases = Dictionary(grouping: ReportDimension.allCases, by: \.basis)
        #expect(bases[.ours] == [.hour, .day, .week, .month, .installDays, .installDayEstimate, .recipient])
        #expect(bases[.unsigned] == [.country, .interactionType, .conversionValue])
        #expect(bases[.signed]?.count == 14)
    }
}

@Suite("The order of a dimension's values")
struct OrderedValueTests {
    /// Values in order.
    static let values = [
        "", "-3", "0", "00", "1", "2", "007", "07", "7", "9", "10", "052", "52", "1000000000000", "9223372036854775807",
        "-", "2026-11-22", "52a", "9223372036854775808", "absent", "null", "true", "\u{00FC}",
    ]

    @Test("Absent comes first, then numbers by size, equal ones side by side, then texts", arguments: 0..<50)
    func order(_ seed: Int) {
        var generator = Generator(state: UInt64(seed))
        let shuffled = Self.values.shuffled(using: &generator)
        #expect(shuffled.map { OrderedValue($0) }.sorted().map(\.text) == Self.values)
    }

    @Test("Of two values, one is less or they are equal")
    func isTotal() {
        for (first, left) in Self.values.enumerated() {
            for (second, right) in Self.values.enumerated() {
                #expect((OrderedValue(left) < OrderedValue(right)) == (first < second), "\(left), \(right)")
                #expect((OrderedValue(left) == OrderedValue(right)) == (first == second), "\(left), \(right)")
            }
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }
}

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
