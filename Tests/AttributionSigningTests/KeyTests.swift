import Attribution
import AttributionSigning
import Foundation
import Testing

@Suite("Keys")
struct KeyTests {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "skan-keys-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    @Test("A key file is private from its first moment and never overwritten", arguments: SignatureCurve.allCases)
    func files(_ curve: SignatureCurve) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/key.pem"
        let key = try NetworkPrivateKey.generate(curve)
        try KeyFile.writeNew(key.pem(), to: file)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(throws: KeyProblem.exists(file: file)) { try KeyFile.writeNew("x", to: file) }
        let read = try NetworkPrivateKey(file: file)
        #expect(read.curve == curve)
        #expect(try read.publicKey().matches(key))
        #expect(try read.pem().hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test("A key others can read is refused", arguments: [0o640, 0o604, 0o644, 0o660])
    func openToOthers(_ mode: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/key.pem"
        try KeyFile.writeNew(NetworkPrivateKey.generate(.p256).pem(), to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        #expect(throws: KeyProblem.openToOthers(file: file, mode: "0" + String(mode, radix: 8))) {
            try NetworkPrivateKey(file: file)
        }
    }

    @Test("A key's file is small and regular, and nobody waits for one that is not")
    func peculiarFiles() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (large, fifo) = ("\(folder)/large.pem", "\(folder)/fifo.pem")
        #expect(FileManager.default.createFile(atPath: large, contents: nil, attributes: [.posixPermissions: 0o600]))
        // Sparse: three gigabytes that take no room.
        #expect(truncate(large, 3 << 30) == 0)
        #expect(mkfifo(fifo, 0o600) == 0)
        let reasons = [
            large: "found 3221225472 bytes, expected at most 65536", fifo: "it is not a regular file",
            "/dev/zero": "it is not a regular file", folder: "it is a folder", "\(folder)/none": "no such file",
        ]
        for (file, reason) in reasons {
            #expect(throws: KeyProblem.unreadable(file: file, reason: reason)) { try NetworkPrivateKey(file: file) }
            #expect(throws: KeyProblem.unreadable(file: file, reason: reason)) { try SignaturePublicKey(file: file) }
        }
    }

    @Test(
        "What is no private key on one of the two curves is refused",
        arguments: [
            "", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ])
    func noKey(_ text: String) {
        #expect(throws: KeyProblem.noPrivateKey(file: "f")) { try NetworkPrivateKey(pem: text, file: "f") }
    }

    @Test("A public key in place of a private one is named as such")
    func publicKey() throws {
        let pem = try NetworkPrivateKey.generate(.p256).publicKey().pem()
        #expect(throws: KeyProblem.publicInsteadOfPrivate(file: "f")) { try NetworkPrivateKey(pem: pem, file: "f") }
    }

    @Test(
        "Apple's keys built in are those in keys/",
        arguments: [
            (ApplePublicKeys.p192Base64, "keys/apple-skadnetwork-1.0-2.0-p192.pem"),
            (ApplePublicKeys.p256Base64, "keys/apple-skadnetwork-2.1-p256.pem"),
            (ApplePublicKeys.developmentFlowBase64, "keys/apple-adattributionkit-development-0.pem"),
            (ApplePublicKeys.developerSettingsBase64, "keys/apple-adattributionkit-development-1.pem"),
        ])
    func appleKeys(_ base64: String, _ file: String) throws {
        let key = try SignaturePublicKey(file: Repository.root.appendingPathComponent(file).path)
        #expect(key.base64 == base64)
    }

    @Test(
        "A list of keys that is missing or has a member nobody knows is refused by name",
        arguments: [
            (nil, "cannot read the key file FILE: no such file"),
            ("", "the list of keys FILE: expected {\"keys\": [...]}"),
            ("{\"keys\": [], \"kys\": 1}", "the list of keys FILE: \"kys\" is no member; expected keys"),
            (
                #"{"keys": [{"ad-network-id": "n", "file": "f", "versions": "4.0", "use": "active", "registryid": 3}]}"#,
                "the list of keys FILE: \"registryid\" is no member; expected ad-network-id, registry-id, file, versions"
            ),
        ])
    func unreadableKeySet(_ text: String?, _ expected: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/keys.json"
        if let text {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        let problem = #expect(throws: KeyProblem.self) { try NetworkKeySet(file: file) }
        #expect(problem?.description.hasPrefix(expected.replacing("FILE", with: file)) == true, "\(problem as Any)")
    }

    @Test("A list of keys gives the active one for network and version, and refuses two")
    func keySet() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, curve) in [("old", SignatureCurve.p192), ("new", .p256), ("former", .p256)] {
            try KeyFile.writeNew(NetworkPrivateKey.generate(curve).pem(), to: "\(folder)/\(name).pem")
        }
        func list(_ formerUse: String, oldVersions: String = "1.0-2.0") throws -> String {
            let file = "\(folder)/keys-\(UUID().uuidString).json"
            let text = """
                {"keys": [
                 {"ad-network-id": "n.skadnetwork", "file": "old.pem", "versions": "\(oldVersions)", "use": "active"},
                 {"ad-network-id": "n.skadnetwork", "file": "former.pem", "versions": "2.1-4.0", "use": "\(formerUse)"},
                 {"ad-network-id": "n.skadnetwork", "file": "new.pem", "versions": "2.1-4.0", "use": "active"}]}
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return file
        }
        let network = try #require(AdNetworkID("n.skadnetwork"))
        let keys = try NetworkKeySet(file: list("verify-only"))
        #expect(try keys.activeKey(for: network, version: .v2_0).curve == .p192)
        let new = try NetworkPrivateKey(file: "\(folder)/new.pem")
        #expect(try keys.activeKey(for: network, version: .v4_0).publicKey().matches(new))
        let other = try #require(AdNetworkID("other.skadnetwork"))
        #expect(throws: KeyProblem.noKey(adNetworkID: "other.skadnetwork", version: .v4_0)) {
            try keys.activeKey(for: other, version: .v4_0)
        }
        #expect(throws: KeyProblem.self) { try NetworkKeySet(file: list("active")) }
        #expect(throws: KeyProblem.self) { try NetworkKeySet(file: list("sometimes")) }
        #expect(throws: KeyProblem.wrongCurve(.p192, version: .v2_1)) {
            try NetworkKeySet(file: list("verify-only", oldVersions: "1.0-2.1"))
        }
    }
}
