import Attribution
import AttributionConsole
import AttributionListener
import AttributionServer
import AttributionSigning
import Foundation
import TestSupport
import Testing

@Suite("Counting signed ads in a file", .timeLimit(.minutes(2)))
final class SignedCountsFileTests {
    /// It is made by tests, because the file cannot be written without it.
    private let folder = NSTemporaryDirectory() + "skan-counts-\(UUID().uuidString)"
    private let log = LinesOfLog()

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func counts(maximumSums: Int = 100) -> SignedCounts {
        SignedCounts(.file(folder + "/counts.ndjson"), maximumSums: maximumSums, at: .now, logger: log.logger)
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func lines() throws -> [SignedImpressionCount] {
        try String(contentsOfFile: folder + "/counts.ndjson", encoding: .utf8).split(separator: "\n").map {
            try SignedImpressionCount(reading: Array($0.utf8))
        }
    }

    private static func sums(_ lines: some Sequence<SignedImpressionCount>) -> [Int64: Int64] {
        Dictionary(lines.map { ($0.campaign.app.value, $0.signed) }) { $0 + $1 }
    }

    @Test("After a write that failed the sums are written as they have grown, each once and numbered without gaps")
    func failedWrite() throws {
        let counts = counts()
        try SignedCountsTests.sign([1, 1, 2], counts)
        #expect(!counts.write())
        #expect(log.lines.contains { $0.hasPrefix("error signed impressions could not be written") }, "\(log.lines)")
        try SignedCountsTests.sign([1, 3], counts)
        try makeFolder()
        #expect(counts.write())
        #expect(counts.write())
        let lines = try lines()
        #expect(lines.map(\.sequence) == [1, 2, 3])
        #expect(Set(lines.map(\.writer)).count == 1)
        #expect(Self.sums(lines) == [1: 3, 2: 1, 3: 1])
    }

    @Test("While the file cannot be written, ads without room for their sum are signed, not counted, and logged")
    func bound() throws {
        let counts = counts(maximumSums: 2)
        try SignedCountsTests.sign([1, 2, 3, 1, 3], counts)
        #expect(!counts.write())
        try makeFolder()
        #expect(counts.write())
        try SignedCountsTests.sign([3], counts)
        #expect(counts.write())
        let lines = try lines()
        #expect(Self.sums(lines) == [1: 2, 2: 1, 3: 1])
        #expect(lines.map(\.sequence) == [1, 2, 3])
        let losses = log.lines.filter { $0.hasPrefix("error signed ads were not counted") }
        #expect(losses.count == 1 && losses.allSatisfy { $0.hasSuffix(" ads=2 sums=2") }, "\(log.lines)")
    }
}
