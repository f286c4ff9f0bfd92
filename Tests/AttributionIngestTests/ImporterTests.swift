import Attribution
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("Importing a file that is written to meanwhile", .timeLimit(.minutes(5)))
struct ImporterTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("skan-importer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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
        await #expect(throws: ImportFailure.self) {
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
        #expect(tally.known == 0 && tally.total == 60_000)
    }
}
