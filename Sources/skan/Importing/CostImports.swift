import Attribution
import AttributionConsole
import AttributionIngest
import AttributionStore
import Foundation

/// Imports what reports divide by, and says what became of it.
struct CostImports {
    /// Takes the lines of one transaction, and returns how many were new.
    private let takeSigned: ([SignedImpressionCount]) async throws -> Int
    /// Records all of it or nothing.
    private let takeSpend: (_ spend: [Spend], _ replaces: Bool) async throws -> SpendRecording

    /// Imports into a store that this process owns.
    init(into ledger: any AdCostWriting, of ads: AdTraffic) {
        takeSigned = { try ledger.addSigned($0, of: ads) }
        takeSpend = { try ledger.recordSpend($0, of: ads, replaces: $1) }
    }

    /// Has the process that owns a store record it.
    init(by owner: OwnerClient, of ads: AdTraffic) {
        takeSigned = { try await owner.addSigned($0, of: ads) }
        takeSpend = { try await owner.recordSpend($0, of: ads, replaces: $1) }
    }

    /// How many rows of a file are named that cannot be used.
    private static let mostProblems = 10

    /// Adds up files of signed impressions, and returns whether every line was used.
    func add(_ files: [ImportFile]) async throws -> Bool {
        var isWhole = true
        for file in files {
            let outcome = try await SignedCountsImport.run(file, onProgress: Terminal.progress, take: takeSigned)
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
    func record(_ files: [SpendFile], replaces: Bool) async throws {
        for file in files {
            let recording = try await takeSpend(file.spend, replaces)
            guard recording.conflicts.isEmpty else {
                throw Self.refusal(
                    file, file.problems(of: recording.conflicts),
                    hint: "--replace lets the amounts of the file replace those of the store")
            }
            Terminal.write("\(file.name): \(recording.text)\n")
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
