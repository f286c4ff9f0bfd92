import Attribution
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("Keys")
struct KeyTests {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "skan-keys-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    @Test("A key file is private from the start and never overwritten", arguments: SignatureCurve.allCases)
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

    @Test("A list of keys and a public key that others can change are refused", arguments: [0o666, 0o664, 0o602])
    func changeable(_ mode: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/public.pem"
        try Data(NetworkPrivateKey.generate(.p256).publicKey().pem().utf8).write(to: URL(fileURLWithPath: file))
        #expect(try SignaturePublicKey(file: file).curve == .p256)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        let problem = KeyProblem.changeableByOthers(file: file, mode: "0" + String(mode, radix: 8))
        #expect(throws: problem) { try SignaturePublicKey(file: file) }
        #expect(throws: problem) { try NetworkKeySet(file: file) }
        let list = "\(folder)/keys.json"
        let members = #""ad-network-id": "a.skadnetwork", "versions": "4.0", "file": "public.pem""#
        let text = "{\"keys\": [{\(members), \"use\": \"verify-only\"}]}"
        try Data(text.utf8).write(to: URL(fileURLWithPath: list))
        #expect(throws: problem) { try NetworkKeySet(file: list) }
        #expect(problem.hint == "chmod go-w \(file)")
    }

    @Test("A key that others can read is refused", arguments: [0o640, 0o604, 0o644, 0o660])
    func openToOthers(_ mode: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/key.pem"
        try KeyFile.writeNew(NetworkPrivateKey.generate(.p256).pem(), to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        #expect(throws: KeyProblem.openToOthers(file: file, mode: "0" + String(mode, radix: 8))) {
            try NetworkPrivateKey(file: file)
        }
    }

    @Test("A key file that is too long or not regular is refused without blocking")
    func peculiarFiles() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (large, fifo) = ("\(folder)/large.pem", "\(folder)/fifo.pem")
        #expect(FileManager.default.createFile(atPath: large, contents: nil, attributes: [.posixPermissions: 0o600]))
        // Sparse: three gigabytes without using disk space.
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

