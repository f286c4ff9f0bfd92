import Foundation
import StrictJSON
import Testing

@Suite("skan publish")
struct PublishTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private static let command = [
        "publish", "skadnetworkids", "--company-name", "Example & Sons", "--company-domain", "example.com",
    ]

    private func publish(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(Self.command + arguments)
    }

    @Test("A folder gets every file, and each piece alone is the same text")
    func files() throws {
        let ids = ["--id", "abc123.skadnetwork@2024-05-01", "--id", "abc123.adattributionkit"]
        let outcome = try skan(Self.command + ids + ["--output", "public"])
        #expect(outcome.status == 0)
        #expect(outcome.output == "")
        let pieces = [
            ("json", "skadnetworkids.json"), ("xml", "skadnetworkids.xml"), ("source-app", "source-app.plist"),
            ("advertised-app", "advertised-app.plist"),
        ]
        for (piece, name) in pieces {
            let file = folder.url.appendingPathComponent("public/\(name)")
            let text = try String(contentsOf: file, encoding: .utf8)
            let alone = try skan(Self.command + ids + ["--piece", piece])
            #expect(alone.output == text)
            let data = Data(text.utf8)
            if piece == "json" {
                let list = try JSONSerialization.jsonObject(with: data) as? [String: Any]
                #expect(list?["company_name"] as? String == "Example & Sons")
                let entries = list?["skadnetwork_ids"] as? [[String: String]]
                #expect(entries?.map { $0["creation_date"] } == ["2024-05-01T00:00:00Z"])
            } else {
                #expect(try PropertyListSerialization.propertyList(from: data, format: nil) is [String: Any])
            }
        }
    }

    @Test("An advertised app gets the rules that were chosen, for each id of the network, and no others")
    func rules() throws {
        let outcome = try publish(
            "--id", "abc123.skadnetwork", "--id", "abc123.adattributionkit", "--overlapping-conversions",
            "--click-window", "7", "--ignore-interaction-type", "view", "--install-cooldown", "24",
            "--re-engagement-cooldown", "0", "--piece", "advertised-app")
        let list = try PropertyListSerialization.propertyList(from: Data(outcome.output.utf8), format: nil)
        let app = try #require(list as? [String: Any], "\(outcome)")
        #expect(app["EligibleForAdAttributionKitReengagementPostbackCopies"] as? Bool == true)
        #expect(app["EligibleForAdAttributionKitOverlappingConversions"] as? Bool == true)
        let install = ["install": ["click": 7, "ignoreInteractionType": "view"] as [String: Any]]
        let expected: NSDictionary = [
            "AttributionWindows": ["abc123.skadnetwork": install, "abc123.adattributionkit": install],
            "AttributionCooldown": ["install-cooldown-hours": 24, "re-engagement-cooldown-hours": 0],
        ]
        let written = app["AdAttributionKitConfigurations"] as? [String: Any]
        #expect(written.map { NSDictionary(dictionary: $0) } == expected, "\(outcome)")
        let plain = try publish("--id", "abc123.skadnetwork", "--piece", "advertised-app").output
        #expect(!plain.contains("OverlappingConversions") && !plain.contains("AdAttributionKitConfigurations"))
    }

    @Test("Ids of AdAttributionKit alone leave the lists of SKAdNetwork unwritten, and say so")
    func newFrameworkOnly() throws {
        let outcome = try publish("--id", "abc123.adattributionkit", "--output", ".")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("no skadnetworkids.json"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("skadnetworkids.json")))
        #expect(try publish("--id", "abc123.adattributionkit", "--piece", "xml").status == 2)
    }

    @Test(
        "Bad input names field, value and expectation",
        arguments: [
            (["--id", "ABC123.skadnetwork", "--piece", "json"], "id: found ABC123.skadnetwork, expected a-z 0-9"),
            (["--id", "abc.skadnetwork@May", "--piece", "json"], "id abc.skadnetwork: found the day May"),
            (["--id", "a.skadnetwork", "--id", "a.skadnetwork", "--piece", "json"], "found a.skadnetwork twice"),
            (
                ["--id", "a.skadnetwork", "--copy-domain", "https://a.b", "--piece", "xml"],
                "--copy-domain: found \"https"
            ),
            (
                ["--id", "a.skadnetwork", "--piece", "xml", "--view-window", "8"],
                "--view-window: found 8, expected 1 to 7 days"
            ),
            (
                ["--id", "a.skadnetwork", "--piece", "xml", "--install-cooldown", "721"],
                "--install-cooldown: found 721, expected 0 to 720 hours"
            ),
            (
                ["--id", "a.skadnetwork", "--piece", "xml", "--view-window", "2", "--ignore-interaction-type", "view"],
                "found --view-window and --ignore-interaction-type view, expected one of them"
            ),
            (
                ["--id", "a.skadnetwork", "--piece", "xml", "--ignore-interaction-type", "other"],
                "--ignore-interaction-type: found other, expected one of click, view"
            ),
            (["--id", "a.skadnetwork"], "expected one of --output FOLDER and --piece PIECE"),
            (["--id", "a.skadnetwork", "--output", "/proc/none"], "cannot write to /proc/none"),
        ])
    func badInput(_ arguments: [String], _ message: String) throws {
        let outcome = try skan(Self.command + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
}

@Suite("skan sign for AdAttributionKit")
struct AppImpressionTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        for (curve, file) in [("p256", "key.pem"), ("p192", "p192.pem")] {
            _ = try skan(["keys", "generate", "--curve", curve, file])
        }
        let keys = SkanProcess.openssl
        _ = try run(keys, ["pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"])
        let list = """
            {"keys": [{"ad-network-id": "n.skadnetwork", "file": "p192.pem", "versions": "1.0-2.0", "use": "active"},
                      {"ad-network-id": "n.skadnetwork", "file": "key.pem", "versions": "2.1-4.0", "use": "active"},
                      {"ad-network-id": "old.skadnetwork", "file": "p192.pem", "versions": "2.0", "use": "active"}]}
            """
        try write(list, to: "keys.json")
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
        let outcome = try skan(
            Self.options + given + key + ["--format", "jws"] + (reEngagement ? ["--re-engagement"] : []))
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

    @Test("The JSON shows the fields beside the JWS; nonce and time are fresh by default")
    func json() throws {
        let before = Int(Date().timeIntervalSince1970 * 1000)
        let outcome = try skan(Self.options + ["--key", "key.pem"])
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
        let outcome = try skan(Self.options + more)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("skan: error: \(message)"), "\(outcome.errors)")
    }
}

