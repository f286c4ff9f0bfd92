import Foundation
import StrictJSON
import Testing

/// `skan verify` on partners' exports and on wrong files.
@Suite("skan verify on files of every kind")
struct VerifyTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: folder.url.appendingPathComponent(name))
    }

    private static func sample(_ name: String) throws -> String {
        try String(
            contentsOf: CommandTests.root.appendingPathComponent("samples/postbacks/\(name).json"), encoding: .utf8
        ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func jws() throws -> String {
        let body = try JSONSerialization.jsonObject(with: Data(try sample("aak-development-reengagement").utf8))
        return try #require((body as? [String: Any])?["jws-string"] as? String)
    }

    // MARK: Wrapped postbacks

    private static let kinds: [(kind: String, word: String, inside: Int)] = [
        ("array", "the file is an array", 2), ("mark", "the file begins with a byte order mark", 1),
        ("wrapped", "the postback is inside \"postback\"", 1), ("jws", "it is a compact JWS", 1),
    ]

    private static func text(_ kind: String) throws -> String {
        let (win, fine) = (try sample("skan-3.0-win"), try sample("skan-4.0-web-fine"))
        return switch kind {
        case "array": "[\n\(win),\n\(fine)\n]\n"
        case "mark": "\u{FEFF}\(win)\n"
        case "wrapped": "{\"received\": 1,\n\"postback\": \(fine)}\n"
        default: try jws() + "\n"
        }
    }

    @Test("What is wrapped is one malformed record, as a server would see it, and is named", arguments: kinds)
    func named(_ kind: (kind: String, word: String, inside: Int)) throws {
        try write(Array(Self.text(kind.kind).utf8), to: "file")
        let outcome = try skan("verify", "file")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("file:1: malformed \(kind.word)"))
        #expect(outcome.output.contains("; --unwrap "))
        #expect(outcome.output.split(separator: "\n").count == 1)
        #expect(outcome.errors == "skan: 1 checked: 1 malformed\n")
        #expect(try skan("verify", "--format", "json", "file").output.contains("\"reason\":\"\(kind.word.prefix(8))"))
    }

    @Test("With --unwrap the contents are verified", arguments: kinds)
    func unwrapped(_ kind: (kind: String, word: String, inside: Int)) throws {
        try write(Array(Self.text(kind.kind).utf8), to: "file")
        let outcome = try skan("verify", "--unwrap", "file")
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.split(separator: "\n").count == kind.inside)
        #expect(outcome.errors == "skan: \(kind.inside) checked: \(kind.inside) valid\n")
    }

    @Test("Elements of every kind are verified one by one")
    func mixed() throws {
        let text = "[\"\(try Self.jws())\", {\"postback\": \(try Self.sample("skan-3.0-win"))}, 5, [{}], \"a.b\", null]"
        try write(Array(text.utf8), to: "mixed.json")
        let outcome = try skan("verify", "--unwrap", "mixed.json")
        let words = outcome.output.split(separator: "\n").map { $0.split(separator: " ")[1] }
        #expect(words == ["valid", "valid", "malformed", "malformed", "malformed", "malformed"])
        #expect(outcome.errors == "skan: 6 checked: 2 valid, 4 malformed\n")
    }

    @Test("A postback has the same verdict with --unwrap and without")
    func plain() throws {
        let text = try ["skan-3.0-win", "skan-4.0-web-fine"].map(Self.sample).joined(separator: "\n")
        try write(Array(text.utf8), to: "two.json")
        #expect(try skan("verify", "--unwrap", "two.json").output == skan("verify", "two.json").output)
    }

    @Test("Compressed files and keys are named, and not taken for postbacks")
    func otherFiles() throws {
        try write([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0x0A, count: 100), to: "a.json.gz")
        _ = try skan("keys", "generate", "key.pem")
        for arguments in [["verify"], ["verify", "--unwrap"]] {
            let outcome = try skan(arguments + ["a.json.gz", "key.pem"])
            let lines = outcome.output.split(separator: "\n")
            #expect(outcome.status == 1 && lines.count == 2)
            #expect(lines[0].hasSuffix("try: gzip -dc a.json.gz | skan verify --unwrap -"))
            #expect(lines[1].contains("the file is a PEM key or certificate"))
        }
    }

    @Test("A path that cannot be read is named with its reason")
    func paths() throws {
        #expect(try skan("verify", "none.json").errors.contains("cannot read none.json: no such file"))
        #expect(try skan("verify", ".").errors.contains("cannot read .: it is a folder"))
        #expect(try skan("verify", "none.json").status == 2)
    }

    @Test("How many there were of each verdict is said at the end")
    func summary() throws {
        let good = try Self.sample("skan-3.0-win").replacingOccurrences(of: "\n", with: " ")
        let lines = [
            good, good.replacingOccurrences(of: "\"3.0\"", with: "\"9.0\""), "{}", "{\"version\":\"2.0\"}",
            good.replacingOccurrences(of: "\"did-win\": true", with: "\"did-win\": false"),
        ]
        try write(Array(lines.joined(separator: "\n").utf8), to: "lines.ndjson")
        let outcome = try skan("verify", "lines.ndjson")
        #expect(
            outcome.errors == "skan: 5 checked: 1 valid, 1 invalid, 2 malformed, 1 unknown-version\n"
                + "skan: hint: --explain says why a signature does not verify\n")
    }

    // MARK: Hostile files

    @Test(
        "Memory is bounded whatever is in a file, and time by its length",
        arguments: [
            (200_000_000, "\\0"), (100_000_000, "\\n"), (100_000_000, " "), (100_000_000, "{"), (50_000_000, "["),
            (4_000_000, "x\\n"),
        ])
    func hostile(_ count: Int, _ pattern: String) throws {
        // The largest resident size of the child, in KiB, as the kernel counted it, and its time in seconds.
        let script = """
            import resource, subprocess, sys
            piece = sys.argv[2].encode().decode("unicode_escape").encode()
            child = subprocess.Popen([sys.argv[1], "verify", *sys.argv[4:], "-"], stdin=subprocess.PIPE,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            block = piece * (1000000 // len(piece))
            try:
                for _ in range(int(sys.argv[3]) // len(block)):
                    child.stdin.write(block)
                child.stdin.close()
            except BrokenPipeError:
                pass  # It has seen enough.
            child.wait()
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
            """
        for options in [[], ["--unwrap"]] {
            let outcome = try run(
                URL(fileURLWithPath: "/usr/bin/python3"),
                ["-c", script, SkanProcess.binary.path, pattern, String(count)] + options)
            let figures = outcome.output.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
            try #require(figures.count == 2, "\(outcome.errors)")
            #expect(figures[0] < 96 * 1024, "\(figures[0]) KiB")
            // About ten times what it takes where nothing else runs.
            #expect(figures[1] < 30, "\(figures[1]) s")
        }
    }
}

