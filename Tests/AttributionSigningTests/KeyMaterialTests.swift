import Attribution
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("Forms of keys")
struct KeyMaterialTests {
    /// The forms in which people have one key; each from its PEM and its DER.
    static let forms: [(name: String, make: @Sendable (String, [UInt8]) -> [UInt8])] = [
        ("PEM", { pem, _ in Array(pem.utf8) }),
        ("PEM with CRLF", { pem, _ in Array(pem.replacing("\n", with: "\r\n").utf8) }),
        ("PEM with a byte order mark", { pem, _ in [0xEF, 0xBB, 0xBF] + Array(pem.utf8) }),
        ("PEM in UTF-16", { pem, _ in [0xFF, 0xFE] + pem.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }),
        ("PEM with escaped line breaks", { pem, _ in Array(pem.replacing("\n", with: "\\n").utf8) }),
        (
            "PEM as a line of a file of settings",
            { pem, _ in Array("KEY=\"\(pem.replacing("\n", with: "\\n"))\"\n".utf8) }
        ),
        ("PEM in one line", { pem, _ in Array(pem.replacing("\n", with: " ").utf8) }),
        ("PEM indented", { pem, _ in Array(("key: |\n  " + pem.replacing("\n", with: "\n  ")).utf8) }),
        ("PEM in a JSON string", { pem, _ in JSONText.object([("key", .string(pem))]).lineBytes }),
        (
            "PEM after parameters of the curve",
            { pem, _ in
                Array("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n\(pem)".utf8)
            }
        ),
        ("DER", { _, der in der }),
        ("base64", { _, der in Array(Base64.encode(der).utf8) }),
        ("base64 in quotes and a newline", { _, der in Array("\"\(Base64.encode(der))\"\n".utf8) }),
        ("base64url", { _, der in Array(Base64URL.encode(der).utf8) }),
        ("base64 of PEM", { pem, _ in Array(Base64.encode(Array(pem.utf8)).utf8) }),
    ]

