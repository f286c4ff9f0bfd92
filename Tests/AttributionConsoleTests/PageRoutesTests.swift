import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Pages of the console", .timeLimit(.minutes(5)))
final class PageRoutesTests {
    private let folder: URL
    private let requeued = Requeues()

    /// What was judged again.
    private final class Requeues: Sendable {
        private let queries = Mutex<[QuarantineQuery]>([])

        var ids: [Int64?] { queries.withLock { $0.map(\.id) } }

        func note(_ query: QuarantineQuery) {
            queries.withLock { $0.append(query) }
        }
    }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("skan-pages-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: A console

    private var file: AccessFile {
        AccessFile(folder.appendingPathComponent("tokens.json").path)
    }

    private func token(
        _ name: String, _ scopes: [AccessScope] = [.report], networks: [String] = [], apps: [Int64] = []
    ) throws -> String {
        let ids = networks.compactMap { AdNetworkID($0) }
        return try file.update(creatingFile: true) { list throws(AccessProblem) in
            var generator = SystemRandomNumberGenerator()
            return try list.create(
                name: name, scopes: scopes, networks: ids, apps: apps.map { AppStoreItemID($0) }, expires: nil,
                now: Date(), using: &generator
            ).token.text
        }
    }

    /// Runs a console with pages for the length of `body`; yesterday's traffic has these findings, or its own.
    func run(
        _ ledger: DailyLedger = DailyLedger(days: 3),
        hasTokens: Bool = false,
        health: ServerHealth = PageRoutesTests.health(),
        findings: [TrafficFinding]? = nil,
        traffic: Traffic = .apple,
        _ body: (Browser) async throws -> Void
    ) async throws {
        let reporter = Reporter(ledger, programVersion: "9.9.9")
        var sources = PageSources(
            reader: ledger,
            requeue: { [requeued] query in
                requeued.note(query)
                return Requeued()
            },
            explain: { body in [("cause", "as \(body.bytes.count) bytes say"), ("text", HostileText.markup)] },
            health: { health },
            keys: { [KeysPage.Key(name: HostileText.markup, purpose: "signs impressions", detail: "")] },
            report: { try await reporter.report($0, limits: $1) },
            standardReport: { try await reporter.report($0, limits: $1, isRecording: true) },
            findings: { today, traffic, limits in
                if let findings { return findings }
                return try await reporter.findings(today: today, traffic: traffic, limits: limits)
            },
            version: "9.9.9")
        sources.traffic = traffic
        let access =
            hasTokens
            ? AccessControl(file: file, reading: try file.read(), perSecond: 1_000, logger: .silent) : nil
        let sessions = ConsoleSessions(isSecure: false)
        let pages = PageRoutes(sources, access: access, sessions: sessions, logger: .silent)
        let health = HealthRoutes(readiness: { .ready })
        try await withConsole([health, pages], access: access, sessions: sessions) { port in
            try await body(Browser(port: port))
        }
    }

    /// Sends requests, each on a connection of its own.
    struct Browser {
        let port: Int

        func get(_ path: String, _ fields: String..., method: String = "GET") async throws -> RawAnswer {
            let lines = (["\(method) \(path) HTTP/1.1", "Host: localhost:\(port)"] + fields).joined(separator: "\r\n")
            return try await blocking { [port] in
                let client = try RawClient(port: port)
                client.send(lines + "\r\n\r\n")
                return try client.answer(toHEAD: method == "HEAD")
            }
        }

        func post(
            _ path: String, _ body: String, _ fields: [String],
            type: String = "application/x-www-form-urlencoded"
        ) async throws -> RawAnswer {
            let head = ["POST \(path) HTTP/1.1", "Host: localhost:\(port)", "Content-Length: \(body.utf8.count)"]
            let lines = (head + (type.isEmpty ? [] : ["Content-Type: \(type)"]) + fields).joined(separator: "\r\n")
            return try await blocking { [port] in
                let client = try RawClient(port: port)
                client.send(lines + "\r\n\r\n" + body)
                return try client.answer()
            }
        }

        /// The secret in the first form of a page.
        func formToken(_ path: String, _ fields: String = "Accept: */*") async throws -> String {
            let page = try await get(path, fields)
            let start = try #require(page.body.range(of: "name=\"form-token\" value=\""))
            return String(page.body[start.upperBound...].prefix { $0 != "\"" })
        }

        /// Logs in, and returns the cookie.
        func logIn(_ token: String) async throws -> String {
            let form = "token=\(token)&form-token=\(try await formToken("/login"))"
            let answer = try await post("/login", form, ["Sec-Fetch-Site: same-origin"])
            #expect(answer.status == 303 && answer.fields["location"] == "/")
            let cookie = try #require(answer.fields["set-cookie"])
            #expect(cookie.hasSuffix("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"))
            return "Cookie: other=1; " + String(cookie.prefix { $0 != ";" })
        }
    }

    static let pages = [
        "/", "/reports/overview", "/reports/campaigns", "/reports/sources", "/reports/conversions", "/reports/windows",
        "/reports/wins", "/reports/redownloads", "/reports/re-engagements", "/reports/tiers", "/reports/delivery",
        "/explore", "/explore?by=day&sort=-installs&top=2", "/?provenance=test&from=2026-11-01&to=2026-11-21",
        "/quarantine", "/quarantine?id=1", "/quarantine?class=forged&reason=malformed", "/quarantine/requeue?id=1",
        "/campaign?where=network=n.skadnetwork&where=app=5239&where=source-identifier=5239",
        "/explore?by=day&by=app&where=app=5239", "/reports/campaigns?sort=-campaigns.installs", "/postback",
        "/postback?id=1", "/postback?transaction-id=a", "/conflicts", "/destinations", "/keys", "/definitions",
    ]

    // MARK: Reading

    @Test("A delivery in quarantine says why it does not verify")
    func explanation() async throws {
        try await run { browser in
            let answer = try await browser.get("/quarantine?id=1")
            #expect(answer.status == 200)
            #expect(answer.body.contains("Why it does not verify"))
            #expect(answer.body.contains(" bytes say"))
        }
    }

    @Test("Every page is whole, cannot run anything, and is not stored")
    func all() async throws {
        try await run { browser in
            for path in Self.pages {
                let answer = try await browser.get(path)
                #expect(answer.status == 200, "\(path): \(answer.body)")
                #expect(answer.body.hasPrefix("<!doctype html>") && answer.body.hasSuffix("</html>\n"))
                try Markup(answer.body).check()
                #expect(answer.fields["content-type"] == "text/html; charset=utf-8")
                #expect(answer.fields["cache-control"] == "no-store")
                #expect(answer.fields["x-content-type-options"] == "nosniff")
                #expect(
                    answer.fields["content-security-policy"]
                        == "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
                        + "base-uri 'none'; frame-ancestors 'none'")
                #expect(!answer.body.contains("<script") && !answer.body.contains("style=\""))
                let head = try await browser.get(path, method: "HEAD")
                #expect(head.status == 200 && head.fields["content-type"] == answer.fields["content-type"])
            }
        }
    }

