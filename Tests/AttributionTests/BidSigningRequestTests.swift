import Attribution
import Testing

@Suite("Choosing the answer to a bid request")
struct BidSigningRequestTests {
    /// Two networks: the first signs everything and has a number in the registry, the second is of 2020.
    static func networks() throws -> [BiddingNetwork] {
        [
            BiddingNetwork(
                adNetworkID: try #require(AdNetworkID("n.skadnetwork")), registryID: 306,
                versions: SKAdNetworkVersion.allCases, signsForAdAttributionKit: true),
            BiddingNetwork(
                adNetworkID: try #require(AdNetworkID("old.skadnetwork")), registryID: nil, versions: [.v1_0, .v2_0],
                signsForAdAttributionKit: false),
        ]
    }

    static let time = UnixMilliseconds(rawValue: 1_676_057_605_705)
    static let both = #""itunesitem": "525463029", "campaign": 45, "sourceidentifier": "5239""#
    static let listed = #""skadnetids": ["n.skadnetwork"]"#

    /// What is chosen for a `skadn` object: `version|id|fidelities`, or the code of the refusal.
    static func choice(_ skadn: String, advertise: String = both) throws -> String {
        let body = #"{"skadn": {\#(skadn)}, "advertise": {\#(advertise)}}"#
        let request = try BidSigningRequest(reading: Array(body.utf8), limit: 65536)
        let offers = try request.offers(from: networks())
        var generator = SystemRandomNumberGenerator()
        do throws(BidRefusal) {
            guard let offer = try offers.skadn?.get() else {
                return "absent"
            }
            let impressions = try offer.impressions(at: Self.time) {
                Nonce(using: &generator)
            }
            #expect(Set(impressions.map(\.nonce)).count == impressions.count)
            let fidelities = impressions.map { $0.fidelityType.map { String($0.rawValue) } ?? "-" }
            return
                "\(impressions[0].version.rawValue)|\(impressions[0].adNetworkID)|\(fidelities.joined(separator: ","))"
        } catch {
            #expect(error.extension.lossReason == 214)
            return error.reason.rawValue
        }
    }

