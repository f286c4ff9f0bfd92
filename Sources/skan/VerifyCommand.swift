import ArgumentParser
import Attribution
import AttributionSigning
import Foundation

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Judge postbacks in files: one object, several, or NDJSON.",
        discussion: """
            Prints one verdict a postback, in the order of the files: valid, invalid (signature), malformed, \
            unknown-version, unknown-key. Files of any size are read as a stream and judged on all cores. Ends with status 0 when \
            all are valid, 1 when some are not, 2 when it could not decide.
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json
    }

    @Argument(help: "Files; - or none for standard input.")
    var files: [String] = []

    @Option(help: "text, or json: one object a line.")
    var format: Format = .text

    @OptionGroup var testKeys: TestKeyOptions

    func run() async throws {
        let verifier = try testKeys.verifier()
        var count = 0
        var areAllValid = true
        for file in files.isEmpty ? ["-"] : files {
            let records = try RecordFile(file)
            var number = 0
            try await judgeInOrder(records, verifier, file) { verdicts in
                number += verdicts.count
                areAllValid = areAllValid && verdicts.areAllValid
                Terminal.write(verdicts.text)
                Terminal.progress("\(file): \(number) judged\(records.progress)")
            }
            count += number
        }
        Terminal.progress("")
        guard count > 0 else {
            throw CommandFailure("there is no postback in \(files.isEmpty ? "standard input" : "the files")")
        }
        if !areAllValid {
            throw ExitStatus.negative
        }
    }

    /// Worth its time only for many postbacks.
    private func prepareTables(of verifier: PostbackVerifier) {
        do {
            try verifier.prepareTables()
        } catch {
            Terminal.say("skan: warning: verifying with OpenSSL alone, many times slower: \(error)")
        }
    }

    /// The verdicts of one batch, put into words by the task that judged it.
    private struct Verdicts: Sendable {
        let count: Int
        let areAllValid: Bool
        let text: String
    }

    /// Judges a file batch by batch, some at the same time; a bounded number waits for its turn to be printed.
    private func judgeInOrder(
        _ records: RecordFile,
        _ verifier: PostbackVerifier,
        _ file: String,
        print: (Verdicts) -> Void
    ) async throws {
        let format = format
        var waiting: [Task<Verdicts, Never>] = []
        var first = 1
        defer { waiting.forEach { $0.cancel() } }
        while let batch = try records.next() {
            if first == 1, batch.count >= 256 {
                prepareTables(of: verifier)
            }
            let start = first
            first += batch.count
            waiting.append(
                Task {
                    let verdicts = verifier.judge(batch).enumerated().map { index, judgement in
                        Verdict(judgement, file: file, number: start + index)
                    }
                    return Verdicts(
                        count: verdicts.count,
                        areAllValid: verdicts.allSatisfy(\.isValid),
                        text: verdicts.map { (format == .json ? $0.json.line : $0.text) + "\n" }.joined()
                    )
                })
            if waiting.count >= 2 * ProcessInfo.processInfo.activeProcessorCount {
                print(await waiting.removeFirst().value)
            }
        }
        for task in waiting {
            print(await task.value)
        }
    }
}
