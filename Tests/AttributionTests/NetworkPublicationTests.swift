import Attribution
import Foundation
import StrictJSON
import Testing

@Suite("What a network publishes")
struct NetworkPublicationTests {
    static let nasty = "Ads & <Sons> \"Ä\" ]]> \\ 'x'"

    private static func publication(
        name: String = nasty, address: String? = "1 Main St\\Suite \"2\"",
        ids: [String] = ["abc123.skadnetwork", "f2d92a.adattributionkit", "0z.skadnetwork"],
        rules: AppAttributionRules = AppAttributionRules(), overlapsConversions: Bool = false
    ) throws -> NetworkPublication {
        try NetworkPublication(
            companyName: name,
            companyAddress: address,
            companyDomain: DomainName("ads.example.com", field: "company domain"),
            entries: ids.enumerated().map { index, id in
                NetworkPublication.Entry(
                    id: try RegisteredNetworkID(id),
                    creationDate: index == 0 ? Date(timeIntervalSince1970: 1_598_000_000) : nil)
            },
            copyDomain: DomainName("copies.example.com", field: "copy domain"), rules: rules,
            overlapsConversions: overlapsConversions
        )
    }

    private static func propertyList(_ text: PropertyListText?) throws -> NSDictionary {
        let data = Data(try #require(text).document.utf8)
        return try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? NSDictionary)
    }

    @Test("The JSON list round-trips, with the names of the IAB Tech Lab")
    func json() throws {
        let text = try #require(try Self.publication().listJSON).pretty
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
        let expected: NSDictionary = [
            "company_name": Self.nasty,
            "company_address": "1 Main St\\Suite \"2\"",
            "company_domain": "ads.example.com",
            "skadnetwork_ids": [
                [
                    "entity_name": Self.nasty, "entity_domain": "ads.example.com",
                    "skadnetwork_id": "abc123.skadnetwork", "creation_date": "2020-08-21T08:53:20Z",
                ],
                [
                    "entity_name": Self.nasty, "entity_domain": "ads.example.com",
                    "skadnetwork_id": "0z.skadnetwork",
                ],
            ],
        ]
        #expect(json == expected)
        #expect(try Self.publication(address: nil).listJSON?.line.contains("company_address") == false)
    }

