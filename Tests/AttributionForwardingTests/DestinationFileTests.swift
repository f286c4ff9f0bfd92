import Attribution
import AttributionForwarding
import StrictJSON
import Testing

@Suite("The file of destinations")
struct DestinationFileTests {
    private static func problem(_ objects: String, folder: String = "") -> DestinationFileProblem? {
        do {
            _ = try Bench.destinations(objects, folder: folder)
            return nil
        } catch {
            return error as? DestinationFileProblem
        }
    }

    @Test("The smallest file relays production postbacks of both frameworks, and everything else is chosen")
    func smallest() throws {
        let destination = try Bench.destinations(
            #"{"name": "partner", "url": "https://partner.example/postbacks", "body": "raw"}"#)[0]
        #expect(destination.name == "partner")
        #expect(destination.url.isSecure)
        #expect(destination.url.server.description == "partner.example:443")
        #expect(destination.method == .post)
        #expect(destination.filters == DestinationFilters())
        #expect(destination.filters.provenance == .apple)
        #expect(destination.filters.framework == nil)
        #expect(destination.rate == nil)
        #expect(!destination.isOrdered)
        #expect(destination.proxy == nil)
        #expect(try Bench.destinations("").isEmpty)
        let chosen = try Bench.destinations(
            #"""
            {"name": "d", "url": "https://partner.example:8443/{app-id}", "body": "query"},
            {"name": "e", "url": "https://partner.example:8443/", "body": "query", "method": "POST", "rate": 50,
             "order": true, "proxy": "http://[::1]:3128/", "allow": ["10.0.0.0/8", "fd00::1"]}
            """#)
        #expect(chosen[0].method == .get)
        #expect(chosen[0].concurrency > 1)
        #expect(chosen[1].method == .post)
        #expect(chosen[1].rate == 50)
        #expect(chosen[1].concurrency == 1)
        #expect(chosen[1].proxy?.description == "[::1]:3128")
    }

    /// Members of a destination, what is told of them, and the cure.
    static let refused: [(String, String, String)] = [
        (#""body": "raw", "retries": 3"#, "destinations[0].retries: found an unknown name", "remove it"),
        (#""body": "raw", "hedaers": {}"#, "destinations[0].hedaers: found an unknown name", "write headers"),
        (
            #""body": "raw", "secret": "whsec_AAAAAAAAAAAAAAAAAAAAAAAA""#, ".secret: found an unknown name",
            "secret-file"
        ),
        (#""rate": 1"#, "destinations[0].body: found nothing, expected one of raw, raw+members, query", "body"),
        (#""body": "raw+member""#, #"found the string "raw+member", expected one of raw,"#, #"write "raw+members""#),
        (#""body": "raw", "method": "GET""#, #""GET" with the body mode raw, expected POST or PUT"#, "POST"),
        (#""body": "query", "method": "PUT""#, "expected GET or POST", "POST"),
        (#""body": "raw", "null-fill": true"#, "which cannot be filled", "remove"),
        (#""body": "raw", "headers": {"Host": "a"}"#, "headers.Host: found a field that skan writes", "remove"),
        (#""body": "raw", "headers": {"Content-Type": "a"}"#, "a field that skan writes", "remove"),
        (#""body": "raw", "headers": {"webhook-id": "a"}"#, "a field that skan writes", "remove"),
        (#""body": "raw", "headers": {"A": "a", "a": "b"}"#, "headers.a: found a second one", "remove"),
        (#""body": "raw", "headers": {"A b": "a"}"#, "a name that no field has", "remove"),
        (
            #""body": "raw", "headers": {"A": "hidden\r\nB: c"}"#, "headers.A: found a value that is not shown",
            "such a value"
        ),
        (
            #""body": "raw+members", "members": [{"name": "App-ID", "value": 1}]"#,
            #"destinations[0].members[0].name: found "App-ID", one of Apple's"#, "app-id is sent as it was received"
        ),
        (#""body": "raw+members", "members": [{"name": "jws-string", "value": "a"}]"#, "one of Apple's", "remove"),
        (#""body": "raw+members", "members": [{"name": "a"}]"#, "members[0].source: found nothing", "name what"),
        (
            #""body": "raw+members", "members": [{"name": "a", "source": "app_id"}]"#,
            #"members[0].source: found the string "app_id""#, "write app-id"
        ),
        (
            #""body": "raw+members", "members": [{"name": "a", "source": "transaction-id", "type": "number"}]"#,
            #""number" of a string, expected "string""#, "remove"
        ),
        (#""body": "raw+members", "members": [{"name": "a", "value": 1.5}]"#, "expected a string, a whole number", ""),
        (
            #""body": "raw+members", "members": [{"name": "a", "value": 1}, {"name": "A", "value": 1}]"#, "twice",
            "remove"
        ),
        (#""body": "raw", "members": [{"name": "a", "value": 1, "place": "body"}]"#, "with the body mode raw", "query"),
        (#""preset": "appsflyer", "body": "raw""#, "the preset appsflyer decides it", "generic"),
        (#""preset": "appsflyer", "method": "PUT""#, "the preset appsflyer decides it", "generic"),
        (#""preset": "appsflyer-kit""#, "there is none for AdAttributionKit, for which no measurement partner", ""),
        (
            #""preset": "branch", "filters": {"framework": "adattributionkit"}"#,
            "no measurement partner has published a contract for AdAttributionKit", "relay or generic"
        ),
        (#""preset": "airbridge""#, "found no attributed-channel", "attributed-channel"),
        (
            #""preset": "appsflyer", "members": [{"name": "timestamp", "source": "received-at-seconds"}]"#,
            "found a number, expected a string, as the preset appsflyer has it", #"write "type": "string""#
        ),
        (
            #""preset": "appsflyer", "members": [{"name": "ip", "value": "a"}]"#, #"found "ip", expected one of"#,
            "remove"
        ),
        (#""preset": "adbrix""#, "secret-file: found nothing", "add \"secret-file\""),
        (#""body": "query", "secret-file": "s""#, "a signature covers the body", "{secret}"),
        (#""body": "raw", "rate": 0"#, "rate: found the number 0, expected a whole number from 1 to 100000", ""),
        (#""body": "raw", "order": true, "concurrency": 2"#, "concurrency: found 2 with order", "remove"),
        (#""body": "raw", "proxy": "https://p.example:1""#, "proxy: found", "http://proxy.example:3128"),
        (#""body": "raw", "proxy": "http://p.example""#, "proxy: found", "http://proxy.example:3128"),
        (#""body": "raw", "allow": ["10.0.0.0/33"]"#, "allow[0]: found", "10.1.2.0/24"),
        (#""body": "raw", "filters": {"windows": []}"#, "filters.windows: found an empty array", "remove"),
        (#""body": "raw", "filters": {"windows": [3]}"#, "filters.windows[0]: found the number 3", ""),
        (#""body": "raw", "filters": {"apps": ["1"]}"#, "filters.apps[0]: found the string", "without quotes"),
        (#""body": "raw", "filters": {"versions": ["5.0"]}"#, "filters.versions[0]: found", ""),
        (#""body": "raw", "filters": {"provenance": "production"}"#, "one of apple, foreign, development, test", ""),
        (#""body": "raw", "filters": {"app": [1]}"#, "filters.app: found an unknown name", "apps"),
        (
            #""body": "raw", "filters": {"framework": "adattributionkit", "versions": ["4.0"]}"#,
            "versions with the framework adattributionkit", "remove"
        ),
    ]

    @Test("What is wrong is told with field, value, expectation and cure", arguments: refused)
    func refusals(_ members: String, _ message: String, _ cure: String) throws {
        let problem = try #require(
            Self.problem(#"{"name": "d", "url": "https://partner.example/", \#(members)}"#))
        #expect(problem.description.contains(message), "\(problem)")
        #expect(problem.description.hasPrefix("d.json, destination d: "))
        let hint = try #require(problem.hint)
        #expect(cure.isEmpty || hint.contains(cure), "\(hint)")
        #expect(problem.code == .malformedFile)
        for secret in ["hidden", "whsec"] { #expect(!"\(problem)\(hint)".contains(secret)) }
    }

    @Test(
        "A URL is refused for what is wrong with it",
        arguments: [
            ("ftp://p.example/", "begins with https://"), ("p.example", "begins with https://"),
            ("HTTPS://p.example/", "begins with https://"), ("https://u:p@p.example/", "a user before the host"),
            ("https:///a", "the host"), ("https://p.example:0/", "the host"), ("https://p.example:65536/", "the host"),
            ("https://{app-id}.example/", "the host"), ("https://p.example/#a", ##"the character "#""##),
            ("https://p.example/a b", #"the character " ""#), ("https://p.example/%4", #"the character "%""#),
            ("https://p.example/ü", #"the character "ü""#), ("https://p.example/{app-id", "a { without its }"),
            ("https://p.example/{ip}", "{ip}"), ("https://p.example/}", #"the character "}""#),
            ("https://p.example/{secret}", "secret-file"), ("http://p.example/", "plain HTTP may go to"),
        ])
    func urls(_ url: String, _ message: String) throws {
        let problem = try #require(Self.problem(#"{"name": "d", "url": "\#(url)", "body": "raw"}"#))
        #expect(problem.description.contains(message), "\(problem)")
    }

    @Test("A URL with a parameter of Apple's name would break a signature, and does not start")
    func signatures() throws {
        let problem = try #require(
            Self.problem(#"{"name": "d", "url": "https://p.example/?app-id=1", "body": "query"}"#))
        #expect(problem.description.contains("a request that Apple's signature does not survive"), "\(problem)")
    }

    @Test("All problems of all destinations are told at once")
    func together() throws {
        let problem = try #require(
            Self.problem(
                #"""
                {"name": "a", "url": "https://p.example/", "body": "raw", "rate": "x", "proxy": 1},
                {"name": "b", "url": "https://p.example/", "body": "raw"},
                {"name": "b", "url": "https://p.example/", "body": "raw"},
                {"url": "x"}
                """#))
        guard case .invalid(let invalid) = problem else {
            Issue.record("\(problem)")
            return
        }
        #expect(
            invalid.problems.map(\.problem.problem.field) == [
                "destinations[0].rate", "destinations[0].proxy", "destinations[2].name", "destinations[3].name",
                "destinations[3].url", "destinations[3].body",
            ])
    }

    @Test("A file that others can change, and a secret that others can read, are refused, and nothing of it is shown")
    func files() throws {
        let folder = try SecretFolder()
        let text = #"{"destinations": [{"name": "d", "url": "https://p.example/", "body": "raw", "secret-file": "s"}]}"#
        try folder.write(text, to: "d.json", mode: 0o644)
        let key = "whsec_" + Base64.encode([UInt8](repeating: 7, count: 32))
        for (secret, mode, message) in [
            (key, 0o644, "with mode 0644"), ("hidden", 0o600, "whsec_ and the base64"), ("", 0o600, "one line"),
            (key + "\n" + key + "\n" + key, 0o600, "one line, or two"),
            ("whsec_" + Base64.encode([UInt8](repeating: 7, count: 23)), 0o600, "24 to 64 bytes"),
        ] {
            try folder.write(secret, to: "s", mode: mode)
            let problem = #expect(throws: DestinationFileProblem.self) {
                try DestinationFile(file: folder.path + "d.json")
            }
            #expect(problem?.description.contains(message) ?? false, "\(String(describing: problem))")
            #expect(!"\(String(describing: problem))".contains("hidden"))
        }
        try folder.write(key + "\n", to: "s")
        #expect(try DestinationFile(file: folder.path + "d.json").destinations.count == 1)
        try folder.write(text, to: "d.json", mode: 0o666)
        #expect(throws: DestinationFileProblem.changeableByOthers(file: folder.path + "d.json", mode: "0666")) {
            try DestinationFile(file: folder.path + "d.json")
        }
        #expect(throws: DestinationFileProblem.self) { try DestinationFile(file: folder.path + "none.json") }
    }
}
