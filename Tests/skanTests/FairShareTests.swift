import Foundation
import TestSupport
import Testing

@Suite("What one token leaves to the others, as a process", .serialized, .timeLimit(.minutes(5)))
struct FairShareTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    /// What greedy connections of one token and an admin ask for, and how many connections there are.
    static let rows: [(greedy: [String], admin: [String], connections: Int)] = [
        (["/v1/report?where=network%3Dother456.skadnetwork&by=app"], ["/v1/report?by=app&provenance=test"], 5),
        (
            ["/v1/reports/campaigns?where=network%3Dother456.skadnetwork"], ["/v1/reports/overview?provenance=test"], 5
        ),
        (["/v1/explain", "--data-binary", "@body"], ["/v1/explain", "--data-binary", "@body"], 24),
    ]

    @Test(
        "Whatever a token asks for on many connections, others are answered within a second, and so are postbacks",
        arguments: rows)
    func greedy(_ row: (greedy: [String], admin: [String], connections: Int)) throws {
        _ = try skan("simulate", "--count", "3000", "--days", "30", "--keys", "keys", "--store", "skan.sqlite")
        try write(CommandTests.body("skan-3.0-win").replacing("42", with: "43"), to: "body")
        // Explanations are not for tokens that are limited to networks.
        let isLimited = row.greedy.count == 1
        let greedy = try skan(
            ["tokens", "create", "--name", "greedy", "--scope", "report", "--file", "tokens.json"]
                + (isLimited ? ["--network", "other456.skadnetwork"] : [])
        ).output.trimmingCharacters(in: .newlines)
        let admin = try token("admin", "admin")
        let server = try SkanServer(
            in: folder, arguments: ["--tokens", "tokens.json", "--network", "example123.skadnetwork"])
        let readers = try (0..<row.connections).map { _ in
            try GreedyReader(server.console + row.greedy[0], Array(row.greedy.dropFirst()), greedy, in: folder)
        }
        // Every one of them is at it.
        let first = readers.map { $0.firstAnswer.prefix(3) }
        #expect(first.allSatisfy { ["200", "429", "503"].contains($0) }, "\(first)")
        var seconds: (answers: [Double], postbacks: [Double]) = ([], [])
        for _ in 0..<15 {
            let answer = try timed([server.console + row.admin[0]] + row.admin.dropFirst(), token: admin)
            #expect(answer.status == "200")
            seconds.answers.append(answer.seconds)
            let postback = try timed([server.url, "--data-binary", "@body"], token: nil)
            #expect(postback.status == "200")
            seconds.postbacks.append(postback.seconds)
        }
        // The median; but reports run only when nothing else wants the processors, as other tests do, so of them the
        // fastest says how long they wait for other tokens.
        #expect(seconds.postbacks.sorted()[seconds.postbacks.count / 2] < 1, "\(seconds.postbacks)")
        #expect(try #require(seconds.answers.min()) < 1, "\(seconds.answers)")
        #expect(readers.allSatisfy { $0.isRunning })
        readers.forEach { $0.end() }
        #expect(server.end(SIGTERM).status == 0)
    }

    /// Sends one request.
    ///
    /// - Returns: Its status, and how many seconds it took.
    private func timed(_ arguments: [String], token: String?) throws -> (status: String, seconds: Double) {
        let outcome = try run(
            SkanProcess.curl,
            ["-s", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code} %{time_total}"]
                + ["-H", "Content-Type: application/json"]
                + (token.map { ["-H", "Authorization: Bearer \($0)"] } ?? []) + arguments)
        let figures = outcome.output.split(separator: " ")
        return (String(figures.first ?? ""), Double(figures.last ?? "") ?? 60)
    }

    // MARK: Signatures

    private static func order(_ item: Int, forms: String = #""storekit-rendered""#) -> String {
        #"{"forms": [\#(forms)], "version": "4.0", "ad-network-id": "example123.skadnetwork", "#
            + #""itunes-item-id": \#(item), "source-app-id": 1234567891, "source-identifier": 5239}"#
    }

    /// Batches, how many signatures they have, and the fewest seconds that their token then has to wait at ten a
    /// second, less a second's worth that may come at once.
    static let batches: [(body: String, signatures: Int, wait: Int)] = [
        ((1...200).map { order($0) }.joined(separator: "\n"), 200, 18),
        // Two signatures for each of a hundred lines.
        (
            (1...100).map { order($0, forms: #""storekit-rendered", "view-through""#) }.joined(separator: "\n"), 200, 18
        ),
        (order(1), 1, 0),
        // The last line needs no end, and weighs as much.
        ((1...200).map { order($0) }.joined(separator: "\n") + "\n", 200, 18),
    ]

    @Test("A batch weighs as much as its signatures at --sign-rate, for its own token alone", arguments: batches)
    func batch(_ body: String, _ signatures: Int, _ wait: Int) throws {
        try folder.makeSigningKeys()
        try write(body, to: "orders")
        try write(Self.order(1), to: "order")
        let (mine, other) = (try token("mine", "sign"), try token("other", "sign"))
        let server = try SkanServer(
            in: folder, arguments: SkanServer.signing + ["--tokens", "tokens.json", "--sign-rate", "10"])
        func sign(_ path: String, _ type: String, _ file: String, _ token: String) throws -> String {
            try run(
                SkanProcess.curl,
                [
                    "-s", "-i", "--max-time", "60", "-H", "Authorization: Bearer \(token)", "-H",
                    "Content-Type: \(type)", "--data-binary", "@\(file)", server.signer + path,
                ]
            ).output
        }
        let batch = try sign("/v1/impressions/batch", "application/x-ndjson", "orders", mine)
        #expect(batch.hasPrefix("HTTP/1.1 200 "), "\(batch.prefix(300))")
        #expect(batch.components(separatedBy: #""attribution-signature""#).count - 1 == signatures)
        let next = try sign("/v1/impressions", "application/json", "order", mine)
        #expect(next.hasPrefix("HTTP/1.1 \(wait > 0 ? 429 : 200) "), "\(next)")
        let seconds = next.split(separator: "\r\n").first { $0.hasPrefix("Retry-After: ") }?
            .split(separator: " ").last.flatMap { Int($0) }
        #expect(seconds ?? 0 >= wait, "\(next)")
        #expect(try sign("/v1/impressions", "application/json", "order", other).hasPrefix("HTTP/1.1 200 "))
        #expect(server.end(SIGTERM).status == 0)
    }
}

/// A program that sends the same request over and over on one connection, until it is ended.
private final class GreedyReader {
    private let process = ChildProcess()
    private let output = Pipe()
    /// The status of the first answer.
    let firstAnswer: String

    init(_ url: String, _ arguments: [String], _ token: String, in folder: WorkFolder) throws {
        process.executableURL = SkanProcess.curl
        // Statuses go to standard error, which is not buffered. A fragment is not sent: the requests are all the same.
        process.arguments =
            ["-s", "-o", "/dev/null", "-w", "%{stderr}%{http_code}\n", "-H", "Authorization: Bearer \(token)"]
            + ["-H", "Content-Type: application/json"] + arguments + ["\(url)#[1-1000000]"]
        process.currentDirectoryURL = folder.url
        process.standardError = output
        try process.run()
        var text = Data()
        let reader = output.fileHandleForReading
        while !text.contains(UInt8(ascii: "\n")), case let more = reader.availableData, !more.isEmpty {
            text += more
        }
        firstAnswer = String(decoding: text, as: UTF8.self)
    }

    var isRunning: Bool {
        process.isRunning
    }

    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
