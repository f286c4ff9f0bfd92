import Attribution
import StrictJSON
import Testing

@Suite("Answering bid requests")
struct BidAnswerTests {
    private static let skadn = #""skadn": {"versions": ["2.0"], "sourceapp": 7, "skadnetids": ["n.skadnetwork"]}"#
    private static let adAttributionKit =
        #""adattributionkit": {"version": "1.0", "sourceapp": 7, "skadnetids": ["n.skadnetwork"]}"#
    /// Without the networks of the source app.
    private static let refused = #""adattributionkit": {"version": "1.0", "sourceapp": 7}"#
    private static let advertise = #""advertise": {"itunesitem": 525463029, "campaign": 45, "sourceidentifier": 39}"#

    private static let signedSkadn =
        #""skadn":{"version":"2.0","network":"n.skadnetwork","campaign":"45","itunesitem":"525463029","#
        + #""sourceapp":"7","nonce":"U","timestamp":"1676057605705","signature":"c2ln"}"#
    private static let signedAdAttributionKit =
        #""adattributionkit":{"jwt":"a.b.c","version":"1.0","itunesitem":"525463029"}"#

    /// The extensions of one imp, with a fixed nonce and signature.
    private static func signed(_ members: String...) throws -> SignedExtensions {
        let body = "{\(members.joined(separator: ", "))}"
        let offers = try BidSigningRequest(reading: Array(body.utf8), limit: 4096)
            .offers(from: BidSigningRequestTests.networks())
        let nonce = try #require(Nonce("68483ef6-0678-40df-859b-1b8f3f2d7b21"))
        let time = BidSigningRequestTests.time
        return SignedExtensions(
            skadn: offers.skadn?.flatMap { offer in
                Result { () throws(BidRefusal) in
                    let impressions = try offer.impressions(at: time) { nonce }
                    return (
                        offer,
                        impressions.map {
                            SignedSKAdNetworkImpression(impression: $0, attributionSignature: "c2ln")
                        }
                    )
                }
            },
            adAttributionKit: offers.adAttributionKit?.flatMap { offer in
                Result { () throws(BidRefusal) in
                    let impression = try offer.impression(at: time, nonce: nonce)
                    return (
                        offer, SignedAdAttributionKitImpression(impression: impression, compactJWS: "a.b.c")
                    )
                }
            })
    }

    private static func text(_ answer: BidAnswer) -> String {
        JSONWriter.line { $0.object(answer.writeMembers) }.replacing("68483ef6-0678-40df-859b-1b8f3f2d7b21", with: "U")
    }

    @Test("Partial answers say so, and name each refusal once")
    func partial() throws {
        let whole = try Self.signed(Self.skadn, Self.adAttributionKit, Self.advertise)
        let half = try Self.signed(Self.skadn, Self.refused, Self.advertise)
        let none = try Self.signed(Self.refused, Self.advertise)
        let header = "adattributionkit;reason=no-common-network"
        let rows: [(BidAnswer, isPartial: Bool, isRefused: Bool, header: String?)] = [
            (.one(whole), false, false, nil), (.one(half), true, false, header), (.one(none), false, true, header),
            (.whole([("1", whole), ("2", whole)]), false, false, nil),
            (.whole([("1", whole), ("2", half), ("3", none)]), true, false, header),
            (.whole([("1", whole), ("2", none)]), true, false, header),
            (.whole([("1", none), ("2", none)]), false, true, header),
        ]
        for (index, row) in rows.enumerated() {
            #expect(row.0.isPartial == row.isPartial, "row \(index)")
            #expect((row.0.refusal != nil) == row.isRefused, "row \(index)")
            #expect(row.0.refusedExtensions == row.header, "row \(index)")
            #expect(Self.text(row.0).hasPrefix(#"{"status":"\#(row.isRefused ? "refused" : "signed")","#))
        }
    }

    @Test("What was signed is for the bid, and what was refused has its reason")
    func members() throws {
        let whole = try Self.signed(Self.skadn, Self.adAttributionKit, Self.advertise)
        let half = try Self.signed(Self.skadn, Self.refused, Self.advertise)
        let none = try Self.signed(Self.refused, Self.advertise)
        let refusal = try #require(none.refusals.first)
        let detail = JSONText.string(refusal.message).line
        let refusals =
            #""refusals":[{"extension":"adattributionkit","lossreason":216,"reason":"no-common-network","#
            + #""detail":\#(detail)}]"#
        let ofWhole =
            #""status":"signed","ext":{\#(Self.signedSkadn),\#(Self.signedAdAttributionKit)},"#
            + #""proposals":["adattributionkit"]"#
        let ofHalf = #""status":"signed","ext":{\#(Self.signedSkadn)},\#(refusals)"#
        let refused = #""status":"refused","reason":"no-common-network","detail":\#(detail)"#
        let ofNone = #"\#(refused),"lossreason":216,\#(refusals)"#
        #expect(Self.text(.one(whole)) == "{\(ofWhole)}")
        #expect(Self.text(.one(half)) == "{\(ofHalf)}")
        #expect(Self.text(.one(none)) == "{\(ofNone)}")
        #expect(
            Self.text(.whole([("1", whole), ("2", half), ("3", none)]))
                == #"{"status":"signed","bids":[{"impid":"1",\#(ofWhole)},{"impid":"2",\#(ofHalf)},"#
                + #"{"impid":"3",\#(ofNone)}]}"#)
        #expect(
            Self.text(.whole([("1", none), ("2", none)]))
                == #"{\#(refused),"bids":[{"impid":"1",\#(ofNone)},{"impid":"2",\#(ofNone)}]}"#)
    }

    @Test("What the bidder wants to show is passed on where the request supports it", arguments: [false, true])
    func passedOn(_ isSupported: Bool) throws {
        let extensions = try Self.signed(
            #""skadn": {"versions": ["4.0"], "sourceapp": 7, "skadnetids": ["n.skadnetwork"]"#
                + #", "productpage": \#(isSupported), "skoverlay": \#(isSupported)}"#,
            Self.adAttributionKit,
            #""advertise": {"itunesitem": 525463029, "sourceidentifier": 39, "skoverlay": {"delay": 2, "pos": 1}, "#
                + #""productpageid": "45812c9b-c296-43d3-c6a0-c5a02f74bf6e", "adattributionkit": "#
                + #"{"eligible-for-re-engagement": true, "reengagementurl": "https://example.com"}}"#)
        let page = #""45812c9b-c296-43d3-c6a0-c5a02f74bf6e""#
        let signature = #""nonce":"U","timestamp":"1676057605705","signature":"c2ln"}"#
        #expect(
            Self.text(.one(extensions))
                == #"{"status":"signed","ext":{"skadn":{"version":"4.0","network":"n.skadnetwork","#
                + #""sourceidentifier":"39","itunesitem":"525463029","sourceapp":"7","#
                + (isSupported ? #""productpageid":\#(page),"# : "")
                + #""fidelities":[{"fidelity":0,\#(signature),{"fidelity":1,\#(signature)]"#
                + (isSupported ? #","skoverlay":{"delay":2,"pos":1}"# : "")
                + #"},"adattributionkit":{"jwt":"a.b.c","version":"1.0","itunesitem":"525463029","cpp":\#(page),"#
                + #""reengagementurl":"https://example.com"}},"proposals":["adattributionkit"]}"#)
    }
}
