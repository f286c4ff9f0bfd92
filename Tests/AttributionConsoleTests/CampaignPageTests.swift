import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import Foundation
import TestSupport
import Testing

/// What a campaign manager sees, and which links keep what was chosen.
extension PageRoutesTests {
    private static let campaign = "where=network=n.skadnetwork&where=app=5239&where=source-identifier=5239"

    /// The addresses of links, as a browser follows them.
    private static func links(_ page: Markup) -> [String] {
        page.all("a").compactMap { $0.attributes["href"] }.map { $0.replacing("&amp;", with: "&") }
    }

    @Test(
        "Links keep the days, the time zone and the traffic",
        arguments: ["/?", "/reports/campaigns?", "/reports/windows?", "/campaign?\(campaign)&", "/explore?by=app&"])
    func selection(_ page: String) async throws {
        try await run(DailyLedger(days: 30)) { browser in
            let kept = "time-zone=Europe/Berlin&from=2026-11-08&to=2026-11-21"
            let markup = try Markup(try await browser.get("\(page)test&\(kept)").body)
            let counting = Self.links(markup).filter { link in
                ["/?", "/reports", "/campaign", "/explore"].contains { link.hasPrefix($0) } || link == "/"
            }
            #expect(counting.count > 15)
            for link in counting {
                #expect(link.contains("provenance=test&time-zone=Europe/Berlin"), "\(link)")
            }
            // The link to the usual days has none.
            #expect(counting.count { !$0.contains("from=2026-") && !$0.contains("period=") } <= 1, "\(counting)")
            #expect(counting.contains { $0.contains("from=2026-10-25&to=2026-11-07") }, "no previous period")
        }
    }

    @Test("Rows lead to the page of their campaign, which selects it alone")
    func campaignLinks() async throws {
        try await run(DailyLedger(days: 3)) { browser in
            for page in ["/", "/reports/campaigns", "/explore"] {
                let links = Self.links(try Markup(try await browser.get(page + "?period=2026-11-21").body))
                let link = "/campaign?period=2026-11-21&\(Self.campaign)"
                #expect(links.contains { $0.hasPrefix(link) }, "\(page): \(links)")
            }
            let page = try Markup(try await browser.get("/campaign?period=2026-11-21&\(Self.campaign)").body)
            #expect(page.text.contains("Campaign 5239") && page.text.contains("Conversion windows"))
            #expect(page.text.contains("Installs by day") && page.text.contains("Sources"))
            #expect(Self.links(page).contains("/?period=2026-11-21"))
        }
    }

    @Test("A column that sorts says so, and turns the order at the next choice")
    func sorting() async throws {
        try await run(DailyLedger(days: 3)) { browser in
            for (order, state) in [("-campaigns.installs", "descending"), ("campaigns.installs", "ascending")] {
                let page = try Markup(try await browser.get("/reports/campaigns?sort=\(order)").body)
                #expect(page.all("th").compactMap { $0.attributes["aria-sort"] } == [state])
                let other = state == "descending" ? "campaigns.installs" : "-campaigns.installs"
                #expect(Self.links(page).contains("/reports/campaigns?sort=\(other)"))
                // Another period keeps the order.
                #expect(Self.links(page).contains("/reports/campaigns?period=7d&sort=\(order)"))
            }
        }
    }

    @Test("What campaigns did comes first, and operations are a line that opens")
    func order() async throws {
        try await run(DailyLedger(days: 30)) { browser in
            let body = try await browser.get("/?from=2026-11-01&to=2026-11-21").body
            let parts = [
                "class=\"headline\"", "id=\"days-title\"", "<details class=\"card operations\">",
                "id=\"campaigns-title\"", "id=\"windows-title\"",
            ]
            let places = try parts.map { try #require(body.range(of: $0), "\($0)").lowerBound }
            #expect(places == places.sorted())
        }
    }

    @Test("What cannot be recorded is said above the figures")
    func problems() async throws {
        let health = Self.health { $0.recording = .failing(reason: "the disk is full", hint: "make room") }
        try await run(DailyLedger(days: 3), health: health) { browser in
            let body = try await browser.get("/").body
            let notice = try #require(body.range(of: "the disk is full")).lowerBound
            #expect(notice < (try #require(body.range(of: "class=\"headline\"")).lowerBound))
        }
    }

    static let traffic: [(String, Bool)] = [
        ("test", true), ("test=true", true), ("test=&provenance=test", true), ("provenance=test", true),
        ("test=false", false), ("", false),
    ]

    @Test("Test traffic is asked for in one word, too, and always named", arguments: traffic)
    func testTraffic(_ query: String, _ isTest: Bool) async throws {
        try await run { browser in
            for page in ["/", "/reports/windows", "/explore"] {
                let answer = try await browser.get("\(page)?\(query)")
                #expect(answer.status == 200 && answer.body.contains("TEST traffic") == isTest, "\(page)")
            }
        }
    }

    @Test("A demonstration shows its test traffic where no other is asked for")
    func demonstration() async throws {
        try await run(traffic: .test) { browser in
            for (page, place) in [("/", "/?"), ("/reports/campaigns?period=7d", "/reports/campaigns?")] {
                let answer = try await browser.get(page)
                #expect(answer.status == 303)
                #expect(answer.fields["location"]?.hasPrefix("\(place)provenance=test") == true)
            }
            #expect(try await browser.get("/?provenance=apple").body.contains("TEST traffic") == false)
        }
    }

    @Test(
        "A browser sees a page where a program reads JSON",
        arguments: ["/nothing", "/reports/none/of/these", "/assets/none.css", "/v1/nothing"])
    func errorPages(_ path: String) async throws {
        try await run { browser in
            let page = try await browser.get(path, "Accept: text/html,application/xhtml+xml,*/*;q=0.8")
            #expect(page.status == 404 && page.fields["content-type"] == "text/html; charset=utf-8")
            #expect(page.body.hasPrefix("<!doctype html>") && page.body.contains("not-found"))
            try Markup(page.body).check()
            let program = try await browser.get(path, "Accept: */*")
            #expect(program.status == 404 && program.body.hasPrefix("{\"status\":\"refused\""), "\(program.body)")
        }
    }

    @Test("Explore offers what exists, and keeps what is chosen")
    func pickers() async throws {
        try await run(DailyLedger(days: 3)) { browser in
            let page = try Markup(
                try await browser.get("/explore?period=2026-11-21&by=day&by=app&where=app=5239&where=country=DE").body)
            let options = page.all("option").compactMap { $0.attributes["value"] }
            for value in ["app=5239", "network=n.skadnetwork", "source-identifier=5239", "-installs"] {
                #expect(options.contains(value), "\(value)")
            }
            let chosen = page.elements.filter { $0.name == "option" && $0.attributes["selected"] != nil }
            // The first is the traffic.
            let values = chosen.compactMap { $0.attributes["value"] }
            #expect(Array(values.prefix(5)) == ["apple", "day", "app", "app=5239", ""], "\(values)")
            let hidden = page.all("input").filter { $0.attributes["type"] == "hidden" }
            #expect(hidden.contains { $0.attributes["value"] == "country=DE" })
        }
    }
}
