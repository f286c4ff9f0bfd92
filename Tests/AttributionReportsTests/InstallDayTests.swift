import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON
import Testing

@Suite("Reports by the day of the install")
struct InstallDayTests {
    private let stores: ReportStores

    init() throws {
        stores = try ReportStores()
    }

    private func request(_ zone: String) throws -> ReportRequest {
        try ReportStores.request("install-day") { $0.timeZone = zone }
    }

    /// A postback of 2026-11-20 23:30 UTC, by Apple's timers.
    static let rows: [(version: String, index: Int64?, zone: String, days: String, estimate: String)] = [
        ("3.0", nil, "UTC", "2026-09-16/2026-11-19", "2026-11-19"),
        ("4.0", 0, "UTC", "2026-11-16/2026-11-19", "2026-11-17"),
        ("4.0", 1, "UTC", "2026-11-07/2026-11-17", "2026-11-10"),
        ("4.0", 2, "UTC", "2026-10-10/2026-11-12", "2026-10-13"),
        ("3.0", nil, "Asia/Kolkata", "2026-09-17/2026-11-20", "2026-11-19"),
        ("4.0", 0, "Asia/Kolkata", "2026-11-17/2026-11-20", "2026-11-17"),
        ("4.0", 1, "Asia/Kolkata", "2026-11-08/2026-11-18", "2026-11-10"),
        ("4.0", 2, "Asia/Kolkata", "2026-10-11/2026-11-13", "2026-10-13"),
    ]

    @Test("The days are those of the version, the window and the time zone", arguments: rows)
    func days(_ version: String, _ index: Int64?, _ zone: String, _ days: String, _ estimate: String) async throws {
        let reporter = try stores.reporter(at: [ReportStores.night[0]]) { draft, _ in
            guard let index else {
                return
            }
            draft[.version] = .string(version)
            draft[.campaignID] = nil
            draft[.sourceIdentifier] = .string("39")
            draft[.sequenceIndex] = .integer(index)
        }
        let report = try await reporter.report(request(zone))
        #expect(report.rows.map(\.values) == [[days, estimate]])
        let csv = report.rendered(as: .csv)
        #expect(csv.hasPrefix("install-days,install-day-estimate,postbacks,") && csv.contains("\(days),\(estimate),1,"))
        #expect(report.conclusion.contains { $0.contains("if the postback arrived at the first try") })
    }

    @Test("Whoever first launched on one day, their postbacks of all versions and windows are of days with that one")
    func truth() async throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        var scenario = try Scenario.plain(days: 70)
        scenario.scaleFaults(by: 0)
        let start = CalendarDay(number: 20_728)
        let midnight = start.start(in: .gmt)
        let standIn = try AppleStandIn()
        // Its windows end after clocks went back.
        let day = start.advanced(by: 15)
        var world = World(scenario, start: start, seed: 3)
        var bodies: [(body: [UInt8], time: Int64)] = []
        while let hour = world.nextHour() {
            bodies += try hour.filter {
                $0.kind != .reengagement && CalendarDay(containing: midnight + $0.launchedAt, in: zone) == day
            }.map { (try $0.body(in: scenario, signedBy: standIn), midnight + $0.time) }
        }
        let report = try await stores.reporter(of: bodies, signedBy: standIn).report(request("Europe/Berlin"))
        #expect(report.totals[.postbacks] == Int64(bodies.count) && bodies.count > 100)
        #expect(report.totals[.thirdWindow] > 0 && report.rows.count > 10)
        #expect(report.rows.reduce(0) { $0 + $1.counts[.postbacks] } == Int64(bodies.count))
        for row in report.rows {
            let days = row.values[0].split(separator: "/").compactMap { CalendarDay(String($0)) }
            #expect(days.count == 2 && days[0] <= day && day <= days[1], "\(row.values)")
            let estimate = try #require(CalendarDay(row.values[1]))
            #expect(days[0] <= estimate && estimate <= days[1])
        }
    }
}
