import ArgumentParser
import AttributionSigning
import AttributionStore

struct RecountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Verify and tally every recorded postback again from its raw bytes, and report any difference.",
        discussion: "Ends with status 0 when there is none, 1 when there is."
    )

    @Option(help: "The store's file.")
    var store: String

    @Flag(help: "Put the new tallies in place of the stored ones when they differ.")
    var repair = false

    @OptionGroup var testKeys: TestKeyOptions

    func run() async throws {
        let verifier = try testKeys.verifier()
        let ledger = repair ? try openForRepair() : try SQLiteLedger(reading: store)
        let recount = try await ledger.recount(repair: repair) { verifier.judge($0) }
        for difference in recount.differences {
            Terminal.write("\(difference)\n")
        }
        Terminal.write(
            "\(recount.postbacks) postbacks read again, \(recount.verified) verified again"
                + (recount.unverifiedTest > 0
                    ? ", \(recount.unverifiedTest) test postbacks without their key (name it: --trust-test-key)" : "")
                + "; differences: \(recount.differences.count)"
                + (recount.isRepaired ? ", repaired" : "") + "\n")
        if !recount.differences.isEmpty {
            throw ExitStatus.negative
        }
    }

    /// Opens for writing, but never creates.
    private func openForRepair() throws -> SQLiteLedger {
        do {
            try SQLiteLedger(reading: store).close()
        } catch StoreError.olderSchema {
            // Recording brings it up to date.
        }
        return try SQLiteLedger(path: store)
    }
}
