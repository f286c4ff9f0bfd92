import Foundation
import StrictJSON
import Testing

@Suite("skan sign for AdAttributionKit")
struct AppImpressionTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        for (curve, file) in [("p256", "key.pem"), ("p192", "p192.pem")] {
            _ = try SkanProcess.run(["keys", "generate", "--curve", curve, file], in: folder.url)
        }
        let keys = SkanProcess.openssl
        _ = try SkanProcess.run(keys, ["pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"], in: folder.url)
        let list = """
            {"keys": [{"ad-network-id": "n.skadnetwork", "file": "p192.pem", "versions": "1.0-2.0", "use": "active"},
                      {"ad-network-id": "n.skadnetwork", "file": "key.pem", "versions": "2.1-4.0", "use": "active"},
                      {"ad-network-id": "old.skadnetwork", "file": "p192.pem", "versions": "2.0", "use": "active"}]}
            """
        try Data(list.utf8).write(to: folder.url.appendingPathComponent("keys.json"))
    }

    /// The options every AdAttributionKit impression needs.
    static let options = [
        "sign", "--framework", "adattributionkit", "--network", "n.skadnetwork", "--advertised-app", "10738027756",
        "--source-app", "1234567891", "--source-identifier", "5239",
    ]

    @Test(
        "PyJWT verifies what skan sign printed, with every field",
        arguments: [["--key", "key.pem"], ["--keys", "keys.json"]], [true, false])
    func independentJOSE(_ key: [String], _ reEngagement: Bool) throws {
        let given = ["--nonce", "68483ef6-0678-40df-859b-1b8f3f2d7b21", "--timestamp", "1676057605705"]
        let outcome = try SkanProcess.run(
            Self.options + given + key + ["--format", "jws"] + (reEngagement ? ["--re-engagement"] : []),
            in: folder.url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let verified = try SkanProcess.verifyJWS(outcome.output, publicKey: "public.pem", in: folder.url)
        #expect(verified.header as? [String: String] == ["alg": "ES256", "kid": "n.skadnetwork"])
        var expected: [String: Any] = [
            "impression-identifier": "68483ef6-0678-40df-859b-1b8f3f2d7b21", "publisher-item-identifier": 1_234_567_891,
            "impression-type": "app-impression", "ad-network-identifier": "n.skadnetwork", "source-identifier": 5239,
            "timestamp": 1_676_057_605_705, "advertised-item-identifier": 10_738_027_756,
        ]
        if reEngagement {
            expected["eligible-for-re-engagement"] = true
        }
        #expect(NSDictionary(dictionary: verified.payload) == NSDictionary(dictionary: expected))
    }

    @Test("PyJWT refuses a JWS with one character changed, so that its yes means something")
    func tampered() throws {
        let outcome = try SkanProcess.run(Self.options + ["--key", "key.pem", "--format", "jws"], in: folder.url)
        var characters = Array(outcome.output)
        characters[80] = characters[80] == "A" ? "B" : "A"
        #expect(throws: (any Error).self) {
            try SkanProcess.verifyJWS(String(characters), publicKey: "public.pem", in: folder.url)
        }
    }

    @Test("The JSON shows the fields beside the JWS; nonce and time are fresh by default")
    func json() throws {
        let before = Int(Date().timeIntervalSince1970 * 1000)
        let outcome = try SkanProcess.run(Self.options + ["--key", "key.pem"], in: folder.url)
        let object = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let jws = try #require(object["compact-jws"] as? String)
        let verified = try SkanProcess.verifyJWS(jws, publicKey: "public.pem", in: folder.url)
        let shown = try #require(object["impression"] as? [String: Any])
        #expect(NSDictionary(dictionary: verified.payload) == NSDictionary(dictionary: shown))
        #expect(try #require(shown["timestamp"] as? Int) >= before)
    }

    static let wrong: [([String], String)] = [
        (["--key", "key.pem", "--version", "4.0"], "--version: found with --framework adattributionkit"),
        (["--key", "key.pem", "--campaign", "1"], "--campaign: found with --framework adattributionkit"),
        (["--key", "key.pem", "--fidelity", "1"], "--fidelity: found with --framework adattributionkit"),
        (["--key", "key.pem", "--source-domain", "a.com"], "--source-domain: found with --framework adattributionkit"),
        (["--key", "key.pem", "--format", "storekit"], "--format storekit: found with --framework adattributionkit"),
        (["--key", "key.pem", "--format", "impression"], "--format impression: found with"),
        (["--key", "p192.pem"], "a P-192 key cannot sign for AdAttributionKit"),
        (
            ["--keys", "keys.json", "--network", "old.skadnetwork"],
            "no active key for old.skadnetwork and AdAttribution"
        ),
        (
            ["--key", "key.pem", "--source-identifier", "10000"],
            "--source-identifier: found 10000, expected a whole number"
        ),
        (["--key", "key.pem", "--source-app=-1"], "--source-app: found -1"),
        (["--key", "key.pem", "--framework", "skadnetwork"], "expected --version VERSION\n"),
        (
            ["--key", "key.pem", "--framework", "skadnetwork", "--version", "4.0", "--re-engagement"],
            "--re-engagement: found with --framework skadnetwork"
        ),
        (
            ["--key", "key.pem", "--framework", "skadnetwork", "--version", "4.0", "--format", "jws"],
            "--format jws: found with --framework skadnetwork"
        ),
    ]

    @Test("What does not fit is refused by name, and ends with 2", arguments: wrong)
    func refused(_ more: [String], _ message: String) throws {
        let outcome = try SkanProcess.run(Self.options + more, in: folder.url)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("skan: error: \(message)"), "\(outcome.errors)")
    }
}
