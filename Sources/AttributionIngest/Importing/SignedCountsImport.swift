package import Attribution
import StrictJSON

/// Takes lines of `skan serve --counts` into a store, each once.
///
/// A process may go on writing the file: a last line without its newline is not read.
package enum SignedCountsImport {
    /// What became of the lines of a file.
    package struct Outcome: Hashable, Sendable {
        /// Lines that were counted.
        package var new = 0
        /// Lines that were counted before.
        package var known = 0
        /// Lines that cannot be read.
        package var unreadable = 0
        /// The first of these, with the reason.
        package var problems: [ImportProblem] = []
        /// Whether the file ends within a line.
        package var endsWithinLine = false
    }

    /// Lines of one transaction.
    private static let transaction = 4_096
    private static let mostProblems = 10

    /// Imports a file with what takes the lines of one transaction, and returns how many of them were new.
    ///
    /// - Throws: ``Refusal``, and what `take` throws; what was counted until then stays counted.
    package static func run(
        _ file: ImportFile, onProgress: (String) -> Void = { _ in },
        take: ([SignedImpressionCount]) async throws -> Int
    ) async throws -> Outcome {
        var outcome = Outcome()
        var counts: [SignedImpressionCount] = []
        while let records = try file.next() {
            for record in records {
                guard !record.isUnfinished else {
                    outcome.endsWithinLine = true
                    continue
                }
                do {
                    counts.append(try SignedImpressionCount(reading: record.bytes))
                } catch {
                    outcome.unreadable += 1
                    if outcome.problems.count < mostProblems {
                        let reason = logFields(of: error)["error"] ?? ""
                        outcome.problems.append(ImportProblem(number: record.number, reason: reason))
                    }
                }
            }
            if counts.count >= Self.transaction {
                outcome.note(counts.count, new: try await take(counts))
                counts.removeAll(keepingCapacity: true)
                onProgress("\(file.name): \(outcome.new + outcome.known) lines\(file.progress)")
            }
        }
        outcome.note(counts.count, new: try await take(counts))
        return outcome
    }

    /// Reads lines that were sent, which are taken all or none.
    ///
    /// - Throws: ``Refusal``, with the number of the first line that cannot be read.
    package static func lines(_ body: [UInt8]) throws(Refusal) -> [SignedImpressionCount] {
        var counts: [SignedImpressionCount] = []
        var splitter = LineSplitter(hasQuotes: false)
        splitter.append(body)
        splitter.finish()
        while let record = splitter.next() {
            do {
                counts.append(try SignedImpressionCount(reading: record.bytes))
            } catch {
                let reason = logFields(of: error)["error"] ?? ""
                throw Refusal(.badField, "line \(record.number): \(reason)", hint: "nothing of the body was counted")
            }
        }
        return counts
    }
}

extension SignedCountsImport.Outcome {
    fileprivate mutating func note(_ count: Int, new: Int) {
        self.new += new
        known += count - new
    }
}

extension SignedCountsImport.Outcome: CustomStringConvertible {
    /// The numbers, for a person.
    package var description: String {
        var parts = ["lines counted \(new)"]
        if known > 0 { parts.append("counted before \(known)") }
        if unreadable > 0 { parts.append("unreadable \(unreadable)") }
        if endsWithinLine { parts.append("the last one is not finished yet") }
        return parts.joined(separator: ", ")
    }
}