    @Test(
        "The latest version of request, keys and advertisement",
        arguments: [
            (#""versions": ["2.0","2.1","2.2","3.0","4.0"]"#, both, "4.0|n.skadnetwork|0,1"),
            (#""versions": ["4.0","2.0"]"#, both, "4.0|n.skadnetwork|0,1"),
            (#""versions": ["3.0","2.2"]"#, both, "3.0|n.skadnetwork|0,1"),
            (#""versions": ["2.2"]"#, both, "2.2|n.skadnetwork|0,1"),
            (#""versions": ["2.1"]"#, both, "2.1|n.skadnetwork|-"),
            (#""versions": [2.0, 3]"#, both, "3.0|n.skadnetwork|0,1"),
            (#""versions": [], "version": "2.0""#, both, "2.0|n.skadnetwork|-"),
            (#""versions": ["2", "3"]"#, both, "3.0|n.skadnetwork|0,1"),
            (#""versions": "4""#, both, "4.0|n.skadnetwork|0,1"),
            (#""versions": 2.2"#, both, "2.2|n.skadnetwork|0,1"),
            (#""versions": "2.0, 2.1,2.2""#, both, "2.2|n.skadnetwork|0,1"),
            (#""versions": ["2.0,3.0", 2.1]"#, both, "3.0|n.skadnetwork|0,1"),
            (#""version": ["2.0", "4.0"]"#, both, "4.0|n.skadnetwork|0,1"),
            (#""version": 3"#, both, "3.0|n.skadnetwork|0,1"),
            (#""version": "2.0,2.2""#, both, "2.2|n.skadnetwork|0,1"),
            (#""versions": "2.0 2.2""#, both, "2.2|n.skadnetwork|0,1"),
            (#""versions": "44""#, both, "no-common-version"),
            (#""versions": ",", "version": " , ""#, both, "bad-field"),
            (#""version": "2.2""#, both, "2.2|n.skadnetwork|0,1"),
            (#""versions": ["2.2"], "version": "4.0""#, both, "2.2|n.skadnetwork|0,1"),
            (#""versions": ["4.0","3.0","5.0"]"#, #""itunesitem": 1, "campaign": "45""#, "3.0|n.skadnetwork|0,1"),
            (#""versions": ["4.0","3.0"]"#, #""itunesitem": 1, "sourceidentifier": 0"#, "4.0|n.skadnetwork|0,1"),
            (#""versions": ["4.0"]"#, both + #", "fidelities": [1]"#, "4.0|n.skadnetwork|1"),
            (#""versions": ["4.0"]"#, both + #", "fidelities": ["1", 0]"#, "4.0|n.skadnetwork|1,0"),
            (#""versions": ["2.1","2.2"]"#, both + #", "fidelities": [0]"#, "2.2|n.skadnetwork|0"),
            (#""versions": ["2.1"]"#, both + #", "fidelities": [0]"#, "no-common-version"),
            (#""versions": ["5.0"]"#, both, "no-common-version"),
            (#""versions": ["1.0"]"#, both, "no-common-version"),
            (#""versions": ["3.0"]"#, #""itunesitem": 1, "sourceidentifier": 0"#, "no-common-version"),
            (#""versions": ["4.0"]"#, #""itunesitem": 1, "campaign": 1"#, "no-common-version"),
        ])
    func version(_ versions: String, _ advertise: String, _ expected: String) throws {
        #expect(try Self.choice(#"\#(versions), "sourceapp": "1", \#(Self.listed)"#, advertise: advertise) == expected)
    }

    @Test(
        "A source app that the extension lacks is that of the request, and the answer says so",
        arguments: [
            (#""sourceapp": 7"#, #""bundle": "8""#, "7 -"), ("", #""bundle": "880047117""#, "880047117 app.bundle"),
            ("", #""bundle": 880047117"#, "880047117 app.bundle"),
            (#""sourceapp": null"#, #""bundle": "8", "storeurl": "https://apps.apple.com/app/id8""#, "8 app.bundle"),
            (
                "", #""bundle": "com.example", "storeurl": "https://apps.apple.com/us/app/a-b/id525463029?mt=8""#,
                "525463029 app.storeurl"
            ),
            ("", #""storeurl": "http://itunes.apple.com/app/id9""#, "9 app.storeurl"),
            ("", #""storeurl": "https://example.com/app/id9""#, "bad-field"),
            ("", #""storeurl": "https://play.google.com/store/apps/details?id=9""#, "bad-field"),
            ("", #""bundle": "8", "storeurl": "https://apps.apple.com/app/id9""#, "bad-field"),
            ("", #""bundle": "com.example""#, "bad-field"), ("", #""bundle": "0""#, "bad-field"),
            ("", #""bundle": ["8"]"#, "bad-field"), ("", "", "bad-field"),
            (#""sourceapp": """#, #""bundle": "8""#, "8 app.bundle"), (#""sourceapp": """#, "", "bad-field"),
            ("", #""storeurl": "https://apps.apple.com/us/developer/x/id1234567891""#, "bad-field"),
            ("", #""storeurl": "https://apps.apple.com/us/app-bundle/x/id1234567891""#, "bad-field"),
        ])
    func sourceApp(_ member: String, _ app: String, _ expected: String) throws {
        let members = [#""versions": ["4.0"]"#, Self.listed, member].filter { !$0.isEmpty }.joined(separator: ", ")
        for body in [
            #"{"skadn": {\#(members)}, "app": {\#(app)}, "advertise": {\#(Self.both)}}"#,
            #"{"imp": [{"id": "1", "ext": {"skadn": {\#(members)}}}], "app": {\#(app)}, "advertise": {\#(Self.both)}}"#,
        ] {
            let request: BidSigningRequest
            switch try BidRequest(reading: Array(body.utf8), limit: 65536) {
            case .one(let one): request = one
            case .whole(let bids): request = try #require(bids.first).request
            }
            var generator = SystemRandomNumberGenerator()
            let offers = try request.offers(from: Self.networks())
            do throws(BidRefusal) {
                let offer = try offers.skadn?.get()
                let signed = try offer?.impressions(at: Self.time) { Nonce(using: &generator) }.first
                guard case .app(let id)? = signed?.source else {
                    Issue.record("no source app: \(body)")
                    return
                }
                #expect("\(id) \(offer?.sourceAppMember ?? "-")" == expected)
            } catch {
                #expect(error.reason.rawValue == expected)
            }
        }
    }

    @Test(
        "The network is signed as the source app's list spells it, by name or by number",
        arguments: [
            (#""skadnetids": ["x.skadnetwork", "N.SKAdNetwork"]"#, "4.0|N.SKAdNetwork|0,1"),
            (#""skadnetlist": {"addl": ["N.skadnetwork"]}"#, "4.0|N.skadnetwork|0,1"),
            (#""skadnetlist": {"max": 306, "excl": [1, 305, 307]}"#, "4.0|n.skadnetwork|0,1"),
            (#""skadnetlist": {"max": "306", "excl": ["305"]}"#, "4.0|n.skadnetwork|0,1"),
            (#""skadnetlist": {"max": 400}, "skadnetids": ["N.skadnetwork"]"#, "4.0|N.skadnetwork|0,1"),
            (#""skadnetlist": {"max": 400, "excl": [306]}, "skadnetids": ["n.skadnetwork"]"#, "4.0|n.skadnetwork|0,1"),
            (#""skadnetids": ["old.skadnetwork"]"#, "2.0|old.skadnetwork|-"),
            (#""skadnetids": ["old.skadnetwork", "n.skadnetwork"]"#, "4.0|n.skadnetwork|0,1"),
            (#""skadnetlist": {"max": 305}"#, "no-common-network"),
            (#""skadnetlist": {"max": 400, "excl": [306]}"#, "no-common-network"),
            (#""skadnetids": ["x.skadnetwork", "", "n.skadnetwor"]"#, "no-common-network"),
            (#""skadnetids": [], "skadnetlist": null"#, "no-common-network"),
            (#""productpage": 1"#, "no-common-network"),
        ])
    func network(_ lists: String, _ expected: String) throws {
        #expect(try Self.choice(#""versions": ["2.0", "4.0"], "sourceapp": 880047117, \#(lists)"#) == expected)
    }

    @Test(
        "A list without the network is shown by its numbers, and those left out by theirs while they are few",
        arguments: [
            (#""max": 305"#, "numbers 1 to 305 of the registry"),
            (#""max": 400, "excl": [306]"#, "numbers 1 to 400 of the registry except 306"),
            (#""max": 400, "excl": [306, 2, 10]"#, "numbers 1 to 400 of the registry except 2, 10, 306"),
            (
                #""max": 400, "excl": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 306]"#,
                "numbers 1 to 400 of the registry except 12 others"
            ),
        ])
    func numbers(_ list: String, _ found: String) throws {
        let skadn = #""versions": ["4.0"], "sourceapp": 880047117, "skadnetlist": {\#(list)}"#
        let body = #"{"skadn": {\#(skadn)}, "advertise": {\#(Self.both)}}"#
        let offers = try BidSigningRequest(reading: Array(body.utf8), limit: 65536).offers(from: Self.networks())
        let refusal = #expect(throws: BidRefusal.self) { try offers.skadn?.get() }
        #expect(refusal?.message.contains("found \(found), expected") == true, "\(refusal?.message ?? "")")
    }

    @Test("The bidder's choice of networks takes precedence, in its order")
    func preference() throws {
        let skadn = #""versions": ["2.0"], "sourceapp": 1, "skadnetids": ["n.skadnetwork", "old.skadnetwork"]"#
        let names = { (list: String) in Self.both + #", "networks": [\#(list)]"# }
        #expect(try Self.choice(skadn) == "2.0|n.skadnetwork|-")
        #expect(try Self.choice(skadn, advertise: names(#""old.skadnetwork""#)) == "2.0|old.skadnetwork|-")
        #expect(
            try Self.choice(skadn, advertise: names(#""old.skadnetwork", "n.skadnetwork""#)) == "2.0|old.skadnetwork|-")
        #expect(throws: SigningRefusal.self) { try Self.choice(skadn, advertise: names(#""x.skadnetwork""#)) }
    }

    @Test(
        "An error of the exchange refuses only its own extension, by name",
        arguments: [
            (#""versions": ["4.0"], "skadnetids": ["n.skadnetwork"]"#, "skadn.sourceapp: found nothing"),
            (#""sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#, "skadn.versions: found nothing"),
            (#""sourceapp": "com.app", "versions": ["4.0"]"#, "skadn.sourceapp: found the string \"com.app\""),
            (#""sourceapp": -1, "versions": ["4.0"], "skadnetids": ["n.skadnetwork"]"#, "skadn.sourceapp: found -1"),
            (#""sourceapp": 1, "versions": {}"#, "skadn.versions: found an object, expected a version"),
            (#""sourceapp": 1, "versions": [{}]"#, "skadn.versions: found an object"),
            (#""sourceapp": 1, "versions": ["4.0"], "skadnetids": "n""#, "skadn.skadnetids: found the string"),
            (#""sourceapp": 1, "versions": ["4.0"], "skadnetids": [1]"#, "skadn.skadnetids: found the number 1"),
            (#""sourceapp": 1, "versions": ["4.0"], "skadnetlist": []"#, "skadn.skadnetlist: found an array"),
            (
                #""sourceapp": 1, "versions": ["4.0"], "skadnetlist": {"max": 1.5}"#,
                "skadn.skadnetlist.max: found the number 1.5"
            ),
            (
                #""sourceapp": 1, "versions": ["4.0"], "skadnetlist": {"max": 1, "excl": ["a"]}"#,
                "skadn.skadnetlist.excl: found the string \"a\""
            ),
            (#""sourceapp": 1, "versions": ["4.0"], "productpage": 2"#, "skadn.productpage: found the number 2"),
        ])
    func faults(_ skadn: String, _ detail: String) throws {
        let app = #"{"version": "1.0", "sourceapp": "1", "skadnetids": ["n.skadnetwork"]}"#
        let body = #"{"skadn": {\#(skadn)}, "adattributionkit": \#(app), "advertise": {\#(Self.both)}}"#
        let offers = try BidSigningRequest(reading: Array(body.utf8), limit: 65536).offers(from: Self.networks())
        let refusal = #expect(throws: BidRefusal.self) {
            try offers.skadn?.get().impressions(at: Self.time) {
                var generator = SystemRandomNumberGenerator()
                return Nonce(using: &generator)
            }
        }
        #expect(refusal?.reason == .badField)
        #expect(refusal?.message.hasPrefix(detail) == true, "\(refusal?.message ?? "")")
        #expect(throws: Never.self) { try offers.adAttributionKit?.get() }
    }

    @Test(
        "A bid makes the impressions that the command line makes of the same values", arguments: ["2.0", "3.0", "4.0"])
    func sameAsDraft(_ version: String) throws {
        let nonce = try #require(Nonce("68483ef6-0678-40df-859b-1b8f3f2d7b21"))
        let body = """
            {"skadn": {"versions": ["\(version)"], "sourceapp": "1234567891", "skadnetids": ["N.skadnetwork"]},
             "adattributionkit": {"version": ["1.0"], "sourceapp": 1234567891, "skadnetids": ["N.skadnetwork"]},
             "advertise": {"itunesitem": "525463029", "campaign": 42, "sourceidentifier": "39"}}
            """
        let offers = try BidSigningRequest(reading: Array(body.utf8), limit: 65536).offers(from: Self.networks())
        let fidelities: [Int64?] = version == "2.0" ? [nil] : [0, 1]
        let drafts = try fidelities.map { fidelity in
            try SKAdNetworkImpressionTests.request(version) {
                ($0.adNetworkID, $0.itunesItemID, $0.fidelityType) = ("N.skadnetwork", 525_463_029, fidelity)
            }.checked()
        }
        #expect(try offers.skadn?.get().impressions(at: Self.time) { nonce } == drafts)
        let draft = try AdAttributionKitImpressionTests.request {
            ($0.adNetworkIdentifier, $0.advertisedItemIdentifier) = ("N.skadnetwork", 525_463_029)
        }.checked()
        #expect(try offers.adAttributionKit?.get().impression(at: Self.time, nonce: nonce) == draft)
    }

    @Test("An implausible time is refused")
    func badTime() throws {
        let body = """
            {"skadn": {"versions": ["4.0"], "sourceapp": 1, \(Self.listed)},
             "adattributionkit": {"version": "1.0", "sourceapp": 1, \(Self.listed)}, "advertise": {\(Self.both)}}
            """
        let offers = try BidSigningRequest(reading: Array(body.utf8), limit: 65536).offers(from: Self.networks())
        var generator = SystemRandomNumberGenerator()
        let nonce = Nonce(using: &generator)
        let time = UnixMilliseconds(rawValue: 1_676_057_605)
        for refusal in [
            #expect(throws: BidRefusal.self) { try offers.skadn?.get().impressions(at: time) { nonce } },
            #expect(throws: BidRefusal.self) { try offers.adAttributionKit?.get().impression(at: time, nonce: nonce) },
        ] {
            #expect(refusal?.message.hasPrefix("timestamp: found 1676057605, expected Unix time") == true)
        }
    }

    @Test(
        "AdAttributionKit requires its version, a listed network with a P-256 key and a source identifier",
        arguments: [
            (#""version": "1.0", "sourceapp": "1", "skadnetids": ["n.skadnetwork"]"#, both, nil),
            (#""versions": ["1.0"], "sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#, both, nil),
            (#""version": ["1.0"], "sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#, both, nil),
            (#""version": ["2.0", "1.0"], "sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#, both, nil),
            (#""version": [], "sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#, both, "no-common-version"),
            (#""version": "2.0", "sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#, both, "no-common-version"),
            (#""sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#, both, "no-common-version"),
            (#""version": "1.0", "sourceapp": 1, "skadnetids": ["old.skadnetwork"]"#, both, "no-common-network"),
            (#""version": "1.0", "sourceapp": 1"#, both, "no-common-network"),
            (#""version": "1.0", "skadnetids": ["n.skadnetwork"]"#, both, "bad-field"),
            (
                #""version": "1.0", "sourceapp": 1, "skadnetids": ["n.skadnetwork"]"#,
                #""itunesitem": 1, "campaign": 1"#, "bad-field"
            ),
        ] as [(String, String, String?)])
    func adAttributionKit(_ object: String, _ advertise: String, _ reason: String?) throws {
        let body = #"{"adattributionkit": {\#(object)}, "advertise": {\#(advertise)}}"#
        let offers = try BidSigningRequest(reading: Array(body.utf8), limit: 65536).offers(from: Self.networks())
        switch try #require(offers.adAttributionKit) {
        case .success: #expect(reason == nil)
        case .failure(let refusal):
            #expect(refusal.reason.rawValue == reason)
            #expect(refusal.extension.lossReason == 216)
        }
    }

    @Test(
        "An error of the bidder refuses the whole request by name",
        arguments: [
            ("", "not-json", "the body is empty"),
            ("[]", "not-json", "byte 0 does not begin a JSON object"),
            (#"{"advertise": {"itunesitem": 1}}"#, "bad-field", "skadn: found nothing, and no adattributionkit"),
            (#"{"skadn": {}}"#, "bad-field", "advertise: found nothing"),
            (#"{"skadn": {}, "advertise": 1}"#, "bad-field", "advertise: found the number 1"),
            (#"{"skadn": {}, "advertise": {"campaign": 1}}"#, "bad-field", "advertise.itunesitem: found nothing"),
            (#"{"skadn": {}, "advertise": {"itunesitem": 0}}"#, "bad-field", "advertise.itunesitem: found 0"),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1}}"#, "bad-field",
                "advertise.sourceidentifier: found nothing"
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "campaign": 101}}"#, "bad-field",
                "advertise.campaign: found 101, expected a whole number from 1 to 100"
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "sourceidentifier": "10000"}}"#, "bad-field",
                "advertise.sourceidentifier: found 10000, expected a whole number from 0 to 9999"
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "source-identifier": 1}}"#, "bad-field",
                "advertise.source-identifier: found an unknown name, expected one of itunesitem"
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "campaign": 1, "fidelities": [2]}}"#, "bad-field",
                "advertise.fidelities: found 2"
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "campaign": 1, "fidelities": [1, 1]}}"#, "bad-field",
                "advertise.fidelities: found 1, 1"
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "campaign": 1, "productpageid": "x"}}"#, "bad-field",
                "advertise.productpageid: found \"x\""
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "campaign": 1, "productpageid": "１２34-5678-1234-1234-123456789012"}}"#,
                "bad-field", "advertise.productpageid: found"
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "campaign": 1, "skoverlay": {"pos": "low"}}}"#,
                "bad-field", "advertise.skoverlay.pos: found the string \"low\""
            ),
            (
                #"{"skadn": {}, "advertise": {"itunesitem": 1, "campaign": 1, "adattributionkit": {"reengagementurl": "u"}}}"#,
                "bad-field", "advertise.adattributionkit.reengagementurl: found a URL without"
            ),
        ])
    func refused(_ body: String, _ reason: String, _ detail: String) {
        let refusal = #expect(throws: SigningRefusal.self) {
            try BidSigningRequest(reading: Array(body.utf8), limit: 65536)
        }
        #expect(refusal?.code.rawValue == reason)
        #expect(refusal?.description.hasPrefix(detail) == true, "\(refusal?.description ?? "")")
    }
}
