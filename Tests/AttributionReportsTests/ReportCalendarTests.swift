import Attribution
import AttributionReports
import AttributionStore
import Foundation
import Testing

@Suite("Hours, days, weeks and months of time zones")
struct ReportCalendarTests {
    /// Time zones, and ranges of quarter hours around changes of their clocks.
    static let zones: [(String, [ClosedRange<Int64>])] = [
        ("UTC", [quarters(1_795_217_400)]),
        // Back on 2026-10-25, forward on 2026-03-29.
        ("Europe/Berlin", [quarters(1_792_890_000), quarters(1_774_746_000)]),
        ("America/New_York", [quarters(1_793_512_800), quarters(1_772_953_200)]),
        // Half an hour back and forward.
        ("Australia/Lord_Howe", [quarters(1_775_314_800), quarters(1_791_041_400)]),
        ("Asia/Kathmandu", [quarters(1_795_217_400), quarters(504_901_800)]),
        // Without 2011-12-30.
        ("Pacific/Apia", [quarters(1_325_239_200)]),
        // With 1969-09-30 for 47 hours.
        ("Pacific/Kwajalein", [quarters(-7_988_400)]),
        ("America/St_Johns", [quarters(1_162_088_060), quarters(1_143_945_060)]),
        ("America/Havana", [quarters(1_793_509_200)]),
        ("Africa/Monrovia", [quarters(63_593_070)]),
        ("Asia/Kolkata", [quarters(-2_100_000_000)]),
    ]

    /// The quarters of three days around a moment.
    private static func quarters(_ seconds: Int64) -> ClosedRange<Int64> {
        (seconds / 900 - 144)...(seconds / 900 + 144)
    }

    @Test("Periods are those of Foundation's calendar, and later ones have greater numbers", arguments: zones)
    func calendar(_ name: String, _ ranges: [ClosedRange<Int64>]) throws {
        let zone = name == "UTC" ? TimeZone.gmt : try #require(TimeZone(identifier: name))
        let calendar = LedgerCalendar(timeZone: zone)
        for range in ranges + [2_100_000...2_100_100, 1_000_000...1_000_100] {
            var last: [ReportDimension: Int64] = [:]
            for quarter in range {
                let expected = Self.expected(quarter, zone)
                for dimension in ReportDimension.times {
                    let period = calendar.period(dimension, quarter)
                    #expect(calendar.label(dimension, period) == expected[dimension])
                    // A day occurred twice when the clocks in St. John's went back past midnight.
                    let isInOrder = period >= last[dimension, default: .min]
                    #expect(isInOrder || name == "America/St_Johns" && dimension == .day, "\(dimension) \(quarter)")
                    last[dimension] = period
                }
            }
        }
    }

    private static func expected(_ quarter: Int64, _ zone: TimeZone) -> [ReportDimension: String] {
        let date = Date(timeIntervalSince1970: Double(quarter * 900))
        var gregorian = Calendar(identifier: .gregorian)
        gregorian.timeZone = zone
        var iso = Calendar(identifier: .iso8601)
        iso.timeZone = zone
        let parts = gregorian.dateComponents([.year, .month, .day, .hour], from: date)
        let week = iso.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
        func padded(_ number: Int?, _ width: Int = 2) -> String {
            let digits = String(number ?? -1)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let month = "\(padded(parts.year, 4))-\(padded(parts.month))"
        let seconds = zone.secondsFromGMT(for: date)
        let size = abs(seconds)
        let offset =
            (seconds < 0 ? "-" : "+") + "\(padded(size / 3600)):\(padded(size / 60 % 60))"
            + (size % 60 == 0 ? "" : ":\(padded(size % 60))")
        return [
            .month: month,
            .day: "\(month)-\(padded(parts.day))",
            .hour: "\(month)-\(padded(parts.day))T\(padded(parts.hour)):00" + (zone == .gmt ? "Z" : offset),
            .week: "\(padded(week.yearForWeekOfYear, 4))-W\(padded(week.weekOfYear))",
        ]
    }

    @Test(
        "Quarter hours of any year have a label",
        arguments: ["UTC", "Asia/Kolkata", "Europe/Berlin"],
        [Int64.min / 900_000 - 1, -10_000_000_000, -2_000_000, -1, 0, 10_000_000_000, Int64.max / 900_000])
    func strays(_ zone: String, _ quarter: Int64) throws {
        let calendar = LedgerCalendar(timeZone: try #require(TimeZone(identifier: zone)))
        for dimension in ReportDimension.times {
            #expect(!calendar.label(dimension, calendar.period(dimension, quarter)).isEmpty)
        }
    }

    @Test("The hour repeated in autumn is two consecutive rows")
    func twice() async throws {
        // 2026-10-25 02:30 in Berlin, in summer time and an hour later in winter time; and 03:30.
        let times: [Int64] = [1_792_888_200_000, 1_792_891_800_000, 1_792_895_400_000]
        let stores = try ReportStores()
        let request = try ReportStores.request("hour") { ($0.timeZone, $0.sort) = ("Europe/Berlin", "hour") }
        let report = try await stores.reporter(at: times).report(request)
        #expect(
            report.rows.map(\.values) == [
                ["2026-10-25T02:00+02:00"], ["2026-10-25T02:00+01:00"], ["2026-10-25T03:00+01:00"],
            ])
    }
}
