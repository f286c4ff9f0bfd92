import ArgumentParser
import Attribution
import AttributionExplaining
import AttributionSigning
import Foundation
import StrictJSON

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify postbacks in files: one object, several, or NDJSON.",
        discussion: """
            Prints one verdict per postback, in the order of the files: valid, invalid (signature), malformed, \
            unknown-version, unknown-key, not-understood (it verifies, with values that this release does not know), \
            undecided; then, to standard error, the number of each. A valid one also names values that count but are \
            not as Apple documents them, such as a country-code in lower case. Files of any size are read as a stream and \
            verified on all cores. Exits with status 0 if all are valid, 1 if some are not, 2 if it could not decide.

            Postbacks must be as a device sends them. Exports of partners are often wrapped in something else: \
            --unwrap accepts the elements of an array, the object under "postback", a bare compact JWS, and a byte \
            order mark.
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json
    }

    @Argument(help: "Files; - or none for standard input.", completion: .file())
    var files: [String] = []

    @Option(help: "text, or json: one object per line.")
    var format: Format = .text

    @Flag(help: "Verify the contents of arrays and wrapping objects, and bare JWS.")
    var unwrap = false

    @Flag(help: "Say why each signature verifies or does not, and what to do.")
    var explain = false

    @OptionGroup var postbackKeys: PostbackKeyOptions

    func run() async throws {
        let verifier = try postbackKeys.verifier()
        var tally = VerdictTally()
        for file in files.isEmpty ? ["-"] : files {
            let records = try RecordFile(file, entersArrays: unwrap)
            let peculiarity = try records.peculiarity()
            if let peculiarity, !unwrap || !peculiarity.isUnwrapped {
                let verdict = Verdict(
                    peculiarity, file: file, explainer: explain ? PostbackExplainer(verifier: verifier) : nil)
                tally.count(verdict)
                Terminal.write(line(verdict))
                continue
            }
            var number = 0
            try await judgeInOrder(records, verifier, file) { verdicts in
                number += verdicts.tally.total
                tally += verdicts.tally
                Terminal.write(verdicts.text)
                Terminal.progress("\(file): \(number) checked\(records.progress)")
            }
        }
        Terminal.progress("")
        guard tally.total > 0 else {
            throw CommandFailure("no postback in \(files.isEmpty ? "standard input" : "the files")")
        }
        Terminal.finish()
        Terminal.say("skan: \(tally)")
        if !explain, tally[.invalid] > 0 {
            Terminal.say("skan: hint: --explain says why a signature does not verify")
        }
        if let status = tally.exitStatus {
            throw status
        }
    }

    /// Prepares tables, which pays off only for many postbacks.
    private func prepareTables(of verifier: PostbackVerifier) {
        do {
            try verifier.prepareTables()
        } catch {
            Terminal.say("skan: warning: verifying with OpenSSL alone, many times slower: \(error.description)")
        }
    }

    /// The verdicts of one batch, rendered by the task that judged it.
    private typealias Verdicts = (tally: VerdictTally, text: String)

    private func line(_ verdict: Verdict) -> String {
        (format == .json ? verdict.json.line : verdict.text) + "\n"
    }

    /// Judges a file batch by batch, concurrently; a bounded number of batches waits to be printed in order.
    private func judgeInOrder(
        _ records: RecordFile, _ verifier: PostbackVerifier, _ file: String, print: (Verdicts) -> Void
    ) async throws {
        var waiting: [Task<Verdicts, Never>] = []
        var first = 1
        defer { waiting.forEach { $0.cancel() } }
        while let batch = try records.next() {
            if first == 1, batch.count >= 256 {
                prepareTables(of: verifier)
            }
            let start = first
            first += batch.count
            waiting.append(Task { judge(batch, from: start, verifier, file) })
            if waiting.count >= 2 * ProcessInfo.processInfo.activeProcessorCount {
                print(await waiting.removeFirst().value)
            }
        }
        for task in waiting {
            print(await task.value)
        }
    }

    private func judge(
        _ records: [JSONObjectSplitter.Record], from start: Int, _ verifier: PostbackVerifier, _ file: String
    ) -> Verdicts {
        // When a device sent them is not known.
        let now = UnixMilliseconds(Date()).rawValue
        let bodies = records.map { record in
            ReceivedBody(
                unwrap ? Wrapping(record)?.body ?? record.bytes : record.bytes, receivedAtMilliseconds: now)
        }
        let explainer = explain ? PostbackExplainer(verifier: verifier) : nil
        var tally = VerdictTally()
        var text = ""
        for (index, judgement) in verifier.judge(bodies).enumerated() {
            let verdict = Verdict(
                judgement, of: records[index], file: file, number: start + index, unwrapped: unwrap,
                explainer: explainer)
            tally.count(verdict)
            text += line(verdict)
        }
        return (tally, text)
    }
}
