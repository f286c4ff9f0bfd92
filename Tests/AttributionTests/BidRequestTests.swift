import Attribution
import Testing

@Suite("Reading whole bid requests")
struct BidRequestTests {
    static let skadn = #""skadn": {"versions": ["4.0"], "sourceapp": "1", "skadnetids": ["n.skadnetwork"]}"#
    static let app = #""adattributionkit": {"version": "1.0", "sourceapp": 1, "skadnetids": ["n.skadnetwork"]}"#
    static let advertise = #"{"itunesitem": "525463029", "sourceidentifier": 5239}"#

    static func read(_ body: String) throws(SigningRefusal) -> BidRequest {
        try BidRequest(reading: Array(body.utf8), limit: 65536)
    }

    /// `impid:skadn:adattributionkit` of each bid, where `+` is an offer, `-` a refusal and `.` nothing.
    static func bids(_ body: String) throws -> [String] {
        guard case .whole(let bids) = try read(body) else {
            return ["one"]
        }
        return try bids.map { bid in
            let offers = try bid.request.offers(from: BidSigningRequestTests.networks())
            func mark<Offer>(_ offer: Result<Offer, BidRefusal>?) -> String {
                switch offer {
                case .success: "+"
                case .failure: "-"
                case nil: "."
                }
            }
            return "\(bid.impID)\(mark(offers.skadn))\(mark(offers.adAttributionKit))"
        }
    }

