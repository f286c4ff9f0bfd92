import Foundation
import StrictJSON
import Testing

/// `skan verify` on partners' exports and on wrong files.
@Suite("skan verify on files of every kind")
struct VerifyTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func skan(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(arguments, in: folder.url)
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
            let outcome = try SkanProcess.run(arguments + ["a.json.gz", "key.pem"], in: folder.url)
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
        #expect(outcome.errors == "skan: 5 checked: 1 valid, 1 invalid, 2 malformed, 1 unknown-version\n")
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
            let outcome = try SkanProcess.run(
                URL(fileURLWithPath: "/usr/bin/python3"),
                ["-c", script, SkanProcess.binary.path, pattern, String(count)] + options, in: folder.url)
            let figures = outcome.output.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
            try #require(figures.count == 2, "\(outcome.errors)")
            #expect(figures[0] < 96 * 1024, "\(figures[0]) KiB")
            // About ten times what it takes where nothing else runs.
            #expect(figures[1] < 30, "\(figures[1]) s")
        }
    }
}