    @Test("The property lists round-trip")
    func propertyLists() throws {
        let publication = try Self.publication()
        let items = [["SKAdNetworkIdentifier": "abc123.skadnetwork"], ["SKAdNetworkIdentifier": "0z.skadnetwork"]]
        #expect(try Self.propertyList(publication.listXML) == ["SKAdNetworkItems": items])
        #expect(
            try Self.propertyList(publication.sourceApp) == [
                "SKAdNetworkItems": items,
                "AdNetworkIdentifiers": ["abc123.skadnetwork", "f2d92a.adattributionkit", "0z.skadnetwork"],
            ])
        let endpoint = "https://copies.example.com"
        #expect(
            try Self.propertyList(publication.advertisedApp) == [
                "NSAdvertisingAttributionReportEndpoint": endpoint, "AttributionCopyEndpoint": endpoint,
                "AdAttributionKit": ["AttributionCopyEndpoint": endpoint],
                "EligibleForAdAttributionKitReengagementPostbackCopies": true,
            ])
    }

    @Test("Rules of attribution and overlapping conversions are written as Apple names them")
    func rules() throws {
        var rules = AppAttributionRules()
        rules.windows["f2d92a.adattributionkit"] = .init(days: [.click: 7], ignored: .view)
        rules.windows["global"] = .init(days: [.click: 14, .view: 3])
        rules.windows["abc123.skadnetwork"] = .init()
        rules.reengagementCooldownHours = 48
        // 0 is written where it was chosen.
        rules.installCooldownHours = 0
        let list = try Self.propertyList(
            try Self.publication(rules: rules, overlapsConversions: true).advertisedApp)
        #expect(list["EligibleForAdAttributionKitOverlappingConversions"] as? Bool == true)
        let expected: NSDictionary = [
            "AttributionWindows": [
                "f2d92a.adattributionkit": ["install": ["click": 7, "ignoreInteractionType": "view"] as [String: Any]],
                "global": ["install": ["click": 14, "view": 3]],
            ],
            "AttributionCooldown": ["install-cooldown-hours": 0, "re-engagement-cooldown-hours": 48],
        ]
        let written = list["AdAttributionKitConfigurations"] as? [String: Any]
        #expect(written.map { NSDictionary(dictionary: $0) } == expected)
    }

    @Test("Without an SKAdNetwork id there is no list")
    func newFrameworkOnly() throws {
        let publication = try Self.publication(ids: ["f2d92a.adattributionkit"])
        #expect(publication.listJSON == nil)
        #expect(publication.listXML == nil)
        #expect(
            try Self.propertyList(publication.sourceApp) == ["AdNetworkIdentifiers": ["f2d92a.adattributionkit"]])
    }

    @Test(
        "Any text survives the property list",
        arguments: [
            nasty, "a\tb\nc\r\nd\re", "  x  ", "]]>", "&amp;", "<![CDATA[x]]>", "\u{1F600}\u{2028}", "\u{7F}", "",
        ])
    func escaping(_ text: String) throws {
        let list = PropertyListText.dictionary([.init(text + "k", .string(text))])
        #expect(try Self.propertyList(list) == [text + "k": text])
    }

    @Test("Characters that XML does not allow are replaced", arguments: ["\u{0}", "\u{1B}", "\u{FFFE}", "\u{FFFF}"])
    func unencodable(_ text: String) throws {
        let list = PropertyListText.dictionary(["k": .string("a\(text)b")])
        #expect(try Self.propertyList(list) == ["k": "a\u{FFFD}b"])
    }

    @Test(
        "Ids that Apple would not register are refused",
        arguments: [
            "", "abc123", ".skadnetwork", "Abc123.skadnetwork", "abc123.SKAdNetwork", "abc123.skadnetwork ",
            "abc.123.skadnetwork", "abc-123.skadnetwork", "äbc.skadnetwork", "abc123.skadnetwork.",
            "abc123.adnetwork", "<a>.skadnetwork", String(repeating: "a", count: 65) + ".skadnetwork",
        ])
    func badIDs(_ text: String) {
        let problem = #expect(throws: FieldProblem.self) { try RegisteredNetworkID(text) }
        #expect(problem?.field == "id")
    }

    @Test(
        "Anything but a domain is refused",
        arguments: [
            "", "example", "Example.com", "https://example.com", "example.com/", "example.com:443", "example..com",
            ".example.com", "example.com.", "-a.com", "a-.com", "xn--.com", "a_b.com", "192.0.2.1", "a.123",
            "exämple.com", "a b.com",
            String(repeating: "a", count: 64) + ".com",
            Array(repeating: "abcdefgh", count: 32).joined(separator: "."),
        ])
    func badDomains(_ text: String) {
        let problem = #expect(throws: FieldProblem.self) { try DomainName(text, field: "company domain") }
        #expect(problem?.field == "company domain")
        // Whatever of it was broken, the rule says so.
        for part in [
            "253 bytes", "two or more labels", "63 of a-z, 0-9", "not at either end, hyphens",
            "the last label with a letter", "xn-- form", "no address, scheme, port or path",
        ] {
            #expect(problem?.expected.contains(part) == true)
        }
    }

    @Test("Domains are accepted", arguments: ["example.com", "a.b.c.example", "xn--bcher-kva.example", "3com.com"])
    func domains(_ text: String) throws {
        #expect(try DomainName(text, field: "f").text == text)
    }

    @Test("Invalid texts and lists are refused")
    func badPublications() {
        for name in ["", " ", "a\nb", String(repeating: "a", count: 201)] {
            #expect(throws: FieldProblem.self) { try Self.publication(name: name) }
            #expect(throws: FieldProblem.self) { try Self.publication(address: name) }
        }
        #expect(throws: FieldProblem.self) { try Self.publication(ids: []) }
        #expect(throws: FieldProblem.self) { try Self.publication(ids: ["a.skadnetwork", "a.skadnetwork"]) }
    }
}
