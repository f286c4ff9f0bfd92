import AttributionConsole
import Testing

@Suite("Charts")
struct ChartTests {
    @Test(
        "The axis has a few round numbers that reach the greatest count",
        arguments: [
            (0, [0, 1]), (1, [0, 1]), (3, [0, 1, 2, 3]), (4, [0, 1, 2, 3, 4]), (5, [0, 2, 4, 6]), (10, [0, 5, 10]),
            (17, [0, 5, 10, 15, 20]), (99, [0, 50, 100]), (2_104_332, [0, 1_000_000, 2_000_000, 3_000_000]),
        ] as [(Int64, [Int64])])
    func scale(_ maximum: Int64, _ ticks: [Int64]) {
        #expect(ChartScale(maximum: maximum).ticks == ticks)
    }

    @Test("Every count up to the greatest is between the ends of the axis")
    func heights() {
        for maximum in [1, 7, 123, 98_765, 123_456_789] as [Int64] {
            let scale = ChartScale(maximum: maximum)
            #expect(scale.height(of: 0) == 0)
            #expect((0.5...1).contains(scale.height(of: maximum)) || maximum < 2)
            #expect((2...6).contains(scale.ticks.count))
        }
    }

    private static func chart(_ counts: [Int64], previous: [Int64]? = nil) -> ColumnChart {
        ColumnChart(
            id: "days", title: "Installs by day", unit: "installs", axis: "day",
            columns: counts.indices.map { index in
                ColumnChart.Column("day \(index)", counts[index], previous: previous?[index])
            })
    }

    @Test("Columns neither overlap nor leave the chart", arguments: [1, 2, 3, 30, 31, 365, 366])
    func extents(_ count: Int) {
        let chart = Self.chart(Array(repeating: 1, count: count))
        var end = -0.001
        for index in 0..<count {
            let (x, width) = chart.extent(of: index)
            #expect(x >= end - 0.000_001 && width > 0)
            end = x + width
        }
        #expect(end <= 100.001)
    }

    @Test(
        "The first and last columns are labelled, and few between them",
        arguments: [
            (0, []), (1, [0]), (2, [0, 1]), (3, [0, 1, 2]), (4, [0, 1, 2, 3]), (30, [0, 9, 19, 29]),
            (365, [0, 121, 242, 364]),
        ])
    func labels(_ count: Int, _ labelled: [Int]) {
        #expect(Self.chart(Array(repeating: 1, count: count)).labelled == labelled)
    }

    @Test(
        "A sentence says what the chart shows",
        arguments: [
            ([], nil, "Installs by day: no installs."),
            ([0, 0], nil, "Installs by day: no installs."),
            ([5], nil, "Installs by day: 5 installs."),
            (
                [1_200, 5, 30], [1, 2, 3],
                "Installs by day: 1,235 installs, between 5 and 1,200 a day; in the previous period 6."
            ),
        ] as [([Int64], [Int64]?, String)])
    func summaries(_ counts: [Int64], _ previous: [Int64]?, _ summary: String) {
        #expect(Self.chart(counts, previous: previous).summary == summary)
    }

    @Test("A chart of zeros that were more in the previous period is drawn")
    func nothingNow() {
        #expect(!Self.chart([0, 0], previous: [3, 0]).isEmpty)
        #expect(Self.chart([0, 0], previous: [3, 0]).scale.ticks == [0, 1, 2, 3])
        #expect(Self.chart([0, 0], previous: [0, 0]).isEmpty)
    }
}
