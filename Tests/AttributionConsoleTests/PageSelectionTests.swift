import Attribution
import AttributionConsole
import AttributionReports
import TestSupport
import Testing

@Suite("What a page is asked for")
struct PageSelectionTests {
    private static let link = PageLink("explore")

    @Test("A link repeats what is not as it is by default")
    func links() {
        #expect(PageSelection().link(Self.link).text == "/explore")
        #expect(PageSelection(provenance: "apple", timeZone: "UTC", period: "30d").link(Self.link).text == "/explore")
        let all = PageSelection(
            provenance: "test", timeZone: "Europe/Berlin", from: "2026-11-01", to: "2026-11-09", filters: ["app=1"])
        #expect(
            all.link(Self.link).text
                == "/explore?provenance=test&time-zone=Europe/Berlin&from=2026-11-01&to=2026-11-09&where=app=1")
    }

    @Test("A row narrows its dimension, and repeats no condition")
    func narrowing() {
        let selection = PageSelection(filters: ["app=1", "app=2", "country!=DE", "country!=DE", "app=1"])
        #expect(selection.filters == ["app=1", "app=2", "country!=DE"])
        #expect(selection.narrowed(to: .app, "2").filters == ["country!=DE", "app=2"])
        #expect(selection.narrowed(to: .app, "2").narrowed(to: .app, "2").filters == ["country!=DE", "app=2"])
        #expect(selection.without("app=1").filters == ["app=2", "country!=DE"])
    }

    @Test("A value of a dimension of time selects its days")
    func times() {
        let selection = PageSelection(from: "2026-01-01", filters: ["app=1"])
        func text(_ value: String, _ dimension: ReportDimension) -> String? {
            selection.link(Self.link, narrowedTo: dimension, value)?.text
        }
        #expect(text("2026-11-21T13:00Z", .hour) == "/explore?period=2026-11-21&where=app=1")
        #expect(text("2026-11-21", .day) == "/explore?period=2026-11-21&where=app=1")
        #expect(text("2026-W46", .week) == "/explore?period=2026-W46&where=app=1")
    }

    @Test("A value too long for a link has none")
    func length() {
        #expect(PageSelection().link(Self.link, narrowedTo: .network, HostileText.long) == nil)
        #expect(PageSelection().link(Self.link, narrowedTo: .network, "n.skadnetwork") != nil)
    }

    @Test(
        "The days before and after are as many, and a calendar month has months beside it",
        arguments: [
            ("2026-11-08", "2026-11-21", "from=2026-10-25&to=2026-11-07", "from=2026-11-22&to=2026-12-05"),
            ("2026-11-21", "2026-11-21", "from=2026-11-20&to=2026-11-20", "from=2026-11-22&to=2026-11-22"),
            ("2026-12-01", "2026-12-31", "period=2026-11", "period=2027-01"),
            ("2026-11-01", "2026-11-29", "from=2026-10-03&to=2026-10-31", "from=2026-11-30&to=2026-12-28"),
        ])
    func steps(_ first: String, _ last: String, _ before: String, _ after: String) throws {
        let days = CalendarPeriod(
            first: try #require(CalendarDay(first)), last: try #require(CalendarDay(last)))
        let selection = PageSelection(provenance: "test", period: "7d", filters: ["app=1"])
        for (forwards, expected) in [(false, before), (true, after)] {
            #expect(
                selection.moved(from: days, forwards: forwards).link(Self.link).text
                    == "/explore?provenance=test&\(expected)&where=app=1")
        }
    }

    @Test("Without days a page has the last thirty")
    func period() {
        #expect(PageSelection().effectivePeriod == "30d")
        #expect(PageSelection(from: "2026-11-01").effectivePeriod == nil)
        #expect(PageSelection(period: "7d").effectivePeriod == "7d")
    }
}
