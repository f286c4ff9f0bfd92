import FixedKeyECDSA
import Foundation
import StrictJSON
import Testing

@Suite(
    "Apple's published postbacks",
    .enabled(if: SpecFolder.folder("vectors") != nil, "no folder shared/spec/vectors; set SKAN_SPEC"))
struct AppleVectorTests {
    private struct Vector: Decodable {
        let name: String
        let expect: String
        let body: [String: Value]
    }

    /// A JSON value as it is signed.
    private struct Value: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                text = String(flag)
            } else if let number = try? container.decode(Int.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }

    /// The signed fields, in order, without absent ones.
    private static let signedFields = [
        "version", "ad-network-id", "campaign-id", "source-identifier", "app-id", "transaction-id", "redownload",
        "source-app-id", "source-domain", "fidelity-type", "did-win", "postback-sequence-index",
    ]

    @Test("Each gets the published verdict")
    func published() throws {
        let keys = [
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3"
                + "YVK3sVqW6Af0lfx3gg==",
            "MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEMyHD625uvsmGq4C43cQ9BnfN2xslVT5V1nOmAMP6qaRRUll3PB1JYmgSm+62sosG",
        ]
        let publicKeys = try zip(keys, ECDSACurve.allCases).map { text, curve in
            let info = try #require(Data(base64Encoded: text))
            return try ECDSAPublicKey(x963: Array(info.suffix(2 * curve.size + 1)), on: curve)
        }
        let verifier = FixedKeyVerifier(publicKeys: publicKeys, windowWidth: 6)
        let folder = try #require(SpecFolder.folder("vectors"))
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("skan-") }
        for file in files {
            let vector = try JSONDecoder().decode(Vector.self, from: Data(contentsOf: file))
            let key = vector.body["version"]?.text == "2.0" ? verifier.keys[1] : verifier.keys[0]
            let text = Self.signedFields.compactMap { vector.body[$0]?.text }.joined(separator: "\u{2063}")
            let encoded = try #require(vector.body["attribution-signature"]?.text)
            let der = try #require(Data(base64Encoded: encoded) as Data?)
            let signature = try #require(ECDSASignature(der: Array(der), on: key.curve))
            let check = SignatureCheck(digest: MessageDigest(Array(text.utf8).sha256), signature: signature, key: key)
            #expect(verifier.verify(check) == (vector.expect == "valid" ? .valid : .invalid), "\(vector.name)")
        }
        #expect(files.count >= 8)
    }
}
