import Attribution
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("Signing AdAttributionKit impressions")
struct AdAttributionKitImpressionSignerTests {
    static func impression(_ network: String = "n.skadnetwork") throws -> AdAttributionKitImpression {
        try AdAttributionKitImpressionDraft(
            impressionIdentifier: "68483ef6-0678-40df-859b-1b8f3f2d7b21", publisherItemIdentifier: 0,
            advertisedItemIdentifier: 525_463_029, adNetworkIdentifier: network, sourceIdentifier: 5239,
            timestampMilliseconds: 1_676_057_605_705
        ).checked()
    }

    @Test("A P-192 key is refused")
    func oldCurve() throws {
        let signer = try ImpressionSigner(.generate(.p192))
        #expect(throws: KeyProblem.wrongCurveForJWS(.p192)) { try signer.sign(Self.impression()) }
    }

    @Test("The signature has 64 bytes, even if one of its numbers is short")
    func length() throws {
        let signer = try ImpressionSigner(.generate(.p256))
        let impression = try Self.impression()
        // One in 256 has a first byte of zero, which DER leaves out and a JWS does not.
        for _ in 0..<10_000 {
            let parts = try signer.sign(impression).compactJWS.split(separator: ".", omittingEmptySubsequences: false)
            #expect(parts.count == 3)
            #expect(Array((parts[0] + "." + parts[1]).utf8) == impression.signingInput)
            #expect(parts[2].utf8.count == 86)
            let bits = parts[2].utf8.prefix(2).map { $0 }
            if bits[0] == UInt8(ascii: "A"), (UInt8(ascii: "A")...UInt8(ascii: "P")).contains(bits[1]) {
                return
            }
        }
        Issue.record("No signature began with a byte of zero.")
    }

    /// A key list in its own folder.
    private func withKeys(
        _ keys: [(id: String, curve: SignatureCurve, versions: String, more: String)],
        _ body: (NetworkKeySet, [SignaturePublicKey]) throws -> Void
    ) throws {
        let folder = NSTemporaryDirectory() + "skan-network-signer-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var items: [String] = []
        var publicKeys: [SignaturePublicKey] = []
        for (index, key) in keys.enumerated() {
            let privateKey = try NetworkPrivateKey.generate(key.curve)
            try KeyFile.writeNew(privateKey.pem(), to: "\(folder)/\(index).pem")
            publicKeys.append(try privateKey.publicKey())
            items.append(
                #"{"ad-network-id": "\#(key.id)", "file": "\#(index).pem", "versions": "\#(key.versions)", "#
                    + #""use": "active"\#(key.more)}"#)
        }
        let text = #"{"keys": [\#(items.joined(separator: ","))]}"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/keys.json"))
        try body(NetworkKeySet(file: "\(folder)/keys.json"), publicKeys)
    }

    /// Whether a JWS verifies under the key; converts `r‖s` to DER.
    private func verifies(_ signed: SignedAdAttributionKitImpression, _ key: SignaturePublicKey) throws -> Bool {
        let text = try #require(signed.compactJWS.split(separator: ".").last)
        let raw = try #require(Base64URL.decode(text.utf8))
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let digits = Array(bytes.drop { $0 == 0 })
            let signed = digits.first.map { $0 >= 0x80 } == true ? [0] + digits : digits
            return [0x02, UInt8(signed.count)] + signed
        }
        let numbers = integer(raw[..<32]) + integer(raw[32...])
        return key.verifies(
            [0x30, UInt8(numbers.count)] + numbers, forBytes: signed.impression.signingInput)
    }

    @Test(
        "The network's active key of the latest versions signs, but not one that ends at 2.0",
        arguments: [false, true])
    func latestKey(_ withTables: Bool) throws {
        try withKeys([
            ("n.skadnetwork", .p192, "1.0-2.0", ""), ("n.skadnetwork", .p256, "2.1-2.2", ""),
            ("N.skadnetwork", .p256, "3.0-4.0", ""), ("old.skadnetwork", .p192, "1.0-2.0", ""),
        ]) { keys, publicKeys in
            var signer = try NetworkSigner(keys)
            if withTables {
                try signer.prepareTables()
            }
            let signed = try signer.sign(Self.impression())
            #expect(try verifies(signed, publicKeys[2]))
            #expect(try !verifies(signed, publicKeys[1]))
            let problem = KeyProblem.noAdAttributionKitKey(adNetworkID: "old.skadnetwork")
            #expect(throws: problem) { try signer.sign(Self.impression("old.skadnetwork")) }
            #expect(throws: KeyProblem.self) { try signer.sign(Self.impression("other.skadnetwork")) }
            #expect(signer.networks.map(\.adNetworkID.text) == ["n.skadnetwork", "old.skadnetwork"])
            #expect(signer.networks.map(\.signsForAdAttributionKit) == [true, false])
            #expect(signer.networks.map(\.versions) == [SKAdNetworkVersion.allCases, [.v1_0, .v2_0]])
        }
    }

    @Test(
        "Tables do not change the signatures, for each key and with ids spelt as given",
        arguments: ImpressionSignerTests.forms)
    func tables(_ version: String, _ fidelity: Int64?, _ domain: String?) throws {
        try withKeys([
            ("example123.skadnetwork", .p192, "1.0-2.0", ""), ("example123.skadnetwork", .p256, "2.1-4.0", ""),
        ]) { keys, publicKeys in
            var signer = try NetworkSigner(keys)
            try signer.prepareTables()
            let impression = try ImpressionSignerTests.impression(version, fidelity, domain, "Example123.SKAdNetwork")
            let signed = try signer.sign(impression)
            let signature = try #require(Base64.decode(signed.attributionSignature))
            let key = impression.version <= .v2_0 ? publicKeys[0] : publicKeys[1]
            #expect(key.verifies(signature, for: impression.signedText))
            #expect(impression.signedText.description.contains("Example123.SKAdNetwork"))
        }
    }

    @Test(
        "Each registry number belongs to one network",
        arguments: [
            (#", "registry-id": 306"#, #", "registry-id": 306"#, "", true),
            (#", "registry-id": 306"#, "", #", "registry-id": 7"#, true),
            (#", "registry-id": 306"#, #", "registry-id": 305"#, "", false),
            (#", "registry-id": 306"#, "", #", "registry-id": 306"#, false),
            (#", "registry-id": 0"#, "", "", false), (#", "registry-id": "306""#, "", "", false),
        ])
    func registry(_ first: String, _ second: String, _ other: String, _ isRight: Bool) throws {
        let list: [(String, SignatureCurve, String, String)] = [
            ("n.skadnetwork", .p256, "1.0-3.0", first), ("n.skadnetwork", .p256, "4.0", second),
            ("o.skadnetwork", .p256, "4.0", other),
        ]
        if isRight {
            try withKeys(list) { keys, _ in
                let signer = try NetworkSigner(keys)
                #expect(signer.networks.first?.registryID == 306)
            }
        } else {
            let problem = #expect(throws: KeyProblem.self) { try withKeys(list) { _, _ in } }
            let isShared = !other.isEmpty || !second.isEmpty
            #expect(
                "\(try #require(problem))".contains("one number for each network, and one network for each number")
                    == isShared)
        }
    }
}
