import Attribution
import Testing

@Suite("Ordering an ad in several forms")
struct ImpressionOrderTests {
    static func order(_ members: String) throws(SigningRefusal) -> ImpressionOrder {
        let body = #"{"ad-network-id": "n.skadnetwork", "itunes-item-id": 525463029, \#(members)}"#
        return try ImpressionOrder(reading: Array(body.utf8), limit: 65536)
    }

    static let time = UnixMilliseconds(rawValue: 1_676_057_605_705)

    static func impressions(_ members: String) throws(SigningRefusal) -> [Impression] {
        var generator = SystemRandomNumberGenerator()
        return try order(members).impressions(at: time) { Nonce(using: &generator) }
    }

    /// `form version` of each.
    static func names(_ impressions: [Impression]) -> [String] {
        impressions.map { one in
            switch one {
            case .skAdNetwork(let impression): "\(impression.form.rawValue) \(impression.version.rawValue)"
            case .adAttributionKit: "adattributionkit"
            }
        }
    }

    @Test(
        "Each form is signed for each version that carries it",
        arguments: [
            (#""forms": ["storekit-rendered"], "version": "1.0", "campaign-id": 1"#, ["storekit-rendered 1.0"]),
            (
                #""forms": ["storekit-rendered"], "versions": ["2.1", "2.0"], "campaign-id": 1, "source-app-id": 0"#,
                ["storekit-rendered 2.1", "storekit-rendered 2.0"]
            ),
            (
                #""forms": ["view-through"], "versions": ["2.0", "2.2", "3.0"], "campaign-id": 1, "source-app-id": 1"#,
                ["view-through 2.2", "view-through 3.0"]
            ),
            (
                #""forms": ["web"], "version": "4.0", "source-identifier": 39, "source-domain": "example.com""#,
                ["web 4.0"]
            ),
            (#""forms": ["adattributionkit"], "source-identifier": 39, "source-app-id": 1"#, ["adattributionkit"]),
            (
                #""forms": ["adattributionkit", "web", "view-through", "storekit-rendered"], "versions": ["3.0", "4.0"], "#
                    + #""campaign-id": 7, "source-identifier": 39, "source-app-id": 1, "source-domain": "example.com", "#
                    + #""eligible-for-re-engagement": true"#,
                [
                    "web 4.0", "view-through 3.0", "view-through 4.0", "storekit-rendered 3.0", "storekit-rendered 4.0",
                    "adattributionkit",
                ]
            ),
        ])
    func forms(_ members: String, _ expected: [String]) throws {
        let impressions = try Self.impressions(members)
        #expect(Self.names(impressions) == expected)
        let nonces = impressions.map { one in
            switch one {
            case .skAdNetwork(let impression): impression.nonce
            case .adAttributionKit(let impression): impression.impressionIdentifier
            }
        }
        #expect(Set(nonces).count == nonces.count)
    }

    static let app = #""source-app-id": 1"#
    /// Domains not spelt as browsers spell them.
    static let strangeDomains = [
        "", "example", "a..b", ".example.com", "example.com.", "Example.com", "'example.com'", "https://example.com",
        "example.com:443", "example.com/", "a b.com", "b\u{FC}cher.example", "-a.com", "192.0.2.1",
        String(repeating: "a", count: 64) + ".com",
    ]
    static let refusals: [(String, String)] = [
        (#""version": "4.0""#, "forms: found nothing"),
        (#""forms": [], "version": "4.0""#, "forms: found nothing"),
        (#""forms": ["banner"], "version": "4.0""#, "forms: found \"banner\", expected each at most once, of storekit"),
        (#""forms": ["web", "web"], "version": "4.0""#, "forms: found \"web\", expected each at most once"),
        (
            #""forms": ["adattributionkit", "adattributionkit"], "source-identifier": 39, "source-app-id": 1"#,
            "forms: found \"adattributionkit\", expected each at most once"
        ),
        (#""forms": "web""#, "forms: found the string \"web\", expected an array"),
        (#""forms": ["storekit-rendered"]"#, "versions: found nothing, expected a list of 1.0, 2.0"),
        (#""forms": ["storekit-rendered"], "version": "1.1""#, "versions: found \"1.1\""),
        (#""forms": ["storekit-rendered"], "versions": ["4.0", "4.0"]"#, "versions: found \"4.0\", expected each at"),
        (#""forms": ["web"], "version": "4.0", "versions": ["4.0"]"#, "version: found both version and versions"),
        (#""forms": ["adattributionkit"], "version": "4.0""#, "versions: found a value, expected none"),
        (#""forms": ["view-through"], "version": "2.1", "campaign-id": 1, \#(app)"#, "forms: found view-through with"),
        (
            #""forms": ["web"], "version": "3.0", "campaign-id": 1, "source-domain": "a.com""#,
            "forms: found web with versions 3.0, expected version 4.0"
        ),
        (#""forms": ["web"], "version": "4.0", "source-identifier": 1"#, "source-domain: found nothing"),
        (
            #""forms": ["storekit-rendered"], "version": "4.0", "source-identifier": 1, \#(app), "source-domain": "a.com""#,
            "source-domain: found a value, expected none"
        ),
        (
            #""forms": ["storekit-rendered"], "version": "4.0", "source-identifier": 1, "campaign-id": 1, \#(app)"#,
            "campaign-id: found a value, expected none: it is only for versions up to 3.0"
        ),
        (
            #""forms": ["storekit-rendered"], "version": "3.0", "source-identifier": 1, "campaign-id": 1, \#(app)"#,
            "source-identifier: found a value, expected none"
        ),
        (
            #""forms": ["storekit-rendered"], "version": "1.0", "campaign-id": 1, \#(app)"#,
            "source-app-id: found a value, expected none"
        ),
        (
            #""forms": ["storekit-rendered"], "version": "3.0", "campaign-id": 1, \#(app), "eligible-for-re-engagement": 1"#,
            "eligible-for-re-engagement: found a value, expected none: it is only for the form adattributionkit"
        ),
        (#""forms": ["storekit-rendered"], "version": "4.0", \#(app)"#, "source-identifier: found nothing"),
        (#""forms": ["storekit-rendered"], "version": "3.0", \#(app), "campaign-id": 101"#, "campaign-id: found 101"),
        (#""forms": ["storekit-rendered"], "version": "3.0", "campaign-id": 1"#, "source-app-id: found nothing"),
        (
            #""forms": ["adattributionkit"], "source-identifier": 1"#,
            "source-app-id: found nothing, expected the App Store id of the app that shows the ad (0"
        ),
        (#""forms": ["adattributionkit"], \#(app)"#, "source-identifier: found nothing"),
        (#""forms": ["adattributionkit"], "source-identifier": 1, "source-app-id": -1"#, "source-app-id: found -1"),
        (#""forms": ["web"], "nonce": "a""#, "nonce: found a value, expected none: the server generates one"),
        (#""forms": ["web"], "timestamp": 1"#, "timestamp: found a value, expected none"),
        (#""forms": ["web"], "impression-identifier": null"#, "impression-identifier: found a value, expected none"),
        (#""forms": ["web"], "campaign": 1"#, "campaign: found an unknown name, expected one of forms"),
    ]

    @Test("A domain is refused unless it is spelt as browsers do", arguments: strangeDomains)
    func strangeDomain(_ domain: String) {
        let members = #""forms": ["web"], "version": "4.0", "source-identifier": 1, "source-domain": "\#(domain)""#
        let refusal = #expect(throws: SigningRefusal.self) { try Self.order(members) }
        let detail = "source-domain: found \"\(domain)\", expected a domain in lower case"
        #expect(refusal?.description.hasPrefix(detail) == true, "\(refusal as Any)")
    }

    @Test("An invalid or unused value is refused by name", arguments: refusals)
    func refused(_ members: String, _ detail: String) {
        let refusal = #expect(throws: SigningRefusal.self) { try Self.order(members) }
        #expect(refusal?.code == .badField)
        #expect(refusal?.description.hasPrefix(detail) == true, "\(refusal?.description ?? "")")
    }

    @Test(
        "Network and advertised app are required",
        arguments: [
            (#"{"forms": ["web"], "version": "4.0", "itunes-item-id": 1}"#, "ad-network-id: found nothing"),
            (#"{"forms": ["web"], "version": "4.0", "ad-network-id": "n"}"#, "itunes-item-id: found nothing"),
            (#"{"forms": ["web"], "version": "4.0", "ad-network-id": 1}"#, "ad-network-id: found the number 1"),
            (#"{"forms": ["web"], "forms": []}"#, "duplicate name \"forms\""),
            ("", "the body is empty"),
        ])
    func incomplete(_ body: String, _ detail: String) {
        let refusal = #expect(throws: SigningRefusal.self) {
            try ImpressionOrder(reading: Array(body.utf8), limit: 65536)
        }
        #expect(refusal?.description.hasPrefix(detail) == true, "\(refusal?.description ?? "")")
    }

    static let ads: [(String, Int64?, Bool)] = [
        ("1.0", nil, false), ("2.1", nil, false), ("2.2", 0, false), ("3.0", 1, false), ("4.0", 1, false),
        ("4.0", 0, false), ("4.0", 1, true),
    ]

    @Test("An order makes the same impression as the command line", arguments: ads)
    func sameAsDraft(_ version: String, _ fidelity: Int64?, _ isWeb: Bool) throws {
        let nonce = try #require(Nonce("68483ef6-0678-40df-859b-1b8f3f2d7b21"))
        let form = isWeb ? "web" : fidelity == 0 ? "view-through" : "storekit-rendered"
        let campaign = version == "4.0" ? #""source-identifier": 39"# : #""campaign-id": 42"#
        let source =
            isWeb ? #", "source-domain": "example.com""# : version == "1.0" ? "" : #", "source-app-id": 1234567891"#
        let order = try Self.order(#""forms": ["\#(form)"], "version": "\#(version)", \#(campaign)\#(source)"#)
        let draft = try SKAdNetworkImpressionTests.request(version) {
            $0.adNetworkID = "n.skadnetwork"
            $0.itunesItemID = 525_463_029
            $0.fidelityType = fidelity
            if isWeb {
                ($0.sourceAppID, $0.sourceDomain) = (nil, "example.com")
            }
        }.checked()
        #expect(try order.impressions(at: Self.time) { nonce } == [.skAdNetwork(draft)])
    }

    @Test("An order for AdAttributionKit makes the same impression as the command line")
    func sameAsAdAttributionKitDraft() throws {
        let nonce = try #require(Nonce("68483ef6-0678-40df-859b-1b8f3f2d7b21"))
        let order = try Self.order(
            #""forms": ["adattributionkit"], "source-identifier": 39, "source-app-id": 1234567891"#)
        let draft = try AdAttributionKitImpressionTests.request {
            $0.adNetworkIdentifier = "n.skadnetwork"
            $0.advertisedItemIdentifier = 525_463_029
        }.checked()
        #expect(try order.impressions(at: Self.time) { nonce } == [.adAttributionKit(draft)])
    }

    @Test(
        "An implausible time is not signed",
        arguments: [0, 1_676_057_605, 1_676_057_605_705_000] as [Int64])
    func badTime(_ time: Int64) throws {
        let order = try Self.order(#""forms": ["adattributionkit"], "source-identifier": 39, "source-app-id": 1"#)
        var generator = SystemRandomNumberGenerator()
        let refusal = #expect(throws: SigningRefusal.self) {
            try order.impressions(at: UnixMilliseconds(rawValue: time)) { Nonce(using: &generator) }
        }
        #expect(refusal?.description.hasPrefix("timestamp: found \(time)") == true)
    }
}
