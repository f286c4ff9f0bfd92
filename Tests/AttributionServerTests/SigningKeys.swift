import Attribution
import AttributionSigning
import Foundation
import StrictJSON
import Testing

/// A network with one key, `n.skadnetwork`.
struct SigningKeys {
    let signer: NetworkSigner
    let publicKey: SignaturePublicKey

    init() throws {
        let key = try NetworkPrivateKey.generate(.p256)
        publicKey = try key.publicKey()
        signer = try Self.signer([("n", key)])
    }

    /// A signer for networks, each with one key, in the order of its list.
    static func signer(_ networks: [(name: String, key: NetworkPrivateKey)]) throws -> NetworkSigner {
        let folder = NSTemporaryDirectory() + "skan-signing-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let entries = try networks.map { name, key in
            try KeyFile.writeNew(try key.pem(), to: "\(folder)/\(name).pem")
            return """
                {"ad-network-id": "\(name).skadnetwork", "file": "\(name).pem", "versions": "2.1-4.0", "use": "active"}
                """
        }
        let list = #"{"keys": [\#(entries.joined(separator: ","))]}"#
        try Data(list.utf8).write(to: URL(fileURLWithPath: folder + "/keys.json"))
        var signer = try NetworkSigner(try NetworkKeySet(file: folder + "/keys.json"))
        try signer.prepareTables()
        return signer
    }

    /// How many of the signatures in an answer of `/v1/impressions` verify, over texts put together here.
    func verifiedCount(_ answer: String) throws -> Int {
        try Self.verifiedCount(answer, under: publicKey)
    }

    /// How many of the signatures in an answer of `/v1/impressions` verify under a key.
    static func verifiedCount(_ answer: String, under publicKey: SignaturePublicKey) throws -> Int {
        let object = try #require(JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
        let impressions = object["impressions"] as? [[String: Any]] ?? []
        return try impressions.count { impression in
            if let jws = impression["compact-jws"] as? String {
                return try verifies(jws, under: publicKey)
            }
            let values = try #require(impression["impression"] as? [String: Any])
            let names = [
                "version", "ad-network-id", "source-identifier", "itunes-item-id", "nonce", "source-app-id",
                "fidelity-type", "timestamp",
            ]
            let text = try names.map { "\(try #require(values[$0], "\($0)"))" }.joined(separator: "\u{2063}")
            let base64 = try #require(values["attribution-signature"] as? String)
            let signature = try #require(Base64.decode(base64))
            return publicKey.verifies(signature, forBytes: Array(text.utf8))
        }
    }

    private static func verifies(_ jws: String, under publicKey: SignaturePublicKey) throws -> Bool {
        let dot = try #require(jws.lastIndex(of: "."))
        let raw = try #require(Base64URL.decode(Array(jws[jws.index(after: dot)...].utf8)))
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let digits = Array(bytes.drop { $0 == 0 })
            let signed = digits.first.map { $0 >= 0x80 } == true ? [0] + digits : digits
            return [0x02, UInt8(signed.count)] + signed
        }
        let numbers = integer(raw[..<32]) + integer(raw[32...])
        return publicKey.verifies([0x30, UInt8(numbers.count)] + numbers, forBytes: Array(jws[..<dot].utf8))
    }
}
