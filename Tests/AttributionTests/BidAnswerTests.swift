import Attribution
import StrictJSON
import Testing

@Suite("Answering bid requests")
struct BidAnswerTests {
    static let signed = Result<JSONText, BidRefusal>.success(.object([("a", .integer(1))]))

    /// What a request without networks is refused with.
    static func refusal() throws -> BidRefusal {
        let body =
            #"{"adattributionkit": {"version": "1.0", "sourceapp": 1}, "#
            + #""advertise": {"itunesitem": 1, "sourceidentifier": 1}}"#
        let offers = try BidSigningRequest(reading: Array(body.utf8), limit: 4096).offers(from: [])
        return try #require(#expect(throws: BidRefusal.self) { try offers.adAttributionKit?.get() })
    }

    @Test("Partial answers say so, and name each refusal once")
    func partial() throws {
        let refusal = try Self.refusal()
        let whole = SignedExtensions(skadn: Self.signed, adAttributionKit: Self.signed)
        let half = SignedExtensions(skadn: Self.signed, adAttributionKit: .failure(refusal))
        let none = SignedExtensions(skadn: nil, adAttributionKit: .failure(refusal))
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
            #expect(row.0.json.line.hasPrefix(#"{"status":"\#(row.isRefused ? "refused" : "signed")","#))
        }
        let reason = #""extension":"adattributionkit","lossreason":216,"reason":"no-common-network""#
        let text = BidAnswer.whole([("1", whole), ("2", none)]).json.line
        #expect(
            text.hasPrefix(
                #"{"status":"signed","bids":[{"impid":"1","status":"signed","ext":{"skadn":{"a":1},"#
                    + #""adattributionkit":{"a":1}},"proposals":["adattributionkit"]},"#
                    + #"{"impid":"2","status":"refused","reason":"no-common-network","#), "\(text)")
        #expect(text.contains(reason))
    }
}
