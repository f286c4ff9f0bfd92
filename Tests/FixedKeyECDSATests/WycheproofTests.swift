import FixedKeyECDSA
import Foundation
import StrictJSON
import Testing

/// The known answers are not part of the package: without the folder, these tests are skipped.
@Suite(
    "Known answers of Wycheproof",
    .enabled(if: SpecFolder.folder("wycheproof") != nil, "no folder shared/spec/wycheproof; set SKAN_SPEC"))
struct WycheproofTests {
    /// The flags of cases with either result allowed, and the result here; today's files have none.
    private static let acceptable: [String: Bool] = [:]

    /// The flags of cases whose sums collide, which OpenSSL decides.
    private static let exceptional: Set = ["PointDuplication", "ArithmeticError"]

    @Test(
        "Every case gets the published verdict, alone and in a batch",
        arguments: [
            ("ecdsa_secp256r1_sha256_test.json", ECDSACurve.p256, true),
            ("ecdsa_secp256r1_sha256_p1363_test.json", .p256, false),
            ("ecdsa_secp192r1_sha256_test.json", .p192, true),
        ])
    func knownAnswers(name: String, curve: ECDSACurve, isDER: Bool) throws {
        let file = try WycheproofFile(name, in: try #require(SpecFolder.folder("wycheproof")))
        let keys = try file.testGroups.map {
            try ECDSAPublicKey(x963: [UInt8](hex: $0.publicKey.uncompressed), on: curve)
        }
        let verifiers = FixedKeyVerifier.variants(keys, windowWidths: [5])
        var judged = 0
        var undecided: Set<Int> = []
        var checks: [SignatureCheck] = []
        var cases: [(one: WycheproofFile.Case, point: [UInt8])] = []
        for (group, key) in zip(file.testGroups, verifiers[0].keys) {
            for one in group.tests {
                judged += 1
                let bytes = [UInt8](hex: one.sig)
                let read =
                    isDER ? ECDSASignature(der: bytes, on: curve) : ECDSASignature(raw: bytes, on: curve)
                guard let signature = read else {
                    let isToVerify = try isToVerify(one)
                    #expect(!isToVerify, "\(one) is not read")
                    continue
                }
                let digest = MessageDigest([UInt8](hex: one.msg).sha256)
                checks.append(SignatureCheck(digest: digest, signature: signature, key: key))
                cases.append((one, [UInt8](hex: group.publicKey.uncompressed)))
            }
        }
        let together = verifiers.map { $0.verify(checks) }
        for (index, (one, point)) in cases.enumerated() {
            let expected: Verdict = try isToVerify(one) ? .valid : .invalid
            for verdict in together.map({ $0[index] }) + [verifiers[0].verify(checks[index])] where verdict != expected
            {
                #expect(verdict == .undecided && !Self.exceptional.isDisjoint(with: one.flags), "\(one)")
                undecided.insert(one.tcId)
                let key = try #require(OpenSSLKey(point: point, on: curve))
                let answer = key.verifies(der(of: one, isDER: isDER), of: [UInt8](hex: one.msg).sha256)
                #expect(answer == (expected == .valid), "\(one)")
            }
        }
        #expect(undecided.count <= 8, "\(undecided)")
        #expect(judged == file.numberOfTests)
    }

    private func der(of one: WycheproofFile.Case, isDER: Bool) -> [UInt8] {
        let bytes = [UInt8](hex: one.sig)
        let half = bytes.count / 2
        return isDER
            ? bytes : DERWriter.signature(Number(bytes: Array(bytes[..<half])), Number(bytes: Array(bytes[half...])))
    }

    private func isToVerify(_ one: WycheproofFile.Case) throws -> Bool {
        switch one.result {
        case "valid": return true
        case "invalid": return false
        default:
            let flag = try #require(one.flags.first { Self.acceptable[$0] != nil }, "\(one) is not decided")
            return try #require(Self.acceptable[flag] as Bool?)
        }
    }
}

/// A file of known-answer tests of the project C2SP/wycheproof for ECDSA verification.
struct WycheproofFile: Decodable {
    struct Group: Decodable {
        let publicKey: PublicKey
        let tests: [Case]
    }

    struct PublicKey: Decodable {
        let uncompressed: String
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let flags: [String]
        let msg: String
        let sig: String
        let result: String
    }

    let numberOfTests: Int
    let testGroups: [Group]

    init(_ name: String, in folder: URL) throws {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        self = try JSONDecoder().decode(Self.self, from: data)
    }
}

/// The folder of specifications, which is not part of the package.
///
/// `SKAN_SPEC` is its path; by default `shared/spec` next to the package or in a folder above.
enum SpecFolder {
    static let url: URL? = {
        if let path = ProcessInfo.processInfo.environment["SKAN_SPEC"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        var folder = URL(fileURLWithPath: #filePath)
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("shared/spec", isDirectory: true)
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        }
        return nil
    }()

    /// A folder within, if it exists.
    static func folder(_ name: String) -> URL? {
        guard let folder = url?.appendingPathComponent(name, isDirectory: true),
            FileManager.default.fileExists(atPath: folder.path)
        else { return nil }
        return folder
    }
}
