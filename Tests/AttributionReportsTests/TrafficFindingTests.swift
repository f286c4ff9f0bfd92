import Attribution
import AttributionReports
import AttributionStore
import Foundation
import Testing

@Suite("What of the traffic a person should look at")
struct TrafficFindingTests {
    private static let yesterday = CalendarDay(containing: 1_795_262_400_000, in: .gmt)

    /// Postbacks of an app: each day of the week before, and yesterday.
    private static func rows(
        _ usual: Int64, _ last: Int64, conversions: (before: Conversion, last: Conversion) = (.fine(1), .fine(1))
    ) -> [LedgerRow] {
        (0...TrafficFinding.week).map { back in
            var counts = Counts()
            let traits = CountedTraits(
                didWin: true, sequenceIndex: 0, isRedownload: false, isRedownloadProven: true, isReengagement: false,
                conversion: back == 0 ? conversions.last : conversions.before)
            counts.count(traits, times: back == 0 ? last : usual)
            return LedgerRow(values: ["\(yesterday.advanced(by: -back))", "525463029"], counts: counts)
        }
    }

    static let apps: [([LedgerRow], [TrafficFinding])] = [
        (rows(100, 100), []),
        (rows(100, 50), []),
        (rows(100, 49), [.drought(app: "525463029", count: 49, usual: 100)]),
        (rows(20, 0), []),
        (rows(21, 0), [.drought(app: "525463029", count: 0, usual: 21)]),
        (
            rows(200, 200, conversions: (.fine(1), .null)),
            [.missingValues(app: "525463029", share: 1, usual: 0)]
        ),
        (rows(100, 100, conversions: (.fine(1), .null)), []),
        (rows(200, 200, conversions: (.null, .null)), []),
        (rows(10, 11, conversions: (.fine(1), .invalid)), [.invalidValues(app: "525463029", count: 11)]),
        (rows(10, 10, conversions: (.fine(1), .invalid)), []),
    ]

    @Test("An app is compared with its own week", arguments: apps)
    func comparison(_ rows: [LedgerRow], _ findings: [TrafficFinding]) {
        #expect(TrafficFinding.all(rows, DeliveryCounts(), .apple, yesterday: Self.yesterday) == findings)
        #expect(findings.allSatisfy { $0.text.contains("525463029") })
    }

    @Test("A value that this version does not know is named with its field and its first day")
    func newValues() {
        func row(_ back: Int64, _ values: String..., count: Int64) -> LedgerRow {
            var counts = Counts()
            counts.count(
                CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: nil, conversion: .absent), times: count)
            return LedgerRow(values: ["\(Self.yesterday.advanced(by: -back))"] + values, counts: counts)
        }
        let findings = TrafficFinding.newValues([
            row(3, "1", "", "", count: 7), row(2, "2", "", "", count: 1), row(0, "2", "", "", count: 2),
            row(1, "", "app-impression", "click", count: 5), row(1, "", "web", "other", count: 1),
        ])
        #expect(
            findings == [
                .newValue(dimension: .fidelity, value: "2", count: 3, since: Self.yesterday.advanced(by: -2)),
                .newValue(dimension: .impressionType, value: "web", count: 1, since: Self.yesterday.advanced(by: -1)),
                .newValue(
                    dimension: .interactionType, value: "other", count: 1, since: Self.yesterday.advanced(by: -1)),
            ])
        #expect(
            findings.first?.text == "3 postbacks since \(Self.yesterday.advanced(by: -2)) have fidelity-type 2, "
                + "which this version does not know.")
    }

    static let deliveries: [([(DeliveryCounts.Kind, Int64)], [TrafficFinding])] = [
        ([(kind(.recorded, .apple), 1_000)], []),
        ([(kind(.recorded, .apple), 1_000), (kind(.invalidSignature), 21)], []),
        (
            [(kind(.recorded, .apple), 100), (kind(.invalidSignature), 21)],
            [.forged(count: 21, received: 121)]
        ),
        ([(kind(.recorded, .apple), 100), (kind(.invalidSignature), 20)], []),
        ([(kind(.unknownVersion), 1), (kind(.unknownKey), 2)], [.unknown(count: 3)]),
        ([(kind(.notUnderstood), 4)], [.notUnderstood(count: 4)]),
        ([(kind(.conflict, .apple), 11)], [.conflicts(count: 11)]),
        ([(kind(.conflict, .test), 11)], []),
    ]

    private static func kind(_ status: Recording.Status, _ traffic: Traffic) -> DeliveryCounts.Kind {
        DeliveryCounts.Kind(status: status, traffic: traffic, reason: nil)
    }

    private static func kind(_ reason: PostbackRejection.Code) -> DeliveryCounts.Kind {
        DeliveryCounts.Kind(status: .quarantined, traffic: nil, reason: reason)
    }

    @Test("Deliveries are judged by their day", arguments: deliveries)
    func day(_ kinds: [(DeliveryCounts.Kind, Int64)], _ findings: [TrafficFinding]) {
        var counts = DeliveryCounts()
        for (kind, count) in kinds {
            counts.add(kind, count: count, kept: count)
        }
        #expect(TrafficFinding.all([LedgerRow](), counts, .apple, yesterday: Self.yesterday) == findings)
    }
}