    @Test("A private key is read in every form, and so is its public half", arguments: forms, SignatureCurve.allCases)
    func reads(
        _ form: (name: String, make: @Sendable (String, [UInt8]) -> [UInt8]), _ curve: SignatureCurve
    ) throws {
        let key = try NetworkPrivateKey.generate(curve)
        let pem = try key.pem()
        let bytes = form.make(pem, try Self.der(pem))
        #expect(try NetworkPrivateKey(reading: bytes, file: "k").publicKey().matches(key), "\(form.name)")
        #expect(try SignaturePublicKey(reading: bytes, file: "k").matches(key), "\(form.name)")
        #expect(KeyMaterial(reading: bytes).hasSecret)
        let half = try key.publicKey()
        let publicBytes = form.make(try half.pem(), half.subjectPublicKeyInfo)
        #expect(try SignaturePublicKey(reading: publicBytes, file: "k").matches(key), "\(form.name)")
        #expect(!KeyMaterial(reading: publicBytes).hasSecret)
        #expect(throws: KeyProblem.publicInsteadOfPrivate(file: "k")) {
            try NetworkPrivateKey(reading: publicBytes, file: "k")
        }
    }

    @Test("A secret is one whatever is around it, and a damaged public key is none")
    func secrets() throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let damaged = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
        #expect(KeyMaterial(reading: Array((try key.pem() + damaged).utf8)).hasSecret)
        #expect(!KeyMaterial(reading: Array(damaged.utf8)).hasSecret)
        let jwk = #"{"kty": "EC", "crv": "P-256", "x": "AAAA"}"#
        #expect(!KeyMaterial(reading: Array(jwk.utf8)).hasSecret)
        #expect(!KeyMaterial(reading: Array("{\"keys\": [\(jwk), \(jwk)]}".utf8)).hasSecret)
        let secret = #"{"kty": "EC", "crv": "P-256", "x": "AAAA", "d": "AAAA"}"#
        #expect(KeyMaterial(reading: Array(secret.utf8)).hasSecret)
        #expect(KeyMaterial(reading: Array("{\"keys\": [\(jwk), \(secret)]}".utf8)).hasSecret)
    }

    private static func der(_ pem: String) throws -> [UInt8] {
        try #require(Base64.decode(pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()))
    }

    /// The members of a JWK, from its public half's DER; `d` is at a fixed offset in PKCS#8.
    private static func jwk(_ curve: SignatureCurve, _ key: NetworkPrivateKey) throws -> [(String, JSONText)] {
        let size = curve == .p256 ? 32 : 24
        let point = try key.publicKey().subjectPublicKeyInfo.suffix(2 * size)
        let pkcs8 = try der(key.pem())
        let tag = try #require(pkcs8.firstRange(of: [0x02, 0x01, 0x01, 0x04, UInt8(size)]))
        return [
            ("kty", .string("EC")), ("crv", .string(curve.displayName)),
            ("x", .string(Base64URL.encode(point.prefix(size)))), ("y", .string(Base64URL.encode(point.suffix(size)))),
            ("d", .string(Base64URL.encode(pkcs8[tag.upperBound..<(tag.upperBound + size)]))),
        ]
    }

    @Test("A JWK, its public half and a set of one are read", arguments: SignatureCurve.allCases)
    func jwk(_ curve: SignatureCurve) throws {
        let key = try NetworkPrivateKey.generate(curve)
        let members = try Self.jwk(curve, key)
        let whole = JSONText.object(members)
        for text in [whole.lineBytes, Array(whole.pretty.utf8), JSONText.object([("keys", .array([whole]))]).lineBytes]
        {
            #expect(try NetworkPrivateKey(reading: text, file: "k").publicKey().matches(key))
        }
        let half = JSONText.object(members.dropLast()).lineBytes
        #expect(try SignaturePublicKey(reading: half, file: "k").matches(key))
        #expect(throws: KeyProblem.publicInsteadOfPrivate(file: "k")) {
            try NetworkPrivateKey(reading: half, file: "k")
        }
    }

    /// A row of `unusable-keys.json`.
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let text: String?
        let base64: String?
        let found: String?
        let cure: String

        var testDescription: String { id }
        var bytes: [UInt8] { text.map { Array($0.utf8) } ?? base64.flatMap { Base64.decode($0) } ?? [] }
    }

    static let rows: [Row] = {
        struct File: Decodable {
            let rows: [Row]
        }
        let url = Repository.root.appendingPathComponent("Tests/TestSupport/Fixtures/unusable-keys.json")
        return (try? JSONDecoder().decode(File.self, from: Data(contentsOf: url)))?.rows ?? []
    }()

    @Test("The rows are read")
    func hasRows() {
        #expect(Self.rows.count == 24)
    }

    @Test("What is no key for Apple is named, with the command that helps and never a new key", arguments: rows)
    func unusable(_ row: Row) throws {
        let problems = [
            #expect(throws: KeyProblem.self) { try NetworkPrivateKey(reading: row.bytes, file: "k") },
            #expect(throws: KeyProblem.self) { try SignaturePublicKey(reading: row.bytes, file: "k") },
        ]
        for problem in problems.compactMap({ $0 }) {
            let (message, hint) = (problem.message, problem.hint ?? "")
            #expect(row.found.map { message.hasPrefix("k holds \($0), expected") } ?? message.hasPrefix("k holds no "))
            #expect(!hint.contains("generate") && problem.code == .unusableKey)
            #expect(hint.count < 250 && !message.contains("MIG"))
        }
        #expect(problems.contains { $0?.hint?.contains(row.cure) == true }, "\(problems)")
    }

    @Test("A binary private key that others can read is refused as a PEM is", arguments: [0o600, 0o644])
    func mode(_ mode: Int) throws {
        let file = NSTemporaryDirectory() + "skan-key-\(UUID().uuidString).der"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let key = try NetworkPrivateKey.generate(.p256)
        try Data(try Self.der(key.pem())).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        guard mode != 0o600 else {
            #expect(try NetworkPrivateKey(file: file).publicKey().matches(key))
            return
        }
        #expect(throws: KeyProblem.openToOthers(file: file, mode: "0644")) { try NetworkPrivateKey(file: file) }
    }
}
