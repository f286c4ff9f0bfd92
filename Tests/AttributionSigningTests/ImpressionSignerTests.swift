import Attribution
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("Signing impressions")
struct ImpressionSignerTests {
    static let forms: [(String, Int64?, String?)] = [
        ("1.0", nil, nil), ("2.0", nil, nil), ("2.1", nil, nil), ("2.2", 1, nil), ("2.2", 0, nil), ("3.0", 1, nil),
        ("3.0", 0, nil), ("4.0", 1, nil), ("4.0", 0, nil), ("4.0", 1, "example.com"),
    ]

    static func impression(
        _ version: String, _ fidelity: Int64?, _ domain: String?, _ network: String = "example123.skadnetwork"
    ) throws -> SKAdNetworkImpression {
        try SKAdNetworkImpressionDraft(
            version: version, adNetworkID: network, campaignID: version == "4.0" ? nil : 42,
            sourceIdentifier: version == "4.0" ? 5239 : nil, itunesItemID: 525_463_029,
            sourceAppID: version == "1.0" || domain != nil ? nil : 1_234_567_891, sourceDomain: domain,
            fidelityType: fidelity, nonce: "68483ef6-0678-40df-859b-1b8f3f2d7b21",
            timestampMilliseconds: 1_676_057_605_705
        ).checked()
    }

    @Test("Signatures verify with the public half", arguments: forms)
    func signs(_ version: String, _ fidelity: Int64?, _ domain: String?) throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let impression = try Self.impression(version, fidelity, domain)
        let signed = try ImpressionSigner(key).sign(impression)
        let signature = try #require(Base64.decode(signed.attributionSignature))
        #expect(try key.publicKey().verifies(signature, for: impression.signedText))
    }

    @Test("A P-192 key signs only 1.0 and 2.0", arguments: forms.filter { $0.1 == nil })
    func oldCurve(_ version: String, _ fidelity: Int64?, _ domain: String?) throws {
        let signer = try ImpressionSigner(.generate(.p192))
        let impression = try Self.impression(version, fidelity, domain)
        if impression.version <= .v2_0 {
            #expect(throws: Never.self) { try signer.sign(impression) }
        } else {
            #expect(throws: KeyProblem.wrongCurve(.p192, version: impression.version)) { try signer.sign(impression) }
        }
    }

    @Test(
        "The JSON has the spec's field names in order",
        arguments: [
            ("1.0", nil, nil, ["campaign-id", "itunes-item-id", "nonce", "timestamp"]),
            ("2.1", nil, nil, ["campaign-id", "itunes-item-id", "nonce", "source-app-id", "timestamp"]),
            ("3.0", 0, nil, ["campaign-id", "itunes-item-id", "nonce", "source-app-id", "fidelity-type", "timestamp"]),
            (
                "4.0", 1, "example.com",
                ["source-identifier", "itunes-item-id", "nonce", "source-domain", "fidelity-type", "timestamp"]
            ),
        ] as [(String, Int64?, String?, [String])])
    func json(_ version: String, _ fidelity: Int64?, _ domain: String?, _ names: [String]) throws {
        let signed = try ImpressionSigner(.generate(.p256)).sign(Self.impression(version, fidelity, domain))
        let object = try JSONObject(reading: JSONWriter.bytes(signed.write))
        #expect(object.fields.map(\.name) == ["version", "ad-network-id"] + names + ["attribution-signature"])
    }

    @Test("Each form has its own rendering and no other", arguments: forms)
    func renderings(_ version: String, _ fidelity: Int64?, _ domain: String?) throws {
        let signed = try ImpressionSigner(.generate(.p256)).sign(Self.impression(version, fidelity, domain))
        let storeKit = try? JSONObject(reading: JSONWriter.bytes(signed.writeStoreKitProductParameters))
        let properties = try? JSONObject(reading: JSONWriter.bytes(signed.writeAdImpressionProperties))
        #expect((storeKit != nil) == (signed.impression.form == .storeKitRendered))
        #expect((properties != nil) == (signed.impression.form == .viewThrough))
        if let storeKit {
            let campaign = version == "4.0" ? "AdNetworkSourceIdentifier" : "AdNetworkCampaignIdentifier"
            #expect(storeKit["SKStoreProductParameter\(campaign)"] != nil)
            #expect((storeKit["SKStoreProductParameterAdNetworkVersion"] != nil) == (version != "1.0"))
            #expect(storeKit["SKStoreProductParameterAdNetworkNonce"] == .string(signed.impression.nonce.text))
        }
        if let properties {
            #expect(properties["adImpressionIdentifier"] == .string(signed.impression.nonce.text))
            #expect(properties["signature"] == .string(signed.attributionSignature))
        }
    }
}
