import ArgumentParser
import Attribution
import AttributionSigning
import Foundation

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Judge postbacks in files: one object, several, or NDJSON.",
        discussion: """
            Prints one verdict a postback: valid, invalid (signature), malformed, unknown-version. Ends with status 0 \
            when all are valid, 1 when some are not, 2 when it could not decide.
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

    func run() throws {
        let verifier = try testKeys.verifier()
        var areAllValid = true
        var count = 0
        for file in files.isEmpty ? ["-"] : files {
            let bytes = try read(file)
            for (index, record) in JSONObjectSplitter().split(bytes).enumerated() {
                let verdict = Verdict(verifier.judge(Array(record)), file: file, number: index + 1)
                areAllValid = areAllValid && verdict.isValid
                count += 1
                Terminal.write((format == .json ? verdict.json.line : verdict.text) + "\n")
            }
        }
        guard count > 0 else {
            throw CommandFailure("there is no postback in \(files.isEmpty ? "standard input" : "the files")")
        }
        if !areAllValid {
            throw ExitStatus.negative
        }
    }

    private func read(_ file: String) throws -> [UInt8] {
        do {
            let data =
                file == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe)
            return Array(data)
        } catch {
            throw CommandFailure("cannot read \(file)", hint: "check the path and who may read it")
        }
    }
}
