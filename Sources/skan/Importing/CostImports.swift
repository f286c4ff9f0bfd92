import Attribution
import AttributionIngest
import AttributionStore
import Foundation

/// Imports what reports divide by, and says what became of it.
struct CostImports {
    let ledger: any AdCostWriting
    let ads: AdTraffic

    /// How many rows of a file are named that cannot be used.
    private static let mostProblems = 10

    /// Adds up files of signed impressions, and returns whether every line was used.
    func add(_ files: [ImportFile]) throws -> Bool {
        var isWhole = true
        for file in files {
            let outcome = try SignedCountsImport.run(file, into: ledger, of: ads, onProgress: Terminal.progress)
            Terminal.progress("")
            Terminal.write("\(file.name): \(outcome)\n")
            file.warn(of: outcome.problems, count: outcome.unreadable)
            isWhole = isWhole && outcome.unreadable == 0
        }
        return isWhole
    }

    /// Reads files of spend; the first that is wrong is refused after its rows were named.
    static func read(_ files: [ImportFile]) throws -> [SpendFile] {
        // A day more: days end later elsewhere than in UTC.
        let latest = CalendarDay.today.next
        return try files.map { file in
            let spend = try SpendFile(file, latest: latest)
            guard spend.problems.isEmpty else {
                throw refusal(spend, spend.problems, hint: "correct these rows, and import the file again")
            }
            return spend
        }
    }

    /// Records files of spend, each whole; the first that is contradicted is refused after its rows were named.
    func record(_ files: [SpendFile], replaces: Bool) throws {
        for file in files {
            switch try file.record(in: ledger, of: ads, replaces: replaces) {
            case .recorded(let recording): Terminal.write("\(file.name): \(recording.text)\n")
            case .contradicted(let problems):
                throw Self.refusal(
                    file, problems, hint: "--replace lets the amounts of the file replace those of the store")
            }
        }
    }

    private static func refusal(_ file: SpendFile, _ problems: [ImportProblem], hint: String) -> CommandFailure {
        Terminal.finish()
        for problem in problems.prefix(mostProblems) {
            Terminal.say("skan: error: \(file.name), \(file.recordName) \(problem.number): \(problem.reason)")
        }
        return CommandFailure(
            "nothing of \(file.name) was recorded, because of \(problems.count) of its rows", code: .malformedFile,
            hint: hint)
    }
}