    @Test("The files of a page are cached for good, and only under the name of their content")
    func assets() async throws {
        try await run { browser in
            let page = try await browser.get("/").body
            for asset in PageAsset.all {
                #expect(page.contains("\"\(asset.link.text)\""))
                let answer = try await browser.get(asset.link.text)
                #expect(answer.status == 200 && answer.body == asset.content)
                #expect(answer.fields["cache-control"] == "public, max-age=31536000, immutable")
                #expect(answer.fields["content-type"] == asset.mediaType)
            }
            #expect(try await browser.get("/assets/page.css").status == 404)
        }
    }

    @Test(
        "A wrong request is refused on a page that says why",
        arguments: [
            ("/?perod=7d", 400, "an unknown parameter"), ("/explore?by=ap", 400, "did you mean app?"),
            ("/explore?top=1001", 400, "at most 1000 rows on a page"),
            ("/reports/none", 404, "there is no report none"), ("/quarantine?id=99", 404, "there is no delivery 99"),
            ("/explore?top=1&top=1", 400, "more than one value"), ("/quarantine?class=x", 400, "one of garbage"),
            ("/?format=json", 400, "csv, or none"), ("/keys?format=csv&section=x", 400, "one of keys"),
            ("/?period=%3Cscript%3E", 400, "&lt;script&gt;"), ("/?test=yes", 400, "true or false"),
            ("/?test&provenance=apple", 400, "one of the two"),
            ("/campaign?where=app=5239", 400, "do not select one campaign"),
            (
                "/campaign?where=network=n.skadnetwork&where=app=1&where=app=2&where=campaign-id=3", 400,
                "do not select one"
            ),
            ("/?sort=installs", 400, "a section and a column"),
            ("/?sort=-campaigns.instals", 400, "did you mean campaigns.installs?"),
        ])
    func refusals(_ path: String, _ status: Int, _ words: String) async throws {
        try await run { browser in
            let answer = try await browser.get(path)
            #expect(answer.body.contains(words), "\(answer.body)")
            #expect(answer.status == status)
            #expect(answer.body.hasPrefix("<!doctype html>") && !answer.body.contains("<script"))
            try Markup(answer.body).check()
        }
    }