@Suite("Swift code to paste, and what Apple's form asks for", .timeLimit(.minutes(5)))
struct SwiftCodeTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
    }

    private static let common = [
        "sign", "--keys", "keys.json", "--advertised-app", "525463029", "--format", "swift", "--timestamp",
        "1676057605705", "--nonce", "68483ef6-0678-40df-859b-1b8f3f2d7b21", "--network", "example123.skadnetwork",
    ]
    private static let prefix = "    SKStoreProductParameter"

    /// The names of what is set, in order, from the lines of the code.
    private static func names(_ code: String) -> [String] {
        code.split(separator: "\n").compactMap { line in
            if line.hasPrefix(prefix) {
                return String(line.dropFirst(prefix.count).prefix { $0 != ":" })
            }
            return line.hasPrefix("impression.") ? String(line.dropFirst(11).prefix { $0 != " " }) : nil
        }
    }

    /// Whether a compiler reads the code.
    private func parses(_ code: String) throws -> SkanProcess.Outcome {
        try write(code, to: "code.swift")
        return try run(URL(fileURLWithPath: "/usr/bin/env"), ["swiftc", "-frontend", "-parse", "code.swift"])
    }

    private static let inApp = ["--source-app", "1234567891"]
    private static let campaign = ["--campaign", "42"]
    private static let source = ["--source-identifier", "5239"]
    private static let later = [
        "AdNetworkSourceAppStoreIdentifier", "AdNetworkVersion", "AdNetworkNonce", "AdNetworkTimestamp",
        "AdNetworkAttributionSignature",
    ]
    private static let first = ["ITunesItemIdentifier", "AdNetworkIdentifier"]
    private static let viewed = [
        "advertisedAppStoreItemIdentifier", "sourceAppStoreItemIdentifier", "adImpressionIdentifier", "timestamp",
        "signature",
    ]

    @Test(
        "Each form and version has the names of its framework, and a compiler reads it",
        arguments: [
            (
                ["--version", "1.0"] + campaign,
                first + [
                    "AdNetworkCampaignIdentifier", "AdNetworkNonce", "AdNetworkTimestamp",
                    "AdNetworkAttributionSignature",
                ]
            ),
            (["--version", "2.0"] + campaign + inApp, first + ["AdNetworkCampaignIdentifier"] + later),
            (["--version", "3.0"] + campaign + inApp, first + ["AdNetworkCampaignIdentifier"] + later),
            (["--version", "4.0"] + source + inApp, first + ["AdNetworkSourceIdentifier"] + later),
            (
                ["--version", "2.2", "--fidelity", "0"] + campaign + inApp,
                ["version", "adNetworkIdentifier", "adCampaignIdentifier"] + viewed
            ),
            (
                ["--version", "4.0", "--fidelity", "0"] + source + inApp,
                ["version", "adNetworkIdentifier", "sourceIdentifier"] + viewed
            ),
            (["--framework", "adattributionkit"] + source + inApp, []),
            (["--framework", "adattributionkit", "--re-engagement"] + source + inApp, []),
        ])
    func forms(_ options: [String], _ names: [String]) throws {
        let outcome = try skan(Self.common + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(Self.names(outcome.output) == names)
        #expect(outcome.output.contains("AppImpression(compactJWS: \"eyJ") == names.isEmpty)
        #expect(
            outcome.output.contains("impression.handleTap(reengagementURL: reengagementURL)")
                == options.contains("--re-engagement"))
        let parsed = try parses(outcome.output)
        #expect(parsed.status == 0, "\(parsed.errors)\(outcome.output)")
    }

    @Test("The code of a web ad is its link, which another command prints")
    func web() throws {
        let outcome = try skan(Self.common + ["--version", "4.0", "--source-domain", "example.com"] + Self.source)
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.contains("skan web-ad issue --format html"), "\(outcome.errors)")
    }

    // MARK: register

    @Test(
        "skan register prints the id, the URL and the public key that Apple's form asks for",
        arguments: [
            (["--key", "new.pem"], "none yet", "https://HOST/skadnetwork/postbacks"),
            (
                ["--public-key", "new.public.pem", "--origin", "https://network.example", "--ad-network-id"]
                    + ["example123.skadnetwork"],
                "example123.skadnetwork", "https://network.example/skadnetwork/postbacks"
            ),
        ])
    func register(_ options: [String], _ id: String, _ url: String) throws {
        let pem = try run(SkanProcess.openssl, ["pkey", "-in", "new.pem", "-pubout"]).output
        try write(pem, to: "new.public.pem")
        let outcome = try skan(["register"] + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
        for part in ["https://developer.apple.com/contact/request/ad-network-id/\n", id, url + "\n", "\n\n" + pem] {
            #expect(outcome.output.contains(part), "\(outcome.output)")
        }
        #expect(outcome.errors.contains(".well-known/skadnetwork/get-signed-payload"))
    }

    @Test(
        "What cannot be registered is refused",
        arguments: [
            ([], "expected one of --key FILE and --public-key FILE"),
            (["--key", "new.pem", "--public-key", "new.pem"], "expected one of --key FILE and --public-key FILE"),
            (["--key", "old.pem"], "found a key on P-192, expected one on P-256"),
            (["--key", "new.pem", "--ad-network-id", "Example.skadnetwork"], "found Example.skadnetwork"),
            (["--key", "new.pem", "--origin", "http://network.example"], "found \"http://network.example\""),
        ])
    func unregistrable(_ options: [String], _ words: String) throws {
        let outcome = try skan(["register"] + options)
        #expect(outcome.status == 2 && outcome.output == "", "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
}
