import Foundation
import Testing

@Suite("Swift code to paste, and what Apple's form asks for", .timeLimit(.minutes(5)))
struct SwiftCodeTests {
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
        try Data(code.utf8).write(to: folder.url.appendingPathComponent("code.swift"))
        return try SkanProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["swiftc", "-frontend", "-parse", "code.swift"], in: folder.url)
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
        ])
    func forms(_ options: [String], _ names: [String]) throws {
        let outcome = try SkanProcess.run(Self.common + options, in: folder.url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(Self.names(outcome.output) == names)
        #expect(outcome.output.contains("AppImpression(compactJWS: \"eyJ") == names.isEmpty)
        let parsed = try parses(outcome.output)
        #expect(parsed.status == 0, "\(parsed.errors)\(outcome.output)")
    }

    @Test("The code of a web ad is its link, which another command prints")
    func web() throws {
        let outcome = try SkanProcess.run(
            Self.common + ["--version", "4.0", "--source-domain", "example.com"] + Self.source, in: folder.url)
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
        let pem = try SkanProcess.run(SkanProcess.openssl, ["pkey", "-in", "new.pem", "-pubout"], in: folder.url).output
        try Data(pem.utf8).write(to: folder.url.appendingPathComponent("new.public.pem"))
        let outcome = try SkanProcess.run(["register"] + options, in: folder.url)
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
        let outcome = try SkanProcess.run(["register"] + options, in: folder.url)
        #expect(outcome.status == 2 && outcome.output == "", "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
}
