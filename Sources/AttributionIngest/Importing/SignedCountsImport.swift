import Attribution
package import AttributionStore
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

    /// Imports a file.
    ///
    /// - Throws: ``Refusal``, and ``AttributionStore/StoreError``; what was counted until then stays counted.
    package static func run(
        _ file: ImportFile, into ledger: any AdCostWriting, of ads: AdTraffic, onProgress: (String) -> Void = { _ in }
    ) throws -> Outcome {
        var outcome = Outcome()
        var counts: [SignedImpressionCount] = []
        func add() throws {
            let new = try ledger.addSigned(counts, of: ads)
            outcome.new += new
            outcome.known += counts.count - new
            counts.removeAll(keepingCapacity: true)
        }
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
                try add()
                onProgress("\(file.name): \(outcome.new + outcome.known) lines\(file.progress)")
            }
        }
        try add()
        return outcome
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