/// `skan verify --explain`, `skan check-impression`, and the console's routes for both.
@Suite("Why a signature verifies or not, on the command line and over HTTP", .timeLimit(.minutes(2)))
struct ExplainTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private static func fixture(_ name: String) throws -> [String: Any] {
        let file = CommandTests.root.appendingPathComponent("Tests/Fixtures/cases/\(name).json")
        return try #require(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }

    private static func body(_ name: String) throws -> String {
        let body = try #require(try fixture(name)["body"])
        return try body as? String ?? String(decoding: JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    // MARK: Postbacks

    @Test("verify --explain names the cause, and its status and first lines are those without it")
    func explained() throws {
        for (name, status, cause) in [
            ("skan-3.0-winning-apple-doc", Int32(0), "none"),
            ("derived-3.0-zero-source-app-id-injected", 1, "zero-filled (source-app-id)"),
            ("derived-4.0-raw-rs-signature", 1, "signature-encoding (attribution-signature)"),
        ] {
            try write(try Self.body(name), to: "postback.json")
            let (plain, why) = (try skan("verify", "postback.json"), try skan("verify", "--explain", "postback.json"))
            #expect(plain.status == status && why.status == status)
            // Whoever did not ask is told how to.
            #expect(plain.errors.contains("--explain") == (status != 0) && !why.errors.contains("--explain"))
            #expect(why.output.hasPrefix(plain.output))
            #expect(why.output.contains("\n    cause: \(cause)\n    evidence: "), "\(why.output)")
            #expect(why.output.contains("\n    signed text: "))
            #expect(why.output.contains("\n    key: Apple's key on P-256\n"))
        }
    }

    @Test("The length of a line that is too long is said once, and is that of the whole line")
    func tooLong() throws {
        try write("{" + String(repeating: "a", count: 500_000), to: "long.json")
        let outcome = try skan("verify", "--explain", "long.json")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("long.json:1: malformed 500001 bytes; expected at most 16384\n"))
        #expect(outcome.output.split(separator: " bytes").count == 2, "\(outcome.output)")
        #expect(outcome.output.contains("\n    evidence: longer than any postback that a device sends\n"))
    }

    @Test("In JSON each line has the cause; nothing explained is valid")
    func json() throws {
        try write(try Self.body("derived-4.0-version-5.0"), to: "postback.json")
        let outcome = try skan("verify", "--explain", "--format", "json", "postback.json")
        let line = try Self.object(outcome.output)
        #expect(outcome.status == 1)
        #expect(line["verdict"] as? String == "unknown-version" && line["cause"] as? String == "version-changed")
        #expect(line["field"] as? String == "version" && line["advice"] is String)
        #expect((line["evidence"] as? String)?.hasPrefix("would verify under Apple's key on P-256 if version ") == true)
        try write("\u{1F}\u{8B} compressed", to: "odd.gz")
        #expect(try skan("verify", "--explain", "odd.gz").output.contains("    cause: not-json\n"))
    }

    // MARK: Impressions

    @Test("check-impression: 0 for valid, 1 for not, 2 for undecided")
    func impressions() throws {
        let key = try #require(try Self.fixture("impression-4.0-web-apple-doc")["publicKey"] as? String)
        try write("-----BEGIN PUBLIC KEY-----\n\(key)\n-----END PUBLIC KEY-----\n", to: "key.pem")
        for (name, status, cause) in [
            ("impression-4.0-web-apple-doc", Int32(0), "none"),
            ("impression-4.0-uppercase-nonce-derived", 1, "letter-case"),
            ("impression-4.0-seconds-timestamp-derived", 1, "value-changed"),
            ("impression-aak-jws-apple-doc", 1, "unexplained"),
        ] {
            try write(try Self.body(name), to: "impression.json")
            let outcome = try skan("check-impression", "--public-key", "key.pem", "--format", "json", "impression.json")
            #expect(outcome.status == status, "\(name): \(outcome.errors)")
            #expect(try Self.object(outcome.output)["cause"] as? String == cause, "\(name)")
        }
        let file = try Self.fixture("impression-4.0-web-without-fidelity-derived")
        try write(try Self.body("impression-4.0-web-without-fidelity-derived"), to: "impression.json")
        try write(try #require(file["message"] as? String), to: "text")
        let compared = try skan(
            "check-impression", "--public-key", "key.pem", "--signed-text", "text", "impression.json")
        #expect(compared.status == 1 && compared.output.contains("    cause: field-removed (fidelity-type)\n"))

        #expect(try skan("check-impression", "impression.json").status == 2)
        #expect(try skan("check-impression", "--public-key", "no.pem", "impression.json").status == 2)
        #expect(try skan("check-impression", "--public-key", "key.pem", "no.json").status == 2)
        try write("\n", to: "empty")
        #expect(try skan("check-impression", "--public-key", "key.pem", "empty").status == 2)
    }

    @Test("What skan sign writes is valid in every format and version")
    func signed() throws {
        #expect(try skan("keys", "generate", "key.pem").status == 0)
        let swift = [
            ["--version", "2.0", "--campaign", "42"],
            ["--version", "4.0", "--source-identifier", "5239"],
            ["--version", "4.0", "--source-identifier", "5239", "--fidelity", "0"],
            ["--framework", "adattributionkit", "--source-identifier", "5239", "--re-engagement"],
        ].map { $0 + ["--source-app", "1", "--format", "swift"] }
        let rows: [[String]] = [
            ["--version", "1.0", "--campaign", "42"],
            ["--version", "2.2", "--campaign", "42", "--source-app", "1", "--fidelity", "0"],
            ["--version", "4.0", "--source-identifier", "5239", "--source-app", "1", "--format", "storekit"],
            [
                "--version", "4.0", "--source-identifier", "5239", "--source-app", "1", "--fidelity", "0", "--format",
                "impression",
            ],
            ["--version", "4.0", "--source-identifier", "5239", "--source-domain", "example.com"],
            ["--framework", "adattributionkit", "--source-identifier", "5239", "--source-app", "1"],
            ["--framework", "adattributionkit", "--source-identifier", "5239", "--source-app", "1", "--format", "jws"],
        ]
        for row in rows + swift {
            let signed = try skan(
                ["sign", "--network", "example123.skadnetwork", "--advertised-app", "525463029", "--key", "key.pem"]
                    + row)
            #expect(signed.status == 0, "\(row): \(signed.errors)")
            try write(signed.output, to: "impression")
            let outcome = try skan("check-impression", "--public-key", "key.pem", "impression")
            #expect(outcome.status == 0, "\(row): \(outcome.output)")
        }
    }

    // MARK: Over HTTP

    @Test("The console explains what is not JSON, too, and refuses private keys")
    func console() throws {
        let server = try SkanServer(in: folder, arguments: [])
        func post(_ path: String, _ body: String) throws -> String {
            try write(body, to: "body")
            return try run(
                SkanProcess.curl,
                [
                    "-s", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary", "@body",
                    server.console + path,
                ]
            ).output
        }
        let broken = try Self.object(post("/v1/explain", "{\"version\": "))
        #expect(broken["verdict"] as? String == "malformed" && broken["cause"] as? String == "not-json")
        #expect(try skan("keys", "generate", "key.pem").status == 0)
        let key = try String(contentsOfFile: folder.path("key.pem"), encoding: .utf8)
        let request = try JSONSerialization.data(withJSONObject: ["public-key": key, "impression": "a.b.c"])
        let refusal = try Self.object(post("/v1/impressions/check", String(decoding: request, as: UTF8.self)))
        #expect(refusal["reason"] as? String == "bad-field")
        #expect((refusal["detail"] as? String)?.contains("PRIVATE") == false)
        #expect((refusal["detail"] as? String)?.hasPrefix("public-key: found a private key") == true)
    }
}