    @Test(
        "A bid for each imp with an extension, or for each imp that the bidder names",
        arguments: [
            (#"{"imp": [{"id": "1", "ext": {\#(skadn), \#(app)}}], "advertise": \#(advertise)}"#, ["1++"]),
            (
                #"{"id": "a", "imp": [{"id": "1", "ext": {\#(skadn)}}, {"id": "2", "banner": {}}, {"id": "3", "ext": {}}, "#
                    + #"{"id": "4", "ext": {\#(app)}}], "at": 1, "advertise": \#(advertise)}"#,
                ["1+.", "4.+"]
            ),
            // Ids that are numbers are taken by their digits.
            (
                #"{"imp": [{"id": 9007199254740993, "ext": {\#(app)}}], "advertise": \#(advertise)}"#,
                ["9007199254740993.+"]
            ),
            // An ext that is no object refuses its imp alone.
            (
                #"{"imp": [{"id": "1", "ext": "x"}, {"id": "2", "ext": {\#(skadn)}}], "advertise": \#(advertise)}"#,
                ["1-.", "2+."]
            ),
            // An error of the exchange refuses one extension of one imp.
            (
                #"{"imp": [{"id": "1", "ext": {\#(app), "skadn": {"versions": ["4.0"]}}}, {"id": "2", "ext": {\#(skadn)}}], "#
                    + #""advertise": \#(advertise)}"#,
                ["1-+", "2+."]
            ),
            (
                #"{"imp": [{"id": "1", "ext": {\#(skadn)}}, {"id": "2", "ext": {\#(skadn)}}], "advertise": ["#
                    + #"{"impid": "2", "itunesitem": 1, "sourceidentifier": 1}, "#
                    + #"{"impid": "2", "itunesitem": 2, "sourceidentifier": 2}]}"#,
                ["2+.", "2+."]
            ),
            (
                #"{"imp": [{"id": "1", "ext": {\#(skadn)}}, {"id": "2", "ext": {\#(app)}}], "#
                    + #""advertise": {"impid": "2", "itunesitem": 1, "campaign": 1}}"#,
                ["2.-"]
            ),
            (#"{\#(skadn), "advertise": \#(advertise)}"#, ["one"]),
        ])
    func bids(_ body: String, _ expected: [String]) throws {
        #expect(try Self.bids(body) == expected)
    }

    @Test("Members that decide nothing are ignored, however many and however deep")
    func unknown() throws {
        let deep = String(repeating: #"{"a":["#, count: 12) + String(repeating: "]}", count: 12)
        let many = (0..<100).map { #""x\#($0)": {"y": [\#($0), null, "é"]}"# }.joined(separator: ", ")
        let body =
            #"{\#(many), "user": {"ext": \#(deep)}, "imp": [{"id": "1", "pmp": {"ext": \#(deep)}, "#
            + #""ext": {\#(Self.skadn), "other": \#(deep)}}], "advertise": \#(Self.advertise)}"#
        #expect(try Self.bids(body) == ["1+."])
        let tooDeep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        let refusal = #expect(throws: SigningRefusal.self) { try Self.read(body.replacing(deep, with: tooDeep)) }
        #expect(refusal?.description.contains("nested more than 32 levels deep") == true)
    }

    @Test("The networks of a request are those of all its bids, unless one of them leaves the choice")
    func networks() throws {
        func networks(_ first: String, _ second: String) throws -> [String] {
            let ads = [first, second].map { #"{"impid": "1", "itunesitem": 1, "sourceidentifier": 1\#($0)}"# }
            let body =
                #"{"imp": [{"id": "1", "ext": {\#(Self.skadn)}}], "advertise": [\#(ads.joined(separator: ","))]}"#
            return try Self.read(body).networks
        }
        #expect(try networks(#", "networks": ["a"]"#, #", "networks": ["b"]"#) == ["a", "b"])
        #expect(try networks(#", "networks": ["a"]"#, "") == [])
    }

    @Test(
        "The refusal of an imp says what its ext is instead of an object",
        arguments: [("[]", "an array"), (#""x""#, "the string \"x\""), ("5", "the number 5")])
    func otherExtension(_ ext: String, _ found: String) throws {
        let body =
            #"{"imp": [{"id": "1", "ext": \#(ext)}, {"id": "2", "ext": {\#(Self.skadn)}}], "advertise": \#(Self.advertise)}"#
        guard case .whole(let bids) = try Self.read(body), let bid = bids.first else {
            Issue.record("no bid on the imp")
            return
        }
        let offers = try bid.request.offers(from: BidSigningRequestTests.networks())
        guard case .failure(let refusal) = offers.skadn else {
            Issue.record("it is not refused")
            return
        }
        #expect(bid.impID == "1" && refusal.reason == .badField && offers.adAttributionKit == nil)
        #expect(refusal.message == "imp[0].ext: found \(found), expected an object")
    }

    @Test(
        "An error of the bidder, or in the list of imps, refuses the whole request by name",
        arguments: [
            (#"{"imp": {}, "advertise": \#(advertise)}"#, "imp: found an object, expected an array"),
            (#"{"imp": [1], "advertise": \#(advertise)}"#, "imp[0]: found the number 1, expected an object"),
            (#"{"imp": [], "advertise": \#(advertise)}"#, "imp[].ext: found no skadn and no adattributionkit in any"),
            (#"{"imp": null, "advertise": \#(advertise)}"#, "imp[].ext: found no skadn"),
            (#"{"imp": [{"ext": {\#(skadn)}}], "advertise": \#(advertise)}"#, "imp[0].id: found nothing"),
            (#"{"imp": [{"id": 1.5, "ext": {\#(skadn)}}]}"#, "imp[0].id: found the number 1.5"),
            (#"{"imp": [{"id": ""}]}"#, "imp[0].id: found the string \"\""),
            (#"{"imp": [{"id": "1"}, {"id": 1}]}"#, "imp[1].id: found \"1\" again"),
            (#"{"imp": [{"id": "1", "ext": {\#(skadn)}}], \#(skadn)}"#, "skadn: found a value beside imp"),
            (#"{"imp": [{"id": "1", "ext": {\#(skadn)}}]}"#, "advertise: found nothing"),
            (#"{"imp": [{"id": "1", "ext": {\#(skadn)}}], "advertise": []}"#, "advertise: found nothing"),
            (#"{"imp": [{"id": "1", "ext": {\#(skadn)}}], "advertise": [1]}"#, "advertise[0]: found the number 1"),
            (
                #"{"imp": [{"id": "1", "ext": {\#(skadn)}}], "advertise": [\#(advertise)]}"#,
                "advertise[0].impid: found nothing"
            ),
            (
                #"{"imp": [{"id": "1", "ext": {\#(skadn)}}, {"id": "2"}], "advertise": {"impid": "2"}}"#,
                "advertise.impid: found \"2\", expected the id of an imp whose ext has"
            ),
            (
                #"{"imp": [{"id": "1", "ext": {\#(skadn)}}], "advertise": [{"impid": "1", "itunesitem": 0}]}"#,
                "advertise[0].itunesitem: found 0"
            ),
            (
                #"{"imp": [{"id": "1", "ext": {\#(skadn)}}], "advertise": [{"impid": 1, "itunesitem": 1, "x": 1}]}"#,
                "advertise[0].x: found an unknown name, expected one of impid, itunesitem"
            ),
        ])
    func refused(_ body: String, _ detail: String) {
        let refusal = #expect(throws: SigningRefusal.self) { try Self.read(body) }
        #expect(refusal?.code == .badField)
        #expect(refusal?.description.hasPrefix(detail) == true, "\(refusal?.description ?? "")")
    }

    @Test("The number of bids is limited")
    func limit() throws {
        func body(_ count: Int) -> String {
            let imps = (0..<count).map { #"{"id": "\#($0)", "ext": {\#(Self.app)}}"# }.joined(separator: ", ")
            return #"{"imp": [\#(imps)], "advertise": \#(Self.advertise)}"#
        }
        #expect(try Self.bids(body(64)).count == 64)
        let refusal = #expect(throws: SigningRefusal.self) { try Self.read(body(65)) }
        #expect(refusal?.description == "imp: found 65 bids to sign, expected at most 64 in a request")
    }

    @Test("A network without a key is named by the advertisement that asks for it")
    func networkWithoutKey() throws {
        let body =
            #"{"imp": [{"id": "1", "ext": {\#(Self.skadn)}}], "advertise": [{"impid": "1", "itunesitem": 1, "#
            + #""sourceidentifier": 1, "networks": ["x"]}]}"#
        let refusal = #expect(throws: SigningRefusal.self) { try Self.bids(body) }
        #expect(refusal?.description.hasPrefix("advertise[0].networks: found \"x\"") == true)
    }
}
