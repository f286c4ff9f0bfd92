import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("Keys that are added to Apple's")
struct AppleKeySetTests {
    private let folder: String
    private let standIn: AppleStandIn
    /// Of the stand-in, by curve.
    private let keys: [SignatureCurve: SignaturePublicKey]

    private static let day: Int64 = 86_400_000
    /// 2027-01-01.
    private static let newYear: Int64 = 20_819 * day

    init() throws {
        folder = NSTemporaryDirectory() + "skan-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        standIn = try AppleStandIn()
        keys = Dictionary(uniqueKeysWithValues: try standIn.publicKeys().map { ($0.curve, $0) })
        for (curve, key) in keys {
            try write(try key.pem(), to: "\(curve.rawValue).pem")
        }
        try write(try NetworkPrivateKey.generate(.p256).pem(), to: "private.pem")
        try write(
            "-----BEGIN PUBLIC KEY-----\n\(ApplePublicKeys.p256Base64)\n-----END PUBLIC KEY-----\n", to: "apple.pem")
    }

    private func write(_ text: String, to name: String, mode: Int = 0o644) throws {
        let file = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    private func set(_ list: String, testKeys: [SignaturePublicKey] = []) throws -> AppleKeySet {
        try write(list, to: "keys.json")
        return try AppleKeySet(file: "\(folder)/keys.json", testKeys: testKeys)
    }

    private static let kit = #""framework": "adattributionkit", "kid": "apple-cas-identifier/1", "use": "production""#
    private static let network = #""framework": "skadnetwork", "versions": ["4.0"], "use": "development""#

    private static func list(_ members: String...) -> String {
        "{\"keys\": [\(members.map { "{\($0)}" }.joined(separator: ", "))]}"
    }

    static let refused: [(list: String, expected: String)] = [
        ("{}", "keys: found nothing, expected an array of objects"),
        (#"{"keys": [], "key": 1}"#, #"key: found the number 1, expected only "keys""#),
        (list(kit), "keys[0].file: found nothing, expected either file or pem"),
        (list(#""file": "p256.pem", "pem": "a", \#(kit)"#), "keys[0].file: found file and pem, expected either"),
        (list(#""file": "p256.pem", "from-date": "2027-01-01", \#(kit)"#), "keys[0].from-date: found the string"),
        (list(#""file": "none.pem", \#(kit)"#), "none.pem: no such file"),
        (list(#""pem": "nonsense", \#(kit)"#), "keys.json, keys[0].pem, holds no key on P-256 or P-192"),
        (list(#""file": "private.pem", \#(kit)"#), "private.pem holds a private key, and Apple's are known to Apple"),
        (list(#""file": "p192.pem", \#(kit)"#), "keys[0].kid: found apple-cas-identifier/1 with a key on P-192"),
        (list(#""file": "p192.pem", \#(network)"#), "keys[0].versions: found 4.0 with a key on P-192"),
        (
            list(#""file": "p256.pem", \#(network)"#).replacing("4.0", with: "1.0"),
            "keys[0].versions: found 1.0 with a key on P-256"
        ),
        (
            list(#""file": "p256.pem", \#(network)"#).replacing("4.0", with: "5.0"),
            "keys[0].versions[0]: found the string"
        ),
        (
            list(#""file": "p256.pem", \#(network), "kid": "a""#),
            "keys[0].kid: found the string \"a\", expected nothing"
        ),
        (
            list(#""file": "p256.pem", \#(kit), "versions": ["4.0"]"#),
            "keys[0].versions: found an array, expected nothing"
        ),
        (
            list(#""file": "p256.pem", \#(kit)"#).replacing("apple-cas-identifier/1", with: "skan-test-identifier/0"),
            "keys[0].kid: found the string \"skan-test-identifier/0\", expected a kid"
        ),
        (list(#""file": "p256.pem", \#(kit)"#).replacing("production", with: "test"), "keys[0].use: found the string"),
        (list(#""file": "p256.pem", "from": "2027-02-30", \#(kit)"#), "keys[0].from: found the string \"2027-02-30\""),
        (
            list(#""file": "p256.pem", "from": "2027-01-02", "until": "2027-01-02", \#(kit)"#),
            "keys[0].until: found the string \"2027-01-02\", expected a day after from"
        ),
        (
            list(#""file": "p256.pem", \#(kit)"#, #""file": "p256.pem", "until": "2027-01-02", \#(kit)"#),
            "keys[1].file: found the key of an entry before"
        ),
        (list(#""file": "apple.pem", \#(kit)"#), "keys[0].use: found a key that is built in"),
        (list(#""file": "apple.pem", \#(network)"#), "keys[0].use: found a key that is built in"),
        (
            list(#""file": "apple.pem", "from": "2027-01-01", \#(network)"#)
                .replacing("development", with: "production"), "keys[0].from: found a key that is built in"
        ),
    ]

    @Test("A list that breaks a rule is refused, naming member, value and rule", arguments: refused)
    func refusal(_ list: String, _ expected: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let problem = #expect(throws: KeyProblem.self) { try set(list) }
        #expect(problem?.description.contains(expected) == true, "\(problem as Any)")
        #expect(problem?.hint?.isEmpty == false)
    }

    @Test("Files that others can write are refused, the list and those it names", arguments: ["keys.json", "p256.pem"])
    func writable(_ name: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(Self.list(#""file": "p256.pem", \#(Self.kit)"#), to: "keys.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: "\(folder)/\(name)")
        #expect(throws: KeyProblem.changeableByOthers(file: "\(folder)/\(name)", mode: "0664")) {
            try AppleKeySet(file: "\(folder)/keys.json")
        }
    }

    @Test("A test key is never one of Apple's, neither by the list nor by the verifier")
    func testKey() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let list = Self.list(#""file": "p256.pem", \#(Self.kit)"#)
        let tests = try standIn.publicKeys()
        let fingerprint = try #require(keys[.p256]).fingerprint
        #expect(throws: KeyProblem.testKeyAmongApples(fingerprint: fingerprint)) { try set(list, testKeys: tests) }
        let records = try set(list).records
        #expect(throws: KeyProblem.testKeyAmongApples(fingerprint: fingerprint)) {
            try PostbackVerifier(testKeys: tests, added: records)
        }
    }

    /// A body that the stand-in signed under Apple's next kid.
    private func body(_ keyID: String = "apple-cas-identifier/1") throws -> [UInt8] {
        var draft = AdAttributionKitVerifierTests.draft()
        draft.keyID = keyID
        return try standIn.sign(draft)
    }

    private func summary(_ judgement: Judgement) -> String {
        switch judgement {
        case .verified(let verified): "\(verified.provenance) \(verified.keyName)"
        case .rejected(let rejection, _): "\(rejection.code)"
        case .undecided: "undecided"
        }
    }

    @Test("An added key verifies its kid from its first day until it is retired, alone and with tables")
    func dates() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let records = try set(
            Self.list(#""file": "p256.pem", "from": "2027-01-01", "until": "2027-01-03", \#(Self.kit)"#)
        ).records
        let verifier = try PostbackVerifier(added: records)
        let name = "apple Apple's added key P-256 \(try #require(keys[.p256]).fingerprint.prefix(16))"
        let body = try body()
        let times = [Self.newYear - 1, Self.newYear, Self.newYear + 2 * Self.day - 1, Self.newYear + 2 * Self.day]
        let bodies = times.map { ReceivedBody(body, receivedAtMilliseconds: $0) }
        let expected = ["unknownKey", name, name, "unknownKey"]
        #expect(times.map { summary(verifier.judge(body, receivedAt: $0)) } == expected)
        #expect(verifier.judge(bodies).map(summary) == expected)
        try verifier.prepareTables()
        #expect(verifier.judge(bodies).map(summary) == expected)
        // Explanations ask whatever the dates.
        #expect(verifier.verify([try ReceivedPostback(reading: body)]).map(summary) == [name])
        // Without a time, as received after every date.
        #expect(summary(verifier.judge(body)) == "unknownKey")
        #expect(summary(try PostbackVerifier().judge(self.body("apple-cas-identifier/0"))) == "invalidSignature")
    }

    @Test("Two keys of one kid are both tried, and neither verifies another kid")
    func twoKeys() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let other = try NetworkPrivateKey.generate(.p256).publicKey()
        try write(try other.pem(), to: "other.pem")
        let verifier = try PostbackVerifier(
            added: set(Self.list(#""file": "other.pem", \#(Self.kit)"#, #""file": "p256.pem", \#(Self.kit)"#)).records)
        #expect(summary(verifier.judge(try body())).hasPrefix("apple Apple's added key"))
        #expect(summary(verifier.judge(try body("apple-cas-identifier/0"))) == "invalidSignature")
        #expect(summary(verifier.judge(try body("apple-cas-identifier/2"))) == "unknownKey")
    }

    @Test("A body of an unknown kid that cannot be read waits for its key; one of a known kid is malformed")
    func unreadable() throws {
        let verifier = try PostbackVerifier()
        for (keyID, expected) in [("apple-cas-identifier/1", "unknownKey"), ("apple-cas-identifier/0", "malformed")] {
            let draft = AdAttributionKitDraft(signed: [], unproven: [], keyID: keyID)
            #expect(summary(verifier.judge(try standIn.sign(draft))) == expected)
        }
    }

    @Test("SKAdNetwork's development key counts as development, for its versions alone")
    func development() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let verifier = try PostbackVerifier(added: set(Self.list(#""file": "p256.pem", \#(Self.network)"#)).records)
        for (version, expected) in [(SKAdNetworkVersion.v4_0, "development"), (.v3_0, "invalidSignature")] {
            let body = try standIn.sign(PostbackVerifierTests.draft(version))
            #expect(summary(verifier.judge(body)).hasPrefix(expected))
        }
    }

    @Test("A built-in key is retired with a warning, for what it names alone, and repeated without effect")
    func builtIn() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let entry = #""file": "apple.pem", "framework": "skadnetwork", "versions": ["3.0"], "use": "production""#
        let repeated = try set(Self.list(entry))
        #expect(repeated.warnings.count == 1 && repeated.warnings[0].contains("changes nothing"))
        let retired = try set(Self.list(entry + #", "until": "2027-01-01""#))
        #expect(retired.warnings.count == 1 && retired.warnings[0].contains("is retired for 3.0"))
        let body = try #require(try AppleSignedPostback.all().first { $0.name.contains("3.0") && $0.isGenuine }).body
        let verifier = try PostbackVerifier(added: retired.records)
        #expect(summary(verifier.judge(body, receivedAt: Self.newYear - 1)) == "apple Apple's key on P-256")
        #expect(summary(verifier.judge(body, receivedAt: Self.newYear)) == "invalidSignature")
        #expect(verifier.appleKeys.allSatisfy { !$0.isAdded })
    }

    @Test("Copies of a verifier use new keys together; one that remembers a store's keys has both")
    func exchange() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let records = try set(Self.list(#""file": "p256.pem", \#(Self.kit)"#)).records
        let verifier = try PostbackVerifier()
        let copy = verifier
        let remembering = try verifier.remembering(records)
        #expect(summary(copy.judge(try body())) == "unknownKey")
        #expect(summary(remembering.judge(try body())).hasPrefix("apple"))
        verifier.use(try verifier.replacing(added: records))
        #expect(summary(copy.judge(try body())).hasPrefix("apple"))
    }
}
