import Attribution
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("Importing a file", .timeLimit(.minutes(5)))
struct ImporterTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("skan-importer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Bodies that were cut off, as logs escape them, with and without the quote that closes them.
    static let cutBodies = [
        #""{\x22version\x22:\x224.0"#, #""{\x22version\x22:\x224.0""#, #""\x7B\x22version\x22:\x224.0"#,
        #""{\"version\":\"4.0"#, #""{\"version\":\"4.0""#, #""{"version":"4.0"#, #""{"version":"4.0""#,
    ]

    @Test("A line of a log whose body was cut off is unreadable, and not one without a body", arguments: cutBodies)
    func cutOff(_ body: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("access.log").path
        let head = #"192.0.2.1 - - [21/Nov/2026:12:00:00 +0000] "POST /skadnetwork/postbacks HTTP/1.1" 200 5 "#
        try Data("\(head)\"-\"\n\(head)\(body)\n".utf8).write(to: URL(fileURLWithPath: path))
        let ledger = try SQLiteLedgerWriter(path: folder.appendingPathComponent("skan.sqlite").path)
        defer { _ = try? ledger.close() }
        let importer = Importer(
            ledger: ledger, verifier: try PostbackVerifier(), options: ImportOptions(recipient: .network, latest: .max))
        let tally = try await importer.run(try ImportFile(path, as: .log))
        #expect(tally.total == 2 && tally[.withoutBody] == 1 && tally[.unreadable] == 1)
        #expect(tally.problems.map(\.number) == [2])
        #expect(tally.problems.allSatisfy { $0.reason.hasPrefix("the body begins and does not end") })
    }

    @Test("Bodies beyond the quarantine's budgets are counted, named, and not said to be in the store")
    func notKept() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("bodies.ndjson")
        let lines = (0..<8).map { index in
            "{\"received-at\":\"2026-11-01T00:00:00Z\",\"body\":{\"version\":\"3.0\",\"app-id\":\(index)}}\n"
        }
        try Data(lines.joined().utf8).write(to: path)
        let budgets = QuarantineBudgets(hourly: [.garbage: .init(rows: 2, bytes: 1 << 20)])
        let ledger = try SQLiteLedgerWriter(
            path: folder.appendingPathComponent("skan.sqlite").path, settings: LedgerSettings(budgets: budgets))
        defer { _ = try? ledger.close() }
        let importer = Importer(
            ledger: ledger, verifier: try PostbackVerifier(), options: ImportOptions(recipient: .network, latest: .max))
        let first = try await importer.run(try ImportFile(path.path))
        #expect(first.quarantined == 2 && first[.notKept] == 6 && first.total == 8)
        #expect(!first.isWhole && first.description.hasSuffix(", not kept 6"))
        #expect(first.problems.map(\.number) == Array(3...8))
        #expect(first.problems.allSatisfy { $0.reason == "malformed, and could not be kept: the quarantine is full" })
        let second = try await importer.run(try ImportFile(path.path))
        #expect(second[.known] == 0 && second[.readBefore] == 8 && second.total == 8)
    }

    @Test("A file that is changed while it is read is refused, and the file it was is then read from its beginning")
    func changed() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("bodies.ndjson")
        let line = #"{"received-at":"2026-11-01T00:00:00Z","body":{"version":"3.0"}}"# + "\n"
        let text = Data(String(repeating: line, count: 60_000).utf8)
        try text.write(to: path)
        let ledger = try SQLiteLedgerWriter(path: folder.appendingPathComponent("skan.sqlite").path)
        defer { _ = try? ledger.close() }
        let importer = Importer(
            ledger: ledger, verifier: try PostbackVerifier(), options: ImportOptions(recipient: .network, latest: .max))
        var isChanged = false
        await #expect(throws: Refusal.self) {
            _ = try await importer.run(try ImportFile(path.path)) { _ in
                guard !isChanged, let file = try? FileHandle(forUpdating: path) else {
                    return
                }
                isChanged = true
                try? file.seek(toOffset: UInt64(text.count - 10 * line.utf8.count))
                try? file.write(contentsOf: Data(line.replacing("3.0", with: "2.0").utf8))
                try? file.close()
            }
        }
        #expect(isChanged)
        try text.write(to: path)
        let tally = try await importer.run(try ImportFile(path.path))
        #expect(tally[.known] == 0 && tally[.readBefore] == 0 && tally.total == 60_000)
    }
}
