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
        #expect(metrics.lossRate == 0.5)
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
        #expect(metrics.nullRate == 0.5)
        #expect(metrics.meanFineConversion == 5)
        #expect(metrics.fineHistogram.map(\.value) == [0, 10])
        #expect(metrics.redownloadRate == nil)
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
        #expect(metrics.nullConversions == 0 && metrics.fineConversions == 0 && metrics.meanFineConversion == nil)
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
        #expect(bases[.ours] == [.hour, .day, .week, .month, .recipient])
        #expect(bases[.unsigned] == [.country, .interactionType, .conversionValue])
        #expect(bases[.signed]?.count == 13)
    }
}
