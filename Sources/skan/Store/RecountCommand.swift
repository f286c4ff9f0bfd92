import ArgumentParser
import AttributionConsole
import AttributionServer
import AttributionSigning
import AttributionStore
import SQLiteStore

struct RecountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Verify and count every recorded postback again from its raw bytes, and report any difference.",
        discussion: """
            Exits with status 0 if there is none, otherwise 1. With --repair, columns, digests, indexes and counts are \
            rebuilt from the raw bytes; if a server is running, it does that, with the keys it trusts, and keeps \
            recording.

            EXAMPLE
              skan recount --store skan.sqlite --repair
            """
    )

    @OptionGroup var store: StoreOption

    @Flag(help: "Repair what is derived from the raw bytes, and report what remains.")
    var repair = false

    @OptionGroup var postbackKeys: PostbackKeyOptions

    func run() async throws {
        let outcome = try await repair ? repaired() : recounted()
        let remaining = Set(outcome.remainingDifferences)
        for difference in outcome.differences where !remaining.contains(difference) {
            Terminal.writeLine("repaired: \(difference)")
        }
        for difference in outcome.remainingDifferences {
            Terminal.writeLine("\(repair ? "remains: " : "")\(difference)")
        }
        let unlisted = outcome.remaining - Int64(outcome.remainingDifferences.count)
        if unlisted > 0 {
            Terminal.writeLine("\(unlisted) more \(unlisted == 1 ? "is" : "are") not listed")
        }
        let unverified =
            outcome.unverifiedTest > 0
            ? ", \(outcome.unverifiedTest) test postbacks without their key (name it: --trust-test-key)" : ""
        let end =
            repair
            ? "found: \(outcome.found), repaired: \(outcome.repaired), remaining: \(outcome.remaining)"
            : "differences: \(outcome.remaining)"
        Terminal.writeLine(
            "\(outcome.postbacks) postbacks read again, \(outcome.verified) verified again\(unverified); \(end)")
        if outcome.remaining > 0, !repair {
            Terminal.say(
                "skan: hint: --repair makes columns, digests, indexes and counts anew from the bytes, and names the rest"
            )
        }
        if outcome.remaining > 0 {
            throw ExitStatus.negative
        }
    }

    private func recounted() async throws -> RecountOutcome {
        let reader = try store.reader
        let verifier = try await postbackKeys.verifier(remembering: reader)
        return RecountOutcome(try await reader.recount { verifier.judge($0) })
    }

    private func repaired() async throws -> RecountOutcome {
        let ownership = try StoreOwnership(try store.location)
        let reader = try ownership.location.makeReader()
        let verifier = try await postbackKeys.verifier(remembering: reader)
        reader.close()
        if case .database = ownership.location {
            let ledger = try ownership.location.makeWriter(onEvent: StoreOwnership.say)
            defer { _ = try? ledger.close() }
            try ledger.keep(verifier.added)
            return RecountOutcome(try await ledger.repair { verifier.judge($0) })
        }
        return try await ownership.change {
            RecountOutcome(
                try await LedgerRepair.repair(path: ownership.store, keeping: verifier.added) { verifier.judge($0) })
        } owner: {
            try await $0.repair()
        }
    }
}
