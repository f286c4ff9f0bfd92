import Attribution
import AttributionSigning
import Testing

@Suite("Plans of what to sign")
struct SigningPlanTests {
    private static let extensions = """
        "skadn": {"versions": ["4.0"], "sourceapp": "2", "skadnetids": ["n.skadnetwork"]}, \
        "adattributionkit": {"version": "1.0", "sourceapp": "2", "skadnetids": ["n.skadnetwork"]}
        """
    private static let advertise = #""advertise": {"itunesitem": 1, "sourceidentifier": 1}"#
    /// Each with its number of impressions.
    private static let bids: [(String, Int)] = [
        ("{\(extensions), \(advertise)}", 3),
        (#"{"imp": [{"id": "1", "ext": {\#(extensions)}}, {"id": "2", "ext": {\#(extensions)}}], \#(advertise)}"#, 6),
    ]

    private static func expectAnswers(_ plan: SigningPlan, of count: Int, _ signer: NetworkSigner) throws {
        let signed = try signer.sign(plan.impressions).map { try $0.get().impression }
        #expect(signed.count == count)
        #expect(try plan.answer(signed).refusal == nil)
        for wrong in [[], Array(signed.dropLast()), Array(signed.dropFirst()), signed + signed] {
            #expect(throws: SignerError.signatureDoesNotVerify, "\(wrong.count)") { try plan.answer(wrong) }
        }
    }

    @Test("An ad is answered with all its impressions, and no others")
    func ad() throws {
        let signer = try SigningKeys().signer
        var generator = SystemRandomNumberGenerator()
        let order = try ImpressionOrder(reading: Array(SigningServiceTests.order.utf8), limit: 65_536)
        let plan = try signer.plan(order, at: UnixMilliseconds(rawValue: 1_795_262_400_000), using: &generator)
        try Self.expectAnswers(plan, of: 3, signer)
    }

    @Test("Bids are answered with all their impressions, and no others", arguments: bids)
    func bid(_ body: String, _ count: Int) throws {
        let signer = try SigningKeys().signer
        var generator = SystemRandomNumberGenerator()
        let request = try BidRequest(reading: Array(body.utf8), limit: 65_536)
        let plan = try signer.plan(request, at: UnixMilliseconds(rawValue: 1_795_262_400_000), using: &generator)
        try Self.expectAnswers(plan, of: count, signer)
    }
}
