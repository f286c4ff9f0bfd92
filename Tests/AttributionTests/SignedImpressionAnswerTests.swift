import Attribution
import StrictJSON
import Testing

@Suite("Answering with signed impressions")
struct SignedImpressionAnswerTests {
    /// The text with the values of the tests and StoreKit's prefix replaced by letters.
    private static func short(_ text: String) -> String {
        text.replacing("Example123.SKAdNetwork", with: "N").replacing("example123.adattributionkit", with: "N")
            .replacing("10738027756", with: "A").replacing("68483ef6-0678-40df-859b-1b8f3f2d7b21", with: "U")
            .replacing("1234567891", with: "S").replacing("1676057605705", with: "T")
            .replacing("SKStoreProductParameter", with: "P-")
    }

    private static func text(_ signed: SignedImpression) -> String {
        short(JSONWriter.line(signed.writeAnswer))
    }

    @Test(
        "The values and the parameters of each form and version are written in the documented order",
        arguments: [
            (
                "1.0", nil, nil,
                #"{"form":"storekit-rendered","version":"1.0","impression":{"version":"1.0","ad-network-id":"N","#
                    + #""campaign-id":42,"itunes-item-id":A,"nonce":"U","timestamp":T,"attribution-signature":"c2ln"},"#
                    + #""store-kit-product-parameters":{"P-ITunesItemIdentifier":A,"P-AdNetworkIdentifier":"N","#
                    + #""P-AdNetworkCampaignIdentifier":42,"P-AdNetworkNonce":"U","P-AdNetworkTimestamp":T,"#
                    + #""P-AdNetworkAttributionSignature":"c2ln"}}"#
            ),
            ("2.0", nil, nil, Self.storeKit("2.0", #""campaign-id":42"#, #""P-AdNetworkCampaignIdentifier":42"#)),
            ("2.1", nil, nil, Self.storeKit("2.1", #""campaign-id":42"#, #""P-AdNetworkCampaignIdentifier":42"#)),
            (
                "2.2", 1, nil,
                Self.storeKit("2.2", #""campaign-id":42"#, #""P-AdNetworkCampaignIdentifier":42"#, fidelity: true)
            ),
            ("2.2", 0, nil, Self.viewThrough("2.2", #""campaign-id":42"#, #""adCampaignIdentifier":42"#)),
            (
                "3.0", 1, nil,
                Self.storeKit("3.0", #""campaign-id":42"#, #""P-AdNetworkCampaignIdentifier":42"#, fidelity: true)
            ),
            ("3.0", 0, nil, Self.viewThrough("3.0", #""campaign-id":42"#, #""adCampaignIdentifier":42"#)),
            (
                "4.0", 1, nil,
                Self.storeKit("4.0", #""source-identifier":39"#, #""P-AdNetworkSourceIdentifier":39"#, fidelity: true)
            ),
            ("4.0", 0, nil, Self.viewThrough("4.0", #""source-identifier":39"#, #""sourceIdentifier":39"#)),
            (
                "4.0", 1, "example.com",
                #"{"form":"web","version":"4.0","impression":{"version":"4.0","ad-network-id":"N","#
                    + #""source-identifier":39,"itunes-item-id":A,"nonce":"U","source-domain":"example.com","#
                    + #""fidelity-type":1,"timestamp":T,"attribution-signature":"c2ln"}}"#
            ),
        ] as [(String, Int64?, String?, String)])
    func skAdNetwork(_ version: String, _ fidelity: Int64?, _ domain: String?, _ expected: String) throws {
        let impression = try SKAdNetworkImpressionTests.request(version) {
            $0.fidelityType = fidelity
            if let domain {
                $0.sourceDomain = domain
                $0.sourceAppID = nil
            }
        }.checked()
        let signed = SignedSKAdNetworkImpression(impression: impression, attributionSignature: "c2ln")
        #expect(Self.text(.skAdNetwork(signed)) == expected)
    }

    @Test("A text with quotes, backslashes and other letters stays the same text in Swift code")
    func escapes() throws {
        let impression = try SKAdNetworkImpressionTests.request("4.0") { $0.adNetworkID = #"a"\(b)\é"# }.checked()
        let signed = SignedSKAdNetworkImpression(impression: impression, attributionSignature: "c2ln")
        let code = try signed.swiftCode()
        #expect(code.contains(#"AdNetworkIdentifier: "a\"\\(b)\\\u{e9}","#), "\(code)")
    }

    private static func storeKit(
        _ version: String, _ campaign: String, _ parameter: String, fidelity: Bool = false
    ) -> String {
        #"{"form":"storekit-rendered","version":"\#(version)","impression":{"version":"\#(version)","#
            + #""ad-network-id":"N",\#(campaign),"itunes-item-id":A,"nonce":"U","source-app-id":S,"#
            + (fidelity ? #""fidelity-type":1,"# : "") + #""timestamp":T,"attribution-signature":"c2ln"},"#
            + #""store-kit-product-parameters":{"P-ITunesItemIdentifier":A,"P-AdNetworkIdentifier":"N","#
            + #"\#(parameter),"P-AdNetworkSourceAppStoreIdentifier":S,"P-AdNetworkVersion":"\#(version)","#
            + #""P-AdNetworkNonce":"U","P-AdNetworkTimestamp":T,"P-AdNetworkAttributionSignature":"c2ln"}}"#
    }

    private static func viewThrough(_ version: String, _ campaign: String, _ property: String) -> String {
        #"{"form":"view-through","version":"\#(version)","impression":{"version":"\#(version)","ad-network-id":"N","#
            + #"\#(campaign),"itunes-item-id":A,"nonce":"U","source-app-id":S,"fidelity-type":0,"timestamp":T,"#
            + #""attribution-signature":"c2ln"},"ad-impression-properties":{"version":"\#(version)","#
            + #""adNetworkIdentifier":"N",\#(property),"advertisedAppStoreItemIdentifier":A,"#
            + #""sourceAppStoreItemIdentifier":S,"adImpressionIdentifier":"U","timestamp":T,"signature":"c2ln"}}"#
    }

    @Test("The payload of AdAttributionKit is written with the JWS", arguments: [false, true])
    func adAttributionKit(_ isEligible: Bool) throws {
        let impression = try AdAttributionKitImpressionTests.request { $0.isEligibleForReEngagement = isEligible }
            .checked()
        let signed = SignedAdAttributionKitImpression(impression: impression, compactJWS: "a.b.c")
        #expect(
            Self.text(.adAttributionKit(signed))
                == #"{"form":"adattributionkit","impression":{"impression-identifier":"U","#
                + #""publisher-item-identifier":S,"impression-type":"app-impression","ad-network-identifier":"N","#
                + #""source-identifier":39,"timestamp":T,"advertised-item-identifier":A"#
                + (isEligible ? #","eligible-for-re-engagement":true"# : "") + #"},"compact-jws":"a.b.c"}"#)
    }
}
