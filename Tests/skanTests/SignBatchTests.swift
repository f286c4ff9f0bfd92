import Foundation
import Testing

@Suite("Signing many orders, as a process", .timeLimit(.minutes(5)))
struct SignBatchTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
        _ = try run(SkanProcess.openssl, ["pkey", "-in", "new.pem", "-pubout", "-out", "new.public.pem"])
    }

    private static func order(_ item: Int, _ members: String = #""source-identifier": 5239"#) -> String {
        #"{"forms": ["storekit-rendered"], "version": "4.0", "ad-network-id": "example123.skadnetwork", "#
            + #""itunes-item-id": \#(item), "source-app-id": 1234567891, \#(members)}"#
    }

    private func answers(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private static func item(_ answer: [String: Any]) -> Int? {
        let impression = (answer["impressions"] as? [[String: Any]])?.first?["impression"] as? [String: Any]
        return impression?["itunes-item-id"] as? Int
    }

    @Test(
        "Answers have the order of the lines, one bad line refuses itself, and the status says so",
        arguments: [["--keys", "keys.json"], ["--key", "new.pem"]])
    func inOrder(_ keys: [String]) throws {
        var lines = (1...3000).map { Self.order($0) }
        lines[6] = ""
        lines[1499] = Self.order(1500, #""source-identifier": 10000"#)
        lines[2000] = "{"
        try write(lines.joined(separator: "\n"), to: "orders.ndjson")
        let outcome = try skan(["sign", "--batch", "orders.ndjson"] + keys)
        #expect(outcome.status == 1, "\(outcome.errors)")
        let answers = try answers(outcome.output)
        #expect(answers.map { $0["line"] as? Int } == (1...3000).filter { $0 != 7 })
        for answer in answers {
            let line = try #require(answer["line"] as? Int)
            #expect(Self.item(answer) == ([1500, 2001].contains(line) ? nil : line))
        }
        #expect(answers[1498]["reason"] as? String == "bad-field")
        #expect(answers[1999]["reason"] as? String == "not-json")
        #expect(
            outcome.errors == """
                skan: orders.ndjson: line 1500: source-identifier: found 10000, expected a whole number from 0 to 9999
                skan: orders.ndjson: line 2001: not JSON at byte 1; expected a name in double quotes
                skan: signed 2997, refused 2

                """)
    }

    @Test("openssl verifies what a batch signed, and the time is the one given")
    func verified() throws {
        let outcome = try skan(
            ["sign", "--batch", "-", "--keys", "keys.json", "--timestamp", "1676057605705"],
            input: (1...5).map { Self.order($0) }.joined(separator: "\n"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        var nonces: Set<String> = []
        for answer in try answers(outcome.output) {
            let one = try #require((answer["impressions"] as? [[String: Any]])?.first)
            let values = try #require(one["impression"] as? [String: Any])
            let item = try #require(Self.item(answer))
            let nonce = try #require(values["nonce"] as? String)
            let text = ["4.0", "example123.skadnetwork", "5239", "\(item)", nonce, "1234567891", "1", "1676057605705"]
                .joined(separator: "\u{2063}")
            let signature = (values["attribution-signature"] as? String).flatMap { Data(base64Encoded: $0) }
            #expect(try opensslVerifies(signature, text, key: "new.public.pem"))
            nonces.insert(nonce)
        }
        #expect(nonces.count == 5)
    }

    @Test(
        "A batch that cannot be signed says why",
        arguments: [
            (["--batch", "-", "--keys", "keys.json"], "no order in standard input"),
            (["--batch", "none", "--keys", "keys.json"], "cannot read none: no such file"),
            (["--batch", "-"], "expected one of --key FILE and --keys LIST"),
            (["--batch", "-", "--key", "-"], "found --batch - and --key -"),
            (["--batch", "-", "--keys", "keys.json", "--version", "4.0"], "--version: found with --batch"),
            (["--batch", "-", "--keys", "keys.json", "--format", "swift"], "--format swift: found with --batch"),
        ])
    func failures(_ arguments: [String], _ words: String) throws {
        let outcome = try skan(["sign"] + arguments, input: "\n\n")
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("A line that is too long, or for a network without a key, refuses itself")
    func lines() throws {
        let long = Self.order(1, #""x": "\#(String(repeating: "x", count: 300_000))""#)
        let other = Self.order(2).replacing("example123", with: "other456")
        let outcome = try skan(
            ["sign", "--batch", "-", "--keys", "keys.json"],
            input: [long, other, Self.order(3)].joined(separator: "\r\n"))
        #expect(outcome.status == 1)
        let answers = try answers(outcome.output)
        #expect(answers.map { $0["reason"] as? String } == ["not-json", "no-key", nil])
        #expect(answers.map { $0["line"] as? Int } == [1, 2, 3])
    }

    // MARK: /v1/impressions/batch

    @Test("A batch over HTTP: every line is answered, and the bounds are those described", arguments: requests)
    func overHTTP(_ body: String, _ type: String, _ status: String, _ lines: [Int], _ signed: Int) throws {
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        try write(body, to: "body")
        let output = try run(
            SkanProcess.curl,
            [
                "-s", "--max-time", "60", "-w", "%{http_code}", "-H", "Content-Type: \(type)", "--data-binary", "@body",
                "\(server.signer)/v1/impressions/batch",
            ]
        ).output
        #expect(output.hasSuffix(status), "\(output.suffix(300))")
        let answers = try answers(String(output.dropLast(3)))
        #expect(answers.compactMap { $0["line"] as? Int } == lines)
        #expect(answers.filter { $0["status"] as? String == "signed" }.count == signed)
    }

    /// Body, media type, status, answered lines, and how many of them are signed.
    static let requests: [(String, String, String, [Int], Int)] = [
        (order(1) + "\n" + order(2) + "\n", "application/x-ndjson", "200", [1, 2], 2),
        (order(1) + "\n\n{\n" + order(4), "application/x-ndjson; charset=utf-8", "207", [1, 3, 4], 2),
        ("{", "application/x-ndjson", "207", [1], 0),
        (order(1), "application/json", "415", [], 0),
        ("\n\n", "application/x-ndjson", "400", [], 0),
        (String(repeating: "{\n", count: 1001), "application/x-ndjson", "400", [], 0),
        (String(repeating: " ", count: 256 << 10 | 1), "application/x-ndjson", "413", [], 0),
    ]
}
