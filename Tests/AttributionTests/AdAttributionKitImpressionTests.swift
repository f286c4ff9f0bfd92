import Attribution
import StrictJSON
import Testing

@Suite("Checking and encoding AdAttributionKit impressions")
struct AdAttributionKitImpressionTests {
    typealias Change = @Sendable (inout AdAttributionKitImpressionDraft) -> Void

    static func request(_ change: Change = { _ in }) -> AdAttributionKitImpressionDraft {
        var request = AdAttributionKitImpressionDraft(
            impressionIdentifier: "68483ef6-0678-40df-859b-1b8f3f2d7b21", publisherItemIdentifier: 1_234_567_891,
            advertisedItemIdentifier: 10_738_027_756, adNetworkIdentifier: "example123.adattributionkit",
            sourceIdentifier: 39, timestampMilliseconds: 1_676_057_605_705)
        change(&request)
        return request
    }

    @Test("The JWS has Apple's fields, the source identifier as a number")
    func fields() throws {
        let impression = try Self.request().checked()
        #expect(JSONWriter.line(impression.writeHeader) == #"{"alg":"ES256","kid":"example123.adattributionkit"}"#)
        let payload =
            #"{"impression-identifier":"68483ef6-0678-40df-859b-1b8f3f2d7b21","publisher-item-identifier":1234567891,"#
            + #""impression-type":"app-impression","ad-network-identifier":"example123.adattributionkit","#
            + #""source-identifier":39,"timestamp":1676057605705,"advertised-item-identifier":10738027756"#
        #expect(JSONWriter.line(impression.writePayload) == payload + "}")
        let again = try Self.request { $0.isEligibleForReEngagement = true }.checked()
        #expect(JSONWriter.line(again.writePayload) == payload + #","eligible-for-re-engagement":true}"#)
    }

    @Test("The signing input is two parts of base64url without padding")
    func signingInput() throws {
        let input = String(decoding: try Self.request().checked().signingInput, as: UTF8.self)
        let parts = input.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        // `echo -n '{"alg":"ES256","kid":"example123.adattributionkit"}' | basenc --base64url | tr -d =`
        #expect(parts.first == "eyJhbGciOiJFUzI1NiIsImtpZCI6ImV4YW1wbGUxMjMuYWRhdHRyaWJ1dGlvbmtpdCJ9")
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
        #expect(input.allSatisfy { digits.contains($0) })
    }

    static let wrongValues: [(String, Change)] = [
        ("impression-identifier", { $0.impressionIdentifier = "68483EF6-0678-40DF-859B-1B8F3F2D7B21" }),
        ("impression-identifier", { $0.impressionIdentifier = "" }),
        ("publisher-item-identifier", { $0.publisherItemIdentifier = nil }),
        ("publisher-item-identifier", { $0.publisherItemIdentifier = -1 }),
        ("advertised-item-identifier", { $0.advertisedItemIdentifier = 0 }),
        ("ad-network-identifier", { $0.adNetworkIdentifier = "" }),
        ("ad-network-identifier", { $0.adNetworkIdentifier = "a\nb" }),
        ("source-identifier", { $0.sourceIdentifier = nil }),
        ("source-identifier", { $0.sourceIdentifier = 10_000 }),
        ("source-identifier", { $0.sourceIdentifier = -1 }),
        ("timestamp", { $0.timestampMilliseconds = 1_676_057_605 }),
    ]

    @Test("A value out of range is refused by name", arguments: wrongValues)
    func refused(_ field: String, _ change: Change) {
        let problem = #expect(throws: FieldProblem.self) { try Self.request(change).checked() }
        #expect(problem?.field == field)
    }
}
