import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import TestSupport
import Testing

@Suite("Views")
struct ViewTests {
    /// Noon of the last day with postbacks.
    private static let now = DailyLedger.lastDay.number * 86_400_000 + 43_200_000

    /// A reader's page must be whole, have one heading, a language, and a caption for each table.
    private static func check(_ page: Page) throws -> Markup {
        let document = page.document(
            in: PageSurroundings(
                holder: HostileText.markup, formToken: "0123", reports: StandardReportName.allCases.map(\.rawValue),
                version: "9.9.9"))
        let markup = try Markup(document)
        #expect(markup.all("html").first?.attributes["lang"] == "en")
        #expect(markup.all("h1").count == 1 && markup.all("main").count == 1 && markup.all("title").count >= 1)
        #expect(markup.all("table").count == markup.all("caption").count)
        #expect(markup.all("th").allSatisfy { ["col", "row"].contains($0.attributes["scope"] ?? "") })
        #expect(
            markup.all("svg").allSatisfy { svg in
                svg.attributes["aria-hidden"] != nil || svg.attributes["aria-label"] != nil
            })
        let ids = markup.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count, "\(ids)")
        for element in markup.elements {
            for name in ["aria-labelledby", "aria-describedby", "for"] {
                #expect(element.attributes[name].map { ids.contains($0) } ?? true, "\(element)")
            }
        }
        let labelled = Set(markup.all("label").compactMap { $0.attributes["for"] })
        for field in markup.all("input") + markup.all("select") where field.attributes["type"] != "hidden" {
            #expect(labelled.contains(field.attributes["id"] ?? ""), "\(field)")
        }
        return markup
    }

    static let ledgers: [(days: Int64, text: String?)] =
        [0, 1, 30, 365].map { ($0, nil) } + HostileText.all.map { (3, $0) }

    private static func report(
        _ name: StandardReportName, _ ledger: DailyLedger, _ selection: PageSelection
    ) async throws -> StandardReport {
        var parameters = StandardReportParameters()
        parameters.name = name.rawValue
        parameters.selection.period = selection.effectivePeriod
        return try await Reporter(ledger, programVersion: "9.9.9").report(
            StandardReportRequest(parameters, nowMilliseconds: now), isRecording: true)
    }

    @Test("Every standard report, with no data, a day, a month, a year, and hostile texts", arguments: ledgers)
    func reports(_ days: Int64, _ text: String?) async throws {
        let selection = PageSelection(period: days > 100 ? "365d" : nil, filters: [])
        for name in StandardReportName.allCases {
            let report = try await Self.report(name, DailyLedger(days: days, text: text), selection)
            _ = try Self.check(StandardReportPage(report, selection).page)
        }
    }

    private static func health(_ change: (inout ServerHealth) -> Void = { _ in }) -> ServerHealth {
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

    @Test("The first screen says that all is well, and shows the report")
    func overview() async throws {
        let report = try await Self.report(.overview, DailyLedger(days: 30), PageSelection())
        let page = OverviewPage(
            health: Self.health(), traffic: [], quarantine: .success([]), report: .success(report),
            selection: PageSelection())
        let markup = try Self.check(page.page)
        #expect(markup.text.contains("All is well"))
        #expect(markup.text.contains("2,104,332"))
        #expect(markup.text.contains("Installs by day"))
    }

    @Test("The first screen says what came in today, and of which traffic and conditions")
    func today() async throws {
        for (filters, name) in [([], "Installs today"), (["app=1"], "Installs today, as selected")] {
            let selection = PageSelection(filters: filters)
            let report = try await Self.report(.overview, DailyLedger(days: 30), selection)
            let page = OverviewPage(
                health: Self.health(), traffic: [], quarantine: .success([]), report: .success(report),
                selection: selection)
            let markup = try Self.check(page.page)
            #expect(markup.text.contains(name + "30 so far; yesterday 29"), "\(name)")
        }
    }

    @Test("A token for some networks sees nothing of the server but whether it is alive")
    func limited() async throws {
        let report = try await Self.report(.overview, DailyLedger(days: 1), PageSelection())
        let page = OverviewPage(
            health: Self.health().withoutFigures, traffic: [], quarantine: nil, report: .success(report),
            selection: PageSelection())
        let markup = try Self.check(page.page)
        #expect(markup.text.contains("Installs today"))
        for name in ["Last postback", "In quarantine", "Waiting", "Disk free", "Deliveries a second"] {
            #expect(!markup.text.contains(name), "\(name)")
        }
    }

    @Test("Every finding leads to the page where a person sees more of it")
    func causes() async throws {
        let report = try await Self.report(.overview, DailyLedger(days: 1), PageSelection())
        let findings: [(TrafficFinding, String)] = [
            (.forged(count: 21, received: 40), "/quarantine?class=forged"),
            (.unknown(count: 1), "/quarantine?class=future"),
            (.notUnderstood(count: 1), "/quarantine?class=unknown"), (.conflicts(count: 11), "/conflicts"),
            (.drought(app: "525463029", count: 3, usual: 120), "/reports/campaigns?where=app=525463029"),
            (.invalidValues(app: "525463029", count: 11), "/reports/campaigns?where=app=525463029"),
        ]
        for (finding, link) in findings {
            let page = OverviewPage(
                health: Self.health(), traffic: [finding], quarantine: .success([]), report: .success(report),
                selection: PageSelection())
            #expect(try Self.check(page.page).all("a").contains { $0.attributes["href"] == link }, "\(link)")
        }
    }

    @Test("A failing store leaves the first screen, with its health and the error")
    func failing() throws {
        let problem = PageProblem(Refusal(.storeFailed, "the disk is full", hint: "make room"))
        let page = OverviewPage(
            health: Self.health { $0.recording = .failing(reason: "the disk is full", hint: "make room") },
            traffic: [], quarantine: .failure(problem), report: .failure(problem), selection: PageSelection())
        let markup = try Self.check(page.page)
        #expect(markup.text.contains("Postbacks cannot be recorded: the disk is full. Make room."))
        #expect(markup.text.contains("store-failed"))
        #expect(!markup.text.contains("All is well"))
    }

    @Test("The first screen shows what of yesterday's traffic a person should look at, and then not that all is well")
    func traffic() async throws {
        let report = try await Self.report(.overview, DailyLedger(days: 30), PageSelection())
        let page = OverviewPage(
            health: Self.health(), traffic: [.drought(app: "525463029", count: 3, usual: 120)],
            quarantine: .success([]), report: .success(report), selection: PageSelection())
        let markup = try Self.check(page.page)
        #expect(markup.text.contains("App 525463029 had 3 postbacks yesterday; a usual day has 120."))
        #expect(!markup.text.contains("All is well"))
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
    ]

    @Test("What an operator has to look at is found", arguments: findings)
    func finding(_ change: @Sendable (inout ServerHealth) -> Void, _ text: String) {
        let health = Self.health(change)
        #expect(health.findings.count == 1)
        #expect(health.findings.first?.text.hasPrefix(text) == true, "\(health.findings)")
    }

    @Test("The free report, with no data, a day, a month, and hostile texts", arguments: ledgers)
    func explore(_ days: Int64, _ text: String?) async throws {
        var parameters = ReportParameters()
        (parameters.by, parameters.format) = ("day,network,campaign,source", .csv)
        let request = try ReportRequest(parameters, nowMilliseconds: Self.now)
        let report = try await Reporter(DailyLedger(days: days, text: text)).report(request)
        let choice = ExplorePage.Choice(by: parameters.by, sort: "-installs")
        let page = ExplorePage(.success(report), PageSelection(filters: ["network=" + (text ?? "")]), choice).page
        let markup = try Self.check(page)
        #expect(markup.all("tbody").count == (days == 0 ? 0 : 1))
        if days > 0 {
            #expect(markup.all("th").contains { $0.attributes["aria-sort"] == "descending" })
        }
    }

    @Test("The quarantine, its deliveries, conflicts and postbacks, empty and with hostile texts", arguments: ledgers)
    func store(_ days: Int64, _ text: String?) async throws {
        let ledger = DailyLedger(days: days, text: text)
        let query = QuarantineQuery(limit: 2)
        let deliveries = try await ledger.quarantine(query)
        _ = try Self.check(
            QuarantinePage(
                query, totals: try await ledger.quarantineTotals(), deliveries: deliveries, reasons: ["malformed"]
            ).page)
        let recorded = try await ledger.postbacks(PostbackQuery())
        for delivery in deliveries {
            let explanation = [(label: "cause", text: text ?? "zero-filled")]
            _ = try Self.check(
                DeliveryPage(delivery, recorded: recorded.first, explanation: explanation).page)
        }
        _ = try Self.check(ConflictsPage(query, try await ledger.quarantine(QuarantineQuery(kind: .conflict))).page)
        _ = try Self.check(PostbackPage(text ?? "", postbacks: recorded).page)
        _ = try Self.check(PostbackPage(text ?? "", postbacks: nil).page)
        _ = try Self.check(RequeuePage(query).question(formToken: "0123"))
        _ = try Self.check(RequeuePage(query).outcome(Requeued()))
    }

    @Test("Keys, tokens, definitions, the login and problems", arguments: HostileText.all)
    func others(_ text: String) throws {
        let token = KeysPage.Token(
            id: "01234567", name: text, scopes: "report", networks: text, created: "", expires: "never", used: "",
            isLive: true)
        _ = try Self.check(
            KeysPage(keys: [.init(name: text, purpose: "signs", detail: text)], tokens: [token]).page)
        _ = try Self.check(KeysPage(keys: [], tokens: nil).page)
        _ = try Self.check(DefinitionsPage().page)
        let problem = PageProblem(Refusal(.badField, text, hint: text))
        _ = try Self.check(problem.page("Nothing"))
        _ = try Self.check(LoginPage(next: text, problem: problem).page(formToken: "0123"))
    }

    @Test("A table as a file has plain numbers, and no formulas")
    func files() {
        let table = PageTable(
            id: "a", caption: "b", columns: [.init("name"), .init("count", isNumber: true)],
            rows: [.init([.value("=1+1"), .count(2_104_332)]), .init([.value("a,\"b\""), .count(0)])],
            totals: .init([.words("total"), .count(2_104_332)]))
        #expect(table.csv == "name,count\r\n'=1+1,2104332\r\n\"a,\"\"b\"\"\",0\r\ntotal,2104332\r\n")
    }

    @Test("The addresses of files change with their content, and nothing is loaded from elsewhere")
    func assets() {
        #expect(PageAsset.style.link.text.hasPrefix("/assets/page-") && PageAsset.style.name.hasSuffix(".css"))
        #expect(!PageAsset.style.content.contains("url(") && !PageAsset.style.content.contains("@import"))
        #expect(Set(PageAsset.all.map(\.name)).count == PageAsset.all.count)
    }
}
