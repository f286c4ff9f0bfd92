import Foundation
import StrictJSON
import Testing

@Suite("The command line")
struct CommandTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The body of a vector, as a device would send it.
    static func body(_ vector: String) throws -> String {
        let file = root.appendingPathComponent("Tests/Fixtures/vectors/\(vector).json")
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let body = try JSONSerialization.data(withJSONObject: #require(object?["body"]), options: [.sortedKeys])
        return String(decoding: body, as: UTF8.self)
    }

    // MARK: sign

    static let orders: [(String, [String], [String])] = [
        ("1.0", ["--campaign", "42"], ["ad-network-id", "campaign-id", "itunes-item-id", "nonce", "timestamp"]),
        (
            "2.0", ["--campaign", "42", "--source-app", "0"],
            ["version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "timestamp"]
        ),
        (
            "2.1", ["--campaign", "100", "--source-app", "1"],
            ["version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "timestamp"]
        ),
        (
            "2.2", ["--campaign", "1", "--source-app", "1", "--fidelity", "0"],
            [
                "version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "fidelity-type",
                "timestamp",
            ]
        ),
        (
            "3.0", ["--campaign", "1", "--source-app", "1"],
            [
                "version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "fidelity-type",
                "timestamp",
            ]
        ),
        (
            "4.0", ["--source-identifier", "39", "--source-app", "10738027756", "--fidelity", "0"],
            [
                "version", "ad-network-id", "source-identifier", "itunes-item-id", "nonce", "source-app-id",
                "fidelity-type", "timestamp",
            ]
        ),
        (
            "4.0", ["--source-identifier", "9999", "--source-domain", "example.com"],
            [
                "version", "ad-network-id", "source-identifier", "itunes-item-id", "nonce", "source-domain",
                "fidelity-type", "timestamp",
            ]
        ),
    ]

    @Test("openssl verifies what skan sign made, from its output alone", arguments: orders, ["p256", "p192"])
    func sign(_ form: (version: String, options: [String], order: [String]), _ curve: String) throws {
        #expect(try skan("keys", "generate", "--curve", curve, "key.pem").status == 0)
        let outcome = try skan(
            [
                "sign", "--version", form.version, "--network", "Example123.skadnetwork", "--advertised-app",
                "10738027756", "--key", "key.pem",
            ] + form.options)
        guard curve == "p256" || ["1.0", "2.0"].contains(form.version) else {
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("a P-192 key cannot sign version \(form.version)"))
            return
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        // The text is put together here, from the page's order, not by the product.
        let text = try form.order.map { name in "\(try #require(json[name]))" }.joined(separator: "\u{2063}")
        let signature = (json["attribution-signature"] as? String).flatMap { Data(base64Encoded: $0) }
        let key = try run(SkanProcess.openssl, ["pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"])
        #expect(key.status == 0)
        #expect(try opensslVerifies(signature, text, key: "public.pem"))
    }

    @Test(
        "Bad input names field, value, expectation and cure, and ends with 2",
        arguments: [
            (
                [
                    "sign", "--version", "3.0", "--network", "n.skadnetwork", "--campaign", "101", "--advertised-app",
                    "1",
                    "--source-app", "1", "--key", "key.pem",
                ], "--campaign: found 101, expected a whole number from 1 to 100"
            ),
            (
                [
                    "sign", "--version", "3.0", "--network", "n.skadnetwork", "--campaign", "1", "--advertised-app",
                    "1",
                    "--source-app", "1",
                ], "expected one of --key FILE and --keys LIST"
            ),
            (
                [
                    "sign", "--version", "4.0", "--network", "n.skadnetwork", "--source-identifier", "1",
                    "--advertised-app", "1",
                    "--source-domain", "Example.com", "--key", "key.pem",
                ], "--source-domain: found \"Example.com\", expected a domain in lower case"
            ),
            (
                [
                    "sign", "--version", "4.0", "--network", "n.skadnetwork", "--source-identifier", "1",
                    "--advertised-app", "1",
                    "--source-domain", "a..b", "--key", "key.pem",
                ], "--source-domain: found \"a..b\", expected a domain in lower case"
            ),
            (
                [
                    "sign", "--version", "3.0", "--network", "n.skadnetwork", "--campaign", "1", "--advertised-app",
                    "1",
                    "--source-app", "1", "--key", "none.pem",
                ], "cannot read the key file none.pem"
            ),
            (
                [
                    "sign", "--version", "1.0", "--network", "abc", "--campaign", "1", "--advertised-app", "1", "--key",
                    "key.pem",
                ],
                "--network: found \"abc\", expected the id of one ad network"
            ),
            (
                [
                    "sign", "--framework", "adattributionkit", "--network", " n.skadnetwork", "--source-identifier",
                    "1",
                    "--advertised-app", "1", "--source-app", "1", "--key", "key.pem",
                ], "--network: found \" n.skadnetwork\", expected the id of one ad network"
            ),
            (["keys", "generate", "key.pem"], "key.pem exists, and a key is never overwritten"),
            (["keys", "generate", "-"], "FILE: found -, expected the name of a new file"),
            (["keys", "check", "open.pem"], "can be read by others (mode 0644)"),
            (["keys", "check", "/etc/os-release"], "/etc/os-release holds no unencrypted private key"),
            (["keys", "check", "key.pem", "--public", "other.pem"], "other.pem is not the public half of key.pem"),
            (["keys", "check", "p192.pem", "--version", "4.0"], "a P-192 key cannot sign version 4.0"),
            (
                ["report", "--store", "none.sqlite"],
                "there is no store at none.sqlite\nskan: hint: skan serve --store none"
            ),
            (["report", "--store", "none.sqlite", "--by", "colour"], "by: found colour, expected one of hour, day,"),
            (
                ["report", "--period", "2026-02-30"],
                "period: found 2026-02-30, expected a day of the calendar: 2026-02 has"
            ),
            (["report", "--sort", "-instals"], "; did you mean installs?\nskan: hint: skan help report"),
            (["report"], "expected --store FILE"),
            (["recount", "--store", "none.sqlite"], "there is no store at none.sqlite"),
            (["serve", "--store", "nowhere/skan.sqlite"], "the folder"),
            (["serve"], "expected --store FILE"),
            (["serve", "--store", "s", "--console", "0.0.0.0:1"], "listens on loopback only"),
            (["verify", "none.json"], "cannot read none.json"),
            (["verify", "--trust-test-key", "none.pem"], "cannot read the key file none.pem"),
            (["simulate"], "expected --post URL or --output FOLDER"),
            (["nonsense"], "unknown command nonsense, expected one of serve, tokens, "),
        ])
    func badInput(_ arguments: [String], _ message: String) throws {
        for (curve, file) in [("p256", "key.pem"), ("p256", "open.pem"), ("p256", "other.pem"), ("p192", "p192.pem")] {
            _ = try skan("keys", "generate", "--curve", curve, file)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("open.pem"))
        let outcome = try skan(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("skan: error: "))
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("Formats fit the form of the ad")
    func formats() throws {
        _ = try skan("keys", "generate", "key.pem")
        func sign(_ fidelity: String, _ format: String) throws -> SkanProcess.Outcome {
            try skan(
                "sign", "--version", "4.0", "--network", "n.skadnetwork", "--source-identifier", "1",
                "--advertised-app", "1",
                "--source-app", "2", "--fidelity", fidelity, "--key", "key.pem", "--format", format)
        }
        #expect(try sign("1", "storekit").output.contains("\"SKStoreProductParameterAdNetworkSourceIdentifier\": 1"))
        #expect(try sign("0", "impression").output.contains("\"adImpressionIdentifier\""))
        #expect(try sign("0", "storekit").status == 2)
        #expect(try sign("1", "impression").status == 2)
    }

    @Test("A key's public half is what Apple asks for, and matches openssl's")
    func publicKey() throws {
        _ = try skan("keys", "generate", "key.pem")
        let shown = try skan("keys", "public", "key.pem")
        let theirs = try run(SkanProcess.openssl, ["pkey", "-in", "key.pem", "-pubout"])
        #expect(shown.output == theirs.output)
        #expect(shown.errors.contains("fingerprint: SHA256:"))
        #expect(try skan("keys", "check", "key.pem").output.hasPrefix("ok key.pem P-256 SHA256:"))
    }

    // MARK: verify

    @Test(
        "Verdicts and exit status",
        arguments: [
            ("skan-4.0-web-fine", "valid", 0), ("skan-2.0-source-app", "valid", 0),
            ("skan-2020-page-sample", "invalid", 1), ("aak-older-page-sample", "invalid", 1),
            ("aak-development-reengagement", "valid", 0),
        ] as [(String, String, Int32)])
    func verdicts(_ vector: String, _ word: String, _ status: Int32) throws {
        let outcome = try skan("verify", input: Self.body(vector))
        #expect(outcome.output.hasPrefix("-:1: \(word) "))
        #expect(outcome.status == status)
    }

    @Test("Several files, NDJSON and pretty-printed objects are judged one by one")
    func files() throws {
        let good = try Self.body("skan-3.0-win")
        let pretty = try JSONSerialization.data(
            withJSONObject: JSONSerialization.jsonObject(with: Data(good.utf8)), options: .prettyPrinted)
        try pretty.write(to: folder.url.appendingPathComponent("pretty.json"))
        let lines = [
            good, "{\"version\":\"3.0\"",
            good.replacingOccurrences(of: "\"campaign-id\":42", with: "\"campaign-id\":\"42\""),
            good.replacingOccurrences(of: "true", with: "false"),
            good.replacingOccurrences(of: "\"3.0\"", with: "\"9.0\""),
        ]
        try write(lines.joined(separator: "\n"), to: "lines.ndjson")
        let outcome = try skan("verify", "--format", "json", "pretty.json", "lines.ndjson")
        #expect(outcome.status == 1)
        let verdicts = try outcome.output.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(
            verdicts.map { $0["verdict"] as? String } == [
                "valid", "valid", "malformed", "malformed", "invalid", "unknown-version",
            ])
        #expect(verdicts.map { $0["number"] as? Int } == [1, 1, 2, 3, 4, 5])
        let problems = try #require(verdicts[3]["problems"] as? [[String: String]])
        #expect(
            problems == [
                ["field": "campaign-id", "found": "the string \"42\"", "expected": "a whole number within 64 bits"]
            ])
        #expect(try skan("verify", input: "").status == 2)
    }

    @Test("Test keys are trusted only when named, and marked")
    func testKeys() throws {
        #expect(try skan("simulate", "--count", "20", "--faults", "0", "--output", ".", "--keys", "keys").status == 0)
        #expect(try skan("verify", "postbacks.ndjson").status == 1)
        let outcome = try skan(["verify", "postbacks.ndjson"] + SkanServer.testKeys)
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").count == 20)
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.hasSuffix(" TEST") })
    }

    @Test("What a terminal would obey instead of showing it is escaped in messages")
    func escaped() throws {
        let outcome = try skan("report", "--store", "a\u{202E}b\u{1B}[31m.sqlite")
        #expect(outcome.status == 2 && outcome.errors.contains(#"a\u{202e}b\u{1b}[31m.sqlite"#), "\(outcome)")
    }

    @Test("The self-test passes on this machine")
    func selftest() throws {
        let outcome = try skan("selftest")
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").count == 10)
        #expect(!outcome.output.contains("FAILED"))
    }

    /// Runs a command whose reader goes away before it has written anything.
    private func withoutReader(_ arguments: String) throws -> SkanProcess.Outcome {
        let command = "\(SkanProcess.binary.path) \(arguments) | true; exit ${PIPESTATUS[0]}"
        return try run(URL(fileURLWithPath: "/bin/bash"), ["-c", command])
    }

    @Test("A reader that goes away ends what only prints, as a success")
    func closedPipe() throws {
        _ = try skan("simulate", "--count", "3000", "--days", "2", "--store", "s.sqlite", "--keys", "keys")
        let outcome = try withoutReader("export -s s.sqlite --test --bodies")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
    }

    @Test("A reader that goes away changes no verdict", arguments: [("0", Int32(0)), ("20", 1)])
    func closedPipe(faults: String, status: Int32) throws {
        _ = try skan("simulate", "--count", "3000", "--faults", faults, "--output", ".", "--keys", "keys")
        let keys = ["p192", "p256"].map { "--trust-test-key keys/test-\($0).public.pem" }.joined(separator: " ")
        let outcome = try withoutReader("verify postbacks.ndjson \(keys)")
        #expect(outcome.status == status, "\(outcome)")
    }
}