    @Test("Every table can be had as a file")
    func files() async throws {
        try await run { browser in
            for path in Self.pages {
                let page = try await browser.get(path).body
                for link in page.matches(of: /href="([^"]+format=csv[^"]*)"/) {
                    let address = String(link.1).replacingOccurrences(of: "&amp;", with: "&")
                    let answer = try await browser.get(address)
                    #expect(answer.status == 200, "\(path): \(address): \(answer.body)")
                    #expect(answer.fields["content-type"] == "text/csv; charset=utf-8")
                    #expect(answer.fields["content-disposition"]?.hasPrefix("attachment; filename=\"skan-") == true)
                    #expect(answer.body.contains("\r\n"))
                }
            }
        }
    }

    @Test("Every link of every page leads to a page")
    func links() async throws {
        try await run { browser in
            var seen: Set<String> = []
            for path in Self.pages {
                for link in try await browser.get(path).body.matches(of: /href="(\/[^"]*)"/) {
                    let address = String(link.1).replacingOccurrences(of: "&amp;", with: "&")
                    guard address != "/openapi.yaml", seen.insert(address).inserted else { continue }
                    let status = try await browser.get(address).status
                    #expect(status == 200, "\(path): \(address)")
                }
            }
            #expect(seen.count > 50)
        }
    }

    @Test("A failing store leaves the first screen and says what fails")
    func failing() async throws {
        let ledger = DailyLedger(days: 3, failure: .failed(path: "a.sqlite", .diskFull))
        try await run(ledger) { browser in
            let first = try await browser.get("/")
            #expect(first.status == 200 && first.body.contains("store-failed") && first.body.contains("make room"))
            let quarantine = try await browser.get("/quarantine")
            #expect(quarantine.status == 503 && quarantine.fields["retry-after"] != nil)
        }
    }

    // MARK: Changing

    /// What a request is sent with besides its form, and its status.
    static let origins: [([String], String, Int)] = [
        (["Sec-Fetch-Site: same-origin"], "right", 200), ([], "right", 200),
        (["Sec-Fetch-Site: cross-site"], "right", 403), (["Sec-Fetch-Site: same-site"], "right", 403),
        (["Sec-Fetch-Site: none"], "right", 403), (["Origin: http://localhost:PORT"], "right", 200),
        (["Origin: https://evil.example"], "right", 403), (["Origin: null"], "right", 403),
        (["Sec-Fetch-Site: same-origin"], "wrong", 400), (["Sec-Fetch-Site: same-origin"], "", 400),
    ]

    @Test("A change needs the secret of a form, and a request of this site", arguments: origins)
    func forms(_ fields: [String], _ secret: String, _ status: Int) async throws {
        try await run { browser in
            let right = try await browser.formToken("/quarantine/requeue?id=1")
            let token = secret == "right" ? right : secret == "wrong" ? String(right.reversed()) + "0" : ""
            let answer = try await browser.post(
                "/quarantine/requeue", "id=1&class=forged&form-token=\(token)",
                fields.map { $0.replacingOccurrences(of: "PORT", with: "\(browser.port)") })
            #expect(answer.status == status, "\(answer.body)")
            try Markup(answer.body).check()
        }
        #expect(requeued.ids == (status == 200 ? [1] : []))
    }

    @Test("A change is not made by GET, by another media type, or by another host's name")
    func otherRequests() async throws {
        try await run { browser in
            let token = try await browser.formToken("/quarantine/requeue")
            #expect(try await browser.get("/quarantine/requeue?form-token=\(token)").status == 400)
            for type in ["text/plain", "application/json", ""] {
                let answer = try await browser.post("/quarantine/requeue", "form-token=\(token)", [], type: type)
                #expect(answer.status == 415)
            }
            let foreign = try await blocking {
                let client = try RawClient(port: browser.port)
                client.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                return try client.answer()
            }
            #expect(foreign.status == 403 && !foreign.body.contains("form-token"))
        }
        #expect(requeued.ids.isEmpty)
    }

    // MARK: Sessions

    @Test("Without a session every page leads to the login, and back")
    func login() async throws {
        let secret = try token("reader")
        try await run(hasTokens: true) { browser in
            for path in Self.pages {
                let answer = try await browser.get(path)
                #expect(answer.status == 303, "\(path)")
                #expect(answer.fields["location"]?.hasPrefix("/login") == true)
            }
            let away = try await browser.get("/explore?where=app%3D1&by=app")
            #expect(away.fields["location"] == "/login?next=/explore%3Fwhere=app%253D1%26by=app")
            let page = try await browser.get("/login?next=/explore%3Fby=app")
            try Markup(page.body).check()
            #expect(page.status == 200 && page.body.contains(#"name="next" value="/explore?by=app""#))
            let cookie = try await browser.logIn(secret)
            for path in Self.pages where !path.contains("requeue") {
                let answer = try await browser.get(path, cookie)
                #expect(answer.status == 200, "\(path)")
                try Markup(answer.body).check()
            }
            #expect(try await browser.get("/", cookie).body.contains("Logged in as reader"))
            #expect(try await browser.get("/quarantine/requeue", cookie).status == 403)
            #expect(
                try await browser.get("/", "Cookie: skan-session=" + String(repeating: "0", count: 32)).status == 303)
        }
    }

    @Test("The login goes to a page of this console and nowhere else")
    func next() async throws {
        for next in ["//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nSet-Cookie: a=b", "a"] {
            let secret = try token("reader-\(next.utf8.count)")
            try await run(hasTokens: true) { browser in
                let encoded = next.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let form = "token=\(secret)&next=\(encoded)&form-token=\(try await browser.formToken("/login"))"
                let answer = try await browser.post("/login", form, [])
                #expect(answer.status == 303 && answer.fields["location"] == "/", "\(next)")
            }
        }
    }

    @Test("A wrong token begins no session, and too many attempts have to wait")
    func attempts() async throws {
        _ = try token("reader")
        let signer = try token("signer", [.sign])
        try await run(hasTokens: true) { browser in
            let form = try await browser.formToken("/login")
            for (text, status) in [
                ("nonsense", 401), ("skan_" + String(repeating: "0", count: 64), 401), (signer, 403), ("", 401),
            ] {
                let answer = try await browser.post("/login", "token=\(text)&form-token=\(form)", [])
                #expect(answer.status == status && answer.fields["set-cookie"] == nil, "\(text)")
            }
            var statuses: Set<Int> = []
            for _ in 0..<500 where !statuses.contains(429) {
                statuses.insert(try await browser.post("/login", "token=x&form-token=\(form)", []).status)
            }
            #expect(statuses.isSubset(of: [401, 429]))
        }
    }

    @Test("A revoked token ends its sessions, and logging out ends one")
    func ending() async throws {
        let secret = try token("reader")
        let other = try token("other")
        try await run(hasTokens: true) { browser in
            let first = try await browser.logIn(secret)
            let second = try await browser.logIn(secret)
            let form = try await browser.formToken("/", first)
            #expect(try await browser.post("/logout", "form-token=\(form)", [second]).status == 400)
            let out = try await browser.post("/logout", "form-token=\(form)", [first])
            #expect(out.status == 303 && out.fields["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await browser.get("/", first).status == 303)
            #expect(try await browser.get("/", second).status == 200)
            let otherCookie = try await browser.logIn(other)
            _ = try file.update(creatingFile: false) { list throws(AccessProblem) in try list.revoke("reader") }
            #expect(try await browser.get("/", second).status == 303)
            #expect(try await browser.get("/", otherCookie).status == 200)
        }
    }

    @Test("A session's forms are its own, and its cookie is no token of the API")
    func ownForms() async throws {
        let first = try token("first", [.report, .manage])
        let second = try token("second", [.report, .manage])
        try await run(hasTokens: true) { browser in
            let cookies = [try await browser.logIn(first), try await browser.logIn(second)]
            let form = try await browser.formToken("/quarantine/requeue?id=1", cookies[0])
            let other = try await browser.post("/quarantine/requeue", "id=1&form-token=\(form)", [cookies[1]])
            #expect(other.status == 400)
            let none = try await browser.post("/quarantine/requeue", "id=1&form-token=\(form)", [])
            #expect(none.status == 303)
            let own = try await browser.post("/quarantine/requeue", "id=1&form-token=\(form)", [cookies[0]])
            #expect(own.status == 200)
        }
        #expect(requeued.ids == [1])
    }

    @Test(
        "A delivery that contradicts a postback which no store can have is shown all the same",
        arguments: [Int64.min, -1, 0, 2, .max])
    func strangePostback(_ id: Int64) async throws {
        var ledger = DailyLedger(days: Int64(QuarantineClass.allCases.count))
        ledger.contradicted = id
        let conflict = try #require(QuarantineClass.allCases.firstIndex(of: .conflict)) + 1
        try await run(ledger) { browser in
            let page = try await browser.get("/quarantine?id=\(conflict)")
            #expect(page.status == 200, "\(page.body)")
        }
    }

    @Test("A token limited to a network sees that network alone, and nothing that concerns all")
    func networks() async throws {
        let secret = try token("limited", networks: ["mine.skadnetwork"])
        try await run(hasTokens: true) { browser in
            let cookie = try await browser.logIn(secret)
            let first = try await browser.get("/", cookie)
            #expect(first.status == 303 && first.fields["location"] == "/?where=network=mine.skadnetwork")
            let mine = try await browser.get("/?where=network=mine.skadnetwork", cookie)
            #expect(mine.status == 200 && !mine.body.contains("Answers to devices"))
            // The last postback of all networks, and what is counted of all.
            #expect(!mine.body.contains("Last postback") && !mine.body.contains("2026-11-21T12:00:00Z"))
            #expect(!mine.body.contains("No postback has been recorded") && !mine.body.contains("Disk free"))
            // Nothing in the navigation leads to a refusal.
            for path in ["/quarantine", "/conflicts", "/postback", "/destinations", "/keys"] {
                #expect(try await browser.get(path, cookie).status == 403 && !mine.body.contains("href=\"\(path)\""))
            }
            #expect(try await browser.get("/definitions", cookie).status == 200)
            #expect(mine.body.contains("href=\"/definitions\""))
            let file = try await browser.get("/explore?format=csv&by=app", cookie)
            #expect(
                file.fields["location"] == "/explore?where=network=mine.skadnetwork&format=csv&by=app",
                "\(file.fields)")
            let section = try await browser.get("/?format=csv&section=quarantine", cookie)
            #expect(section.fields["location"] == "/?where=network=mine.skadnetwork&format=csv&section=quarantine")
            #expect(try await browser.get("/?where=network=other.skadnetwork", cookie).status == 403)
            #expect(try await browser.get("/explore?where=network=other.skadnetwork", cookie).status == 403)
            #expect(try await browser.get("/quarantine", cookie).status == 403)
            #expect(try await browser.get("/keys", cookie).status == 403)
        }
    }

    @Test("A token limited to apps sees figures of these alone, and pages that say what is not for it")
    func apps() async throws {
        let secret = try token("acme", apps: [5_239])
        try await run(hasTokens: true) { browser in
            let cookie = try await browser.logIn(secret)
            let first = try await browser.get("/", cookie)
            #expect(first.status == 200 && first.body.contains("Logged in as acme, for app 5239"))
            for words in [
                "Is it alive?", "Last postback", "Disk free", "As of ", "0123abcd", "Answers to devices",
                "networks count",
            ] {
                #expect(!first.body.contains(words), "\(words)")
            }
            try Markup(first.body).check()
            for path in ["/reports/campaigns", "/explore", "/explore?where=app=5239&by=app", "/definitions"] {
                #expect(try await browser.get(path, cookie).status == 200, "\(path)")
            }
            // A page for people, with what the token can be used for; nothing in the navigation leads there.
            for path in ["/quarantine", "/conflicts", "/postback", "/keys", "/reports/delivery", "/?where=app=1"] {
                let answer = try await browser.get(path, cookie)
                #expect(answer.status == 403 && answer.body.hasPrefix("<!doctype html>"), "\(path)")
                #expect(answer.body.contains("the token is limited to app 5239"), "\(answer.body)")
                #expect(!first.body.contains("href=\"\(path)\""))
            }
        }
    }
}
