import Attribution
import StrictJSON
import Testing

@Suite("Links, taps and refusals of web ads")
struct WebAdTests {
    static let uuid = "b7c9da2b-15c7-4f3b-9326-135f9630033d"
    static let spelling = "t8naKxXHTzuTJhNfljADPQ"

    // MARK: Encoding the nonce

    @Test("The nonce of Apple's example, with padding and without", arguments: [spelling, spelling + "=="])
    func nonce(_ text: String) throws {
        let nonce = try #require(Nonce(base64URL: text))
        #expect(nonce.text == Self.uuid)
        #expect(nonce.base64URL == Self.spelling)
    }

    @Test("Any nonce round-trips")
    func roundTrip() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let nonce = Nonce(using: &generator)
            #expect(Nonce(base64URL: nonce.base64URL) == nonce)
            #expect(nonce.base64URL.utf8.count == 22)
        }
    }

    static let badSpellings: [(String, String)] = [
        ("empty", ""),
        ("one padding character", spelling + "="),
        ("three padding characters", spelling + "==="),
        ("padding inside", "t8naKxXHTzuTJhNfljAD=="),
        ("unused bits set", "t8naKxXHTzuTJhNfljADPR"),
        ("unused bits set, padded", "t8naKxXHTzuTJhNfljADPR=="),
        ("one character less", "t8naKxXHTzuTJhNfljADP"),
        ("one character more", spelling + "A"),
        ("the standard alphabet's plus", "t8naKxXHTzuTJhNf+jADPQ"),
        ("the standard alphabet's slash", "t8naKxXHTzuTJhNf/jADPQ"),
        ("white space", " " + spelling),
        ("a newline at the end", spelling + "\n"),
        ("a letter beyond ASCII", "t8naKxXHTzuTJhNfljADPé"),
        ("the UUID itself", uuid),
        ("a UUID of version 1", "t8naKxXHHzuTJhNfljADPQ"),
        ("a UUID of another variant", "t8naKxXHTzsTJhNfljADPQ"),
        ("zeros", "AAAAAAAAAAAAAAAAAAAAAA"),
    ]

    @Test("Any other encoding is refused", arguments: badSpellings)
    func badNonce(_ why: String, _ text: String) {
        #expect(Nonce(base64URL: text) == nil, "\(why)")
    }

    // MARK: The tap

    /// Apple's example, with members changed; nil leaves one out.
    private static func body(_ changes: KeyValuePairs<String, String?> = [:], more: String = "") -> [UInt8] {
        var members: [(String, String?)] = [
            ("source_engagement_type", "\"click_to_App_Store\""), ("source_domain", "\"example.com\""),
            ("source_nonce", "\"\(spelling)\""), ("version", "\"4.0\""),
        ]
        for (name, value) in changes {
            members = members.map { $0.0 == name ? (name, value) : $0 }
        }
        let text = members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
        return Array("{\(text)\(more)}".utf8)
    }

    @Test("Apple's example is read, and unknown names are ignored", arguments: ["", #","ip":"::1","extra":{"a":[]}"#])
    func tap(_ more: String) throws {
        let tap = try WebAdTap(reading: Self.body(more: more))
        #expect(tap.nonce.text == Self.uuid)
        #expect(tap.sourceDomain.text == "example.com")
    }

    @Test("The domain is kept as received")
    func domainAsReceived() throws {
        let tap = try WebAdTap(reading: Self.body(["source_domain": "\"News.Example.CO.UK\""]))
        #expect(tap.sourceDomain.text == "News.Example.CO.UK")
    }

    static let malformed: [(String, String?, String)] = [
        ("source_engagement_type", nil, "source_engagement_type: found nothing"),
        ("source_engagement_type", "\"view\"", "source_engagement_type: found the string \"view\""),
        ("source_engagement_type", "\"CLICK_TO_APP_STORE\"", "source_engagement_type: found the string"),
        ("source_engagement_type", "1", "source_engagement_type: found the number 1"),
        ("source_domain", nil, "source_domain: found nothing"),
        ("source_domain", "null", "source_domain: found null"),
        ("source_domain", "\"\"", "source_domain: found \"\""),
        ("source_domain", "\"https://example.com\"", "source_domain: found \"https://example.com\""),
        ("source_domain", "\"example.com:443\"", "source_domain: found \"example.com:443\""),
        ("source_domain", "\"example.com/\\u0301\"", "source_domain: found"),
        ("source_domain", "\"localhost\"", "source_domain: found \"localhost\""),
        ("source_domain", "\"a\\u2063.com\"", "source_domain: found \"a\\u{2063}.com\""),
        ("source_domain", "[\"example.com\"]", "source_domain: found an array"),
        ("source_nonce", nil, "source_nonce: found nothing"),
        ("source_nonce", "7", "source_nonce: found the number 7"),
        ("source_nonce", "\"\(uuid)\"", "source_nonce: found the string \"b7c9da2b"),
        ("source_nonce", "\"t8naKxXHTzuTJhNfljADPR\"", "source_nonce: found the string"),
        ("version", nil, "version: found nothing"),
        ("version", "4.0", "version: found the number 4.0"),
        ("version", "4", "version: found the number 4"),
    ]

    @Test("A malformed field is named with what was found", arguments: malformed)
    func malformedField(_ name: String, _ value: String?, _ words: String) {
        do {
            _ = try WebAdTap(reading: Self.body([name: value]))
            Issue.record("it was read")
        } catch {
            #expect(error.code == .malformed)
            #expect(error.description.hasPrefix(words), "\(error)")
        }
    }

    @Test("All invalid fields are named at once")
    func allProblems() {
        do {
            _ = try WebAdTap(reading: Array("{}".utf8))
            Issue.record("it was read")
        } catch {
            for name in ["version", "source_engagement_type", "source_domain", "source_nonce"] {
                #expect(error.description.contains("\(name): found nothing"))
            }
        }
    }

    @Test("Another version is rejected by name, whatever its fields", arguments: ["5.0", "3.0", "4.1", ""])
    func unknownVersion(_ version: String) {
        #expect(throws: WebAdRefusal.unknownVersion(version)) {
            try WebAdTap(reading: Self.body(["version": "\"\(version)\"", "source_nonce": nil]))
        }
    }

    @Test("Anything but a JSON object is refused", arguments: ["", "[]", "tap", "{\"version\":\"4.0\"", "{}{}"])
    func notJSON(_ text: String) {
        do {
            _ = try WebAdTap(reading: Array(text.utf8))
            Issue.record("it was read")
        } catch {
            #expect(error.code == .notJSON)
        }
    }

    @Test("Every refusal has its own text and code")
    func refusals() throws {
        let domain = try #require(SourceDomain("foreign.example"))
        let refusals: [WebAdRefusal] = [
            .notJSON(.empty), .malformed([FieldProblem(field: "f", found: "a", expected: "b")]),
            .unknownVersion("5.0"), .nonceUnknown, .nonceUsed, .nonceExpired, .domainNotAllowed(domain),
        ]
        #expect(Set(refusals.map(\.code)).count == refusals.count)
        #expect(Set(refusals.map(\.description)).count == refusals.count)
    }

    // MARK: Issuing

    private static func request(_ change: (inout WebAdRequest) -> Void = { _ in }) -> WebAdRequest {
        var request = WebAdRequest(
            adNetworkID: "example123.skadnetwork", itunesItemID: 525_463_029, sourceIdentifier: 3_120,
            sourceDomains: ["example.com"], attributionDestination: "https://network.example")
        change(&request)
        return request
    }

    private static func link(_ change: (inout WebAdRequest) -> Void = { _ in }) throws -> WebAdLink {
        try request(change).checked(
            nonce: #require(Nonce(uuid)), issuedAt: UnixMilliseconds(rawValue: 1_676_057_600_000))
    }

    @Test("The link has Apple's attributes and lives a day by default")
    func link() throws {
        let link = try Self.link()
        #expect(
            link.html == """
                <a href="https://apps.apple.com/app/id525463029" attributionDestination="https://network.example" \
                attributionSourceNonce="t8naKxXHTzuTJhNfljADPQ">Get the app</a>
                """)
        #expect(link.ad.expiresAt == link.ad.issuedAt.advanced(by: 86_400_000))
        #expect(
            link.json.line.hasPrefix(
                #"{"href":"https://apps.apple.com/app/id525463029","attributionDestination":"https://network.example","#
                    + #""attributionSourceNonce":"t8naKxXHTzuTJhNfljADPQ","html":"<a href=\""#))
    }

    @Test("The label is escaped")
    func escaping() throws {
        let html = try Self.link { $0.label = #"<script>"Tom's" & co</script>"# }.html
        #expect(html.hasSuffix(">&lt;script&gt;&quot;Tom&#39;s&quot; &amp; co&lt;/script&gt;</a>"))
    }

    static let badRequests: [(String, @Sendable (inout WebAdRequest) -> Void)] = [
        ("ad-network-id", { $0.adNetworkID = "" }),
        ("itunes-item-id", { $0.itunesItemID = 0 }),
        ("itunes-item-id", { $0.itunesItemID = -1 }),
        ("source-identifier", { $0.sourceIdentifier = 10_000 }),
        ("source-identifier", { $0.sourceIdentifier = -1 }),
        ("source-domains", { $0.sourceDomains = ["https://example.com"] }),
        ("source-domains", { $0.sourceDomains = ["example.com", "example.com"] }),
        ("source-domains", { $0.sourceDomains = ["Example.com"] }),
        ("source-domains", { $0.sourceDomains = ["bücher.example"] }),
        ("source-domains", { $0.sourceDomains = ["example.com."] }),
        ("source-domains", { $0.sourceDomains = [".example.com"] }),
        ("source-domains", { $0.sourceDomains = ["localhost"] }),
        ("source-domains", { $0.sourceDomains = ["-a.example"] }),
        ("source-domains", { $0.sourceDomains = (0..<65).map { "d\($0).example" } }),
        ("attribution-destination", { $0.attributionDestination = "http://network.example" }),
        ("attribution-destination", { $0.attributionDestination = "https://" }),
        ("attribution-destination", { $0.attributionDestination = "https://network.example/" }),
        ("attribution-destination", { $0.attributionDestination = "https://u@network.example" }),
        ("attribution-destination", { $0.attributionDestination = "https://network.example:0" }),
        ("attribution-destination", { $0.attributionDestination = "https://network.example:70000" }),
        ("attribution-destination", { $0.attributionDestination = "https://network.example\"><script>" }),
        ("label", { $0.label = "" }),
        ("label", { $0.label = "a\nb" }),
        ("lifetime-seconds", { $0.lifetimeSeconds = 0 }),
        ("lifetime-seconds", { $0.lifetimeSeconds = 2_592_001 }),
    ]

    @Test("An ad that could not be answered later is not issued", arguments: badRequests)
    func badRequest(_ field: String, _ change: @Sendable (inout WebAdRequest) -> Void) {
        do {
            _ = try Self.link(change)
            Issue.record("it was issued")
        } catch {
            #expect((error as? FieldProblem)?.field == field, "\(error)")
        }
    }

    @Test(
        "A time of issue that is not in milliseconds is refused by name",
        arguments: [Int64.min, 0, 1_676_057_600, .max])
    func badIssueTime(_ time: Int64) throws {
        let nonce = try #require(Nonce(Self.uuid))
        #expect {
            try Self.request().checked(nonce: nonce, issuedAt: UnixMilliseconds(rawValue: time))
        } throws: { error in
            (error as? FieldProblem)?.field == "issued-at"
        }
    }

    @Test("A request with all members is read from JSON")
    func reading() throws {
        let text = """
            {"ad-network-id":"n.skadnetwork","itunes-item-id":10738027756,"source-identifier":0,
             "source-domains":["example.com","news.example.org"],"attribution-destination":"https://network.example:8443",
             "label":"Play","lifetime-seconds":60}
            """
        let link = try WebAdRequest(reading: Array(text.utf8))
            .checked(nonce: #require(Nonce(Self.uuid)), issuedAt: UnixMilliseconds(rawValue: 1_676_057_600_000))
        #expect(link.ad.content.adNetworkID.text == "n.skadnetwork")
        #expect(link.ad.content.itunesItemID.value == 10_738_027_756)
        #expect(link.ad.content.sourceIdentifier.value == 0)
        #expect(link.ad.sourceDomains.map(\.text) == ["example.com", "news.example.org"])
        #expect(link.attributionDestination.origin == "https://network.example:8443")
        #expect(link.label == "Play")
        #expect(link.ad.expiresAt.rawValue == 1_676_057_660_000)
    }

    @Test(
        "A request with an invalid field is refused by name",
        arguments: [
            (#"{"itunes-item-id":1}"#, "ad-network-id: found nothing"),
            (#"{"ad-network-id":1}"#, "ad-network-id: found the number 1"),
            (base + #","source-domains":"example.com"}"#, "source-domains: found the string"),
            (base + #","source-domains":[1]}"#, "source-domains: found the number 1"),
            (base + #","source-domain":["example.com"]}"#, "source-domain: found an unknown name"),
            (base + #","lifetime-seconds":1.5}"#, "lifetime-seconds: found the number 1.5"),
            (base + #","label":null}"#, "label: found nothing"),
        ])
    func badJSON(_ text: String, _ words: String) {
        do {
            _ = try WebAdRequest(reading: Array(text.utf8))
            Issue.record("it was read")
        } catch {
            #expect("\(error)".hasPrefix(words), "\(error)")
        }
    }

    private static let base =
        #"{"ad-network-id":"n","itunes-item-id":1,"source-identifier":1,"attribution-destination":"https://n.example""#
}