    @Test("A public key instead of a private one gets its own error")
    func publicKey() throws {
        let pem = try NetworkPrivateKey.generate(.p256).publicKey().pem()
        #expect(throws: KeyProblem.publicInsteadOfPrivate(file: "f")) {
            try NetworkPrivateKey(reading: Array(pem.utf8), file: "f")
        }
    }

    @Test("A public key instead of a private one is named before the mode of its file", arguments: [0o600, 0o644])
    func publicKey(_ mode: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (file, key) = ("\(folder)/key.pem", try NetworkPrivateKey.generate(.p256))
        try KeyFile.writeNew(key.publicKey().pem(), to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        #expect(throws: KeyProblem.publicInsteadOfPrivate(file: file)) { try NetworkPrivateKey(file: file) }
        // With the private half beside it, it is a secret.
        try Data((try key.publicKey().pem() + key.pem()).utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(throws: KeyProblem.openToOthers(file: file, mode: "0644")) { try NetworkPrivateKey(file: file) }
    }

    @Test(
        "Apple's built-in keys are those in keys/",
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

    static let lists: [(text: String?, expected: String, cure: String)] = [
        (nil, "cannot read the key file FILE: no such file", "check the path and who may read it"),
        (
            "", "the list of keys FILE: the file: found an empty text, expected one JSON object",
            "write {\"keys\": [...]}, as in"
        ),
        (
            #"{"keys": []}"#,
            "the list of keys FILE: keys: found an empty array, expected an array of at least one object",
            "add \"keys\" with at least one"
        ),
        (
            #"{"kyes": [{}]}"#,
            #"the list of keys FILE: kyes: found an array, expected only "keys""#, "write keys"
        ),
        (
            #"{"keys": [], "keys": [{}]}"#,
            #"the list of keys FILE: the file: found "keys" twice, expected each name once"#, "write {"
        ),
        (
            key(#""use": "verify-only", "use": "active""#),
            #"the list of keys FILE: keys[0]: found "use" twice, expected each name once"#, "correct the object"
        ),
        (
            key(#""use": "active", "registryid": 3"#),
            "the list of keys FILE: keys[0].registryid: found the number 3, expected one of the names ad-network-id, "
                + "registry-id, file, versions", "write registry-id"
        ),
        (
            key(#""use": "active", "version": ["4.0"]"#),
            "the list of keys FILE: keys[0].version: found an array, expected one of the names", "write versions"
        ),
        (
            key(#""use": "Active""#),
            "the list of keys FILE: keys[0].use: found the string \"Active\", expected one of active, verify-only",
            "write \"active\""
        ),
        (
            key(#""use": true"#), "the list of keys FILE: keys[0].use: found the boolean true, expected one of active",
            "write one of these in quotes"
        ),
        (
            key(#""use": "active""#).replacing("n.skadnetwork", with: "a,b"),
            "the list of keys FILE: keys[0].ad-network-id: found the string \"a,b\", expected the id of one ad network",
            "write it as Apple gave it"
        ),
        (
            key(#""use": "active""#).replacing("n.skadnetwork", with: #"n\u202e"#),
            "the list of keys FILE: keys[0].ad-network-id: found the string", "write it as Apple gave it"
        ),
        (key(#""signer": null"#), "the list of keys FILE: keys[0].use: found nothing, expected one of active", "add "),
        (
            key(#""use": "active", "registry-id": 0"#),
            "the list of keys FILE: keys[0].registry-id: found the number 0, expected a whole number from 1 on", "write"
        ),
        (
            key(#""use": "active""#).replacing("n.skadnetwork", with: #"n\u0007"#),
            #"the list of keys FILE: keys[0].ad-network-id: found the string "n\u{7}", expected the id of one "#
                + "ad network", "write it as Apple gave it"
        ),
        (
            key(#""use": "active""#).replacing("4.0", with: "4.0-2.1"),
            "the list of keys FILE: keys[0].versions: found the string \"4.0-2.1\", expected one of 1.0, 2.0", "write"
        ),
    ]

    private static func key(_ members: String) -> String {
        #"{"keys": [{"ad-network-id": "n.skadnetwork", "file": "f", "versions": "4.0", \#(members)}]}"#
    }

    @Test("A key list that is missing or breaks a rule is refused, naming key, value and cure", arguments: lists)
    func unreadableKeySet(_ text: String?, _ expected: String, _ cure: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/keys.json"
        if let text {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        let problem = #expect(throws: KeyProblem.self) { try NetworkKeySet(file: file) }
        #expect(problem?.description.hasPrefix(expected.replacing("FILE", with: file)) == true, "\(problem as Any)")
        #expect(problem?.hint?.hasPrefix(cure) == true, "\(problem?.hint as Any)")
    }

    @Test(
        "A key list names only ids that Apple can have given",
        arguments: [
            ("example123.skadnetwork", true), ("Example123.SKAdNetwork", true), ("com.apple.test-1", true),
            ("abc", false), (" example123.skadnetwork", false), ("example123.skadnetwor", false),
            ("example123.skadnetwork.", false), ("example-123.skadnetwork", false),
        ])
    func listedID(_ id: String, _ isAccepted: Bool) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try KeyFile.writeNew(NetworkPrivateKey.generate(.p256).pem(), to: "\(folder)/f")
        let text = Self.key(#""use": "active""#).replacing("n.skadnetwork", with: id)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/keys.json"))
        guard !isAccepted else {
            #expect(try NetworkKeySet(file: "\(folder)/keys.json").entries.first?.adNetworkID.text == id)
            return
        }
        let problem = #expect(throws: KeyProblem.self) { try NetworkKeySet(file: "\(folder)/keys.json") }
        #expect(problem?.description.contains("ad-network-id: found the string \"\(id)\"") == true)
    }

    static let signers: [(String, String, String?)] = [
        (#""signer": "unix:s.sock", "key-id": "k""#, "public.pem", nil),
        (
            #""signer": null, "key-id": "k""#, "private.pem",
            "keys[0].signer: found null, expected both signer and key-id"
        ),
        (#""signer": "unix:/run/s.sock", "key-id": "k 1""#, "public.pem", nil),
        (#""signer": "unix:s.sock", "key-id": "k""#, "private.pem", "holds a private key, but an external signer"),
        (#""signer": "unix:s.sock", "key-id": "k""#, "none.pem", "no such file"),
        (#""signer": "unix:s.sock""#, "public.pem", "expected both signer and key-id, or neither"),
        (#""key-id": "k""#, "private.pem", "expected both signer and key-id, or neither"),
        (
            #""signer": "s.sock", "key-id": "k""#, "public.pem",
            "keys[0].signer: found the string \"s.sock\", expected \"unix:\""
        ),
        (
            #""signer": "unix:", "key-id": "k""#, "public.pem",
            "keys[0].signer: found the string \"unix:\", expected \"unix:\""
        ),
        (
            #""signer": "unix:s/", "key-id": "k""#, "public.pem",
            "keys[0].signer: found the string \"unix:s/\", expected \"unix:\""
        ),
        (
            #""signer": "unix:s.sock", "key-id": """#, "public.pem",
            "keys[0].key-id: found the string \"\", expected a string"
        ),
        (
            #""signer": "unix:s.sock", "key-id": "ä""#, "public.pem",
            "keys[0].key-id: found the string \"ä\", expected 1 to 128"
        ),
    ]

    @Test(
        "A key of an external signer has its socket, its name there and its public half, and nothing less",
        arguments: signers)
    func externalSigner(_ members: String, _ name: String, _ expected: String?) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = try NetworkPrivateKey.generate(.p256)
        try KeyFile.writeNew(key.pem(), to: "\(folder)/private.pem")
        try KeyFile.writeNew(key.publicKey().pem(), to: "\(folder)/public.pem")
        let file = "\(folder)/keys.json"
        let list = """
            {"keys": [{"ad-network-id": "n.skadnetwork", "file": "\(name)", "versions": "2.1-4.0", "use": "active", \(members)}]}
            """
        try Data(list.utf8).write(to: URL(fileURLWithPath: file))
        guard let expected else {
            let external = try #require(NetworkKeySet(file: file).externalKeys.first)
            #expect(external.socket.hasSuffix("/s.sock") && external.socket.hasPrefix("/"))
            #expect(external.publicKey.matches(key))
            #expect(try NetworkSigner(NetworkKeySet(file: file)).hasExternalKeys)
            return
        }
        let problem = #expect(throws: KeyProblem.self) { try NetworkKeySet(file: file) }
        #expect(problem?.description.contains(expected) == true, "\(problem as Any)")
    }

    @Test(
        "Each of thousands of networks keeps its number and its use of a key that they share",
        .timeLimit(.minutes(1)))
    func manyKeys() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try KeyFile.writeNew(NetworkPrivateKey.generate(.p256).pem(), to: "\(folder)/k.pem")
        let count = 3_000
        let items = (1...count).map { number in
            """
            {"ad-network-id": "n\(number).skadnetwork", "registry-id": \(number), "file": "k.pem", "versions": "4.0",
             "use": "active"}
            """
        }
        let file = "\(folder)/keys.json"
        try Data("{\"keys\": [\(items.joined(separator: ","))]}".utf8).write(to: URL(fileURLWithPath: file))
        let signer = try NetworkSigner(NetworkKeySet(file: file))
        #expect(signer.networks.map(\.registryID) == (1...count).map { Int64($0) })
        #expect(signer.fingerprints.count == 1 && signer.uses.count == count)
    }

    /// Makes `old.pem` on P-192, `former.pem` and `new.pem`, and lists them.
    private func list(_ formerUse: String, oldVersions: String = "1.0-2.0", newVersions: String = "2.1-4.0") throws
        -> NetworkKeySet
    {
        for (name, curve) in [("old", SignatureCurve.p192), ("new", .p256), ("former", .p256)]
        where !FileManager.default.fileExists(atPath: "\(folder)/\(name).pem") {
            try KeyFile.writeNew(NetworkPrivateKey.generate(curve).pem(), to: "\(folder)/\(name).pem")
        }
        let text = """
            {"keys": [
             {"ad-network-id": "n.skadnetwork", "file": "old.pem", "versions": "\(oldVersions)", "use": "active"},
             {"ad-network-id": "n.skadnetwork", "file": "former.pem", "versions": "2.1-4.0", "use": "\(formerUse)"},
             {"ad-network-id": "n.skadnetwork", "file": "new.pem", "versions": "\(newVersions)", "use": "active"}]}
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/keys.json"))
        return try NetworkKeySet(file: "\(folder)/keys.json")
    }

    @Test("A key list signs with the active key for network and version, and refuses two")
    func keySet() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let signer = try NetworkSigner(list("verify-only"))
        for (version, file) in [("2.0", "old"), ("4.0", "new")] {
            let signed = try signer.sign(ImpressionSignerTests.impression(version, nil, nil, "n.skadnetwork"))
            let signature = try #require(Base64.decode(signed.attributionSignature))
            let key = try SignaturePublicKey(file: "\(folder)/\(file).pem")
            #expect(key.verifies(signature, for: signed.impression.signedText))
        }
        #expect(throws: KeyProblem.noKey(adNetworkID: "other.skadnetwork", version: .v4_0)) {
            try signer.sign(ImpressionSignerTests.impression("4.0", nil, nil, "other.skadnetwork"))
        }
        #expect(throws: KeyProblem.self) { try list("active") }
        #expect(throws: KeyProblem.self) { try list("sometimes") }
        #expect(throws: KeyProblem.wrongCurve(.p192, version: .v2_1)) {
            try list("verify-only", oldVersions: "1.0-2.1")
        }
    }

    @Test("A verify-only key never signs, even if no other key can")
    func verifyOnly() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let keys = try list("verify-only", newVersions: "3.0")
        #expect(keys.entries.map(\.isActive) == [true, false, true])
        let signer = try NetworkSigner(keys)
        for version in ["2.1", "2.2", "4.0"] {
            let known = try #require(SKAdNetworkVersion(rawValue: version))
            #expect(throws: KeyProblem.noKey(adNetworkID: "n.skadnetwork", version: known)) {
                try signer.sign(ImpressionSignerTests.impression(version, nil, nil, "n.skadnetwork"))
            }
        }
        #expect(signer.networks.map(\.versions) == [[.v1_0, .v2_0, .v3_0]])
        let former = try SignaturePublicKey(file: "\(folder)/former.pem")
        #expect(!signer.fingerprints.contains(former.fingerprint))
        #expect(signer.fingerprints.count == 2)
        // The key of 3.0 signs for AdAttributionKit, though the former one's versions reach further.
        let signed = try signer.sign(AdAttributionKitImpressionSignerTests.impression())
        #expect(signed.compactJWS.split(separator: ".").count == 3)
    }

    @Test("The file of a verify-only key may have only the public half; a private one must still be secret")
    func publicHalfAlone() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try list("verify-only")
        let file = "\(folder)/former.pem"
        let secret = try NetworkPrivateKey(file: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(throws: KeyProblem.openToOthers(file: file, mode: "0644")) { try list("verify-only") }
        try Data(try secret.publicKey().pem().utf8).write(to: URL(fileURLWithPath: file))
        let keys = try list("verify-only")
        #expect(keys.entries[1].publicKey.matches(secret))
        #expect(throws: KeyProblem.publicInsteadOfPrivate(file: file)) { try list("active", newVersions: "2.0") }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(throws: KeyProblem.publicInsteadOfPrivate(file: file)) { try list("active", newVersions: "1.0") }
    }

    @Test(
        "The public half of a private key verifies what it signs",
        arguments: SignatureCurve.allCases)
    func halves(_ curve: SignatureCurve) throws {
        let key = try NetworkPrivateKey.generate(curve)
        let (half, other) = (try key.publicKey(), try NetworkPrivateKey.generate(curve))
        #expect(half.curve == curve)
        #expect(half.matches(key))
        #expect(!half.matches(other))
        let again = try #require(SignaturePublicKey(base64: half.base64))
        #expect(again.fingerprint == half.fingerprint)
        #expect(try SignaturePublicKey(reading: Array(key.pem().utf8), file: "f").fingerprint == half.fingerprint)
        #expect(try SignaturePublicKey(reading: Array(half.pem().utf8), file: "f").fingerprint == half.fingerprint)
        #expect(try half.pem().hasPrefix("-----BEGIN PUBLIC KEY-----"))
    }
}
