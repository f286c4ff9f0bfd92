import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import TestSupport
import Testing

/// What pages show of some stores and servers.
extension PageRoutesTests {
    /// Half past noon of the last day with postbacks, which came at noon.
    private static let now = DailyLedger.lastDay.number * 86_400_000 + 45_000_000

    static func health(_ change: (inout ServerHealth) -> Void = { _ in }) -> ServerHealth {
        var health = ServerHealth(nowMilliseconds: now, store: HostileText.markup, recording: .ready)
        health.lastRecordedAtMilliseconds = now - 60_000
        health.startedAtMilliseconds = now - 86_400_000 * 3
        health.deliveriesPerSecond = 12.5
        health.answers = [("200", 2_104_332), ("503", 1)]
        health.waiting = 0
        health.parts = [("database", 1 << 30)]
        health.disk = (free: 1 << 36, all: 1 << 38)
        health.certificateEndMilliseconds = now + 86_400_000 * 60
        change(&health)
        return health
    }

    /// The parameters of some days, the last of them the last day with postbacks.
    private static func days(_ count: Int64) -> String {
        "from=\(DailyLedger.lastDay.advanced(by: 1 - max(count, 1)))&to=\(DailyLedger.lastDay)"
    }

    static let ledgers: [(days: Int64, text: String?)] =
        [0, 1, 30, 365].map { ($0, nil) } + HostileText.all.map { (3, $0) }

    @Test("Every page is whole with no data, a day, a month, a year, and hostile texts", arguments: ledgers)
    func stores(_ days: Int64, _ text: String?) async throws {
        let reports = (["/"] + StandardReportName.allCases.map { "/reports/\($0.rawValue)" }).map {
            $0 + "?" + Self.days(days)
        }
        let deliveries = (0..<days).prefix(QuarantineClass.allCases.count).map { "/quarantine?id=\($0 + 1)" }
        try await run(DailyLedger(days: days, text: text)) { browser in
            for path in reports + deliveries + ["/quarantine", "/conflicts", "/postback?transaction-id=a"] {
                let answer = try await browser.get(path)
                #expect(answer.status == 200, "\(path): \(answer.body)")
                try Markup(answer.body).check()
            }
            let path = "/explore?by=day,network,campaign,source&sort=-installs&\(Self.days(days))"
            let explored = try Markup(try await browser.get(path).body)
            explored.check()
            #expect(explored.all("tbody").count == (days == 0 ? 0 : 1))
            #expect(days == 0 || explored.all("th").contains { $0.attributes["aria-sort"] == "descending" })
        }
    }

    @Test("The first screen says that all is well, shows the report, and what came in today")
    func overview() async throws {
        try await run(DailyLedger(days: 30), findings: []) { browser in
            for (filter, name) in [("", "Installs today"), ("&where=app=1", "Installs today, as selected")] {
                let text = try Markup(try await browser.get("/?\(Self.days(30))\(filter)").body).text
                for words in ["All is well", "2,104,332", "Installs by day", name + "30 so far; yesterday 29"] {
                    #expect(text.contains(words), "\(words)")
                }
            }
        }
    }

    static let causes: [(TrafficFinding, String)] = [
        (.forged(count: 21, received: 40), "/quarantine?class=forged"),
        (.unknown(count: 1), "/quarantine?class=future"),
        (.notUnderstood(count: 1), "/quarantine?class=unknown"), (.conflicts(count: 11), "/conflicts"),
        (.drought(app: "525463029", count: 3, usual: 120), "/reports/campaigns?where=app=525463029"),
        (.invalidValues(app: "525463029", count: 11), "/reports/campaigns?where=app=525463029"),
        (
            .newValue(dimension: .fidelity, value: "2", count: 3, since: CalendarDay(number: 20_000)),
            "/reports/campaigns?where=fidelity=2"
        ),
    ]

    @Test("Every finding is shown, and leads to the page where a person sees more of it", arguments: causes)
    func cause(_ finding: TrafficFinding, _ link: String) async throws {
        try await run(findings: [finding]) { browser in
            let markup = try Markup(try await browser.get("/").body)
            markup.check()
            #expect(markup.all("a").contains { $0.attributes["href"] == link }, "\(link)")
            #expect(markup.text.contains(finding.text.prefix { $0 != "'" }) && !markup.text.contains("All is well"))
        }
    }

    static let findings: [(@Sendable (inout ServerHealth) -> Void, String)] = [
        ({ $0.certificateEndMilliseconds = now - 1 }, "The TLS certificate has expired: devices cannot connect."),
        ({ $0.certificateEndMilliseconds = now + 86_400_000 * 3 + 1 }, "The TLS certificate ends in 3 days."),
        ({ $0.disk = (free: 1 << 30, all: 1 << 40) }, "The disk of the store is nearly full: 1.0 GiB are free."),
        ({ $0.disk = (free: 1 << 37, all: 1 << 40) }, "The disk of the store fills: 128.0 GiB are free."),
        ({ $0.lastRecordedAtMilliseconds = nil }, "No postback has been recorded yet."),
        (
            { $0.signerProblems = ["1 of 2 external signers is away"] },
            "1 of 2 external signers is away. Requests that need them are refused; skan doctor says more."
        ),
        ({ $0.recording = .fenced }, "Postbacks cannot be recorded: another process took over the store"),
        (
            { $0.recording = .failing(reason: "the disk is full", hint: "make room") },
            "Postbacks cannot be recorded: the disk is full. Make room."
        ),
    ]

    @Test("What an operator has to look at is found", arguments: findings)
    func finding(_ change: @Sendable (inout ServerHealth) -> Void, _ text: String) {
        let health = Self.health(change)
        #expect(health.findings.count == 1)
        #expect(health.findings.first?.text.hasPrefix(text) == true, "\(health.findings)")
    }

    @Test("A table as a file has no formulas")
    func formulas() async throws {
        try await run(DailyLedger(days: 1, text: "=1+1")) { browser in
            let file = try await browser.get("/quarantine?format=csv&section=deliveries").body
            #expect(file.hasSuffix(",malformed,'=1+1,network,'=1+1,15\r\n"), "\(file)")
        }
    }

    @Test("The addresses of files change with their content, and nothing is loaded from elsewhere")
    func addresses() {
        #expect(PageAsset.style.link.text.hasPrefix("/assets/page-") && PageAsset.style.name.hasSuffix(".css"))
        #expect(!PageAsset.style.content.contains("url(") && !PageAsset.style.content.contains("@import"))
        #expect(Set(PageAsset.all.map(\.name)).count == PageAsset.all.count)
    }
}
