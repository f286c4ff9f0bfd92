import ArgumentParser
import Attribution
import AttributionConsole
import AttributionIngest
import AttributionSigning
import AttributionStore

extension QuarantineCommand {
    struct Requeue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify deliveries again, and count those whose signature is valid now.",
            discussion: """
                Useful after an upgrade that knows a new version or key. Deliveries that verify are recorded on the \
                day they were received, for the networks the last server named as ours. A running server verifies \
                them, with the keys it trusts; otherwise this command does, with the keys given here. Conflicts remain \
                in quarantine, because their signatures were valid already.
                """)

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @Option(help: "Maximum number (default: all).")
        var limit: Int?

        @OptionGroup var testKeys: TestKeyOptions

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else {
                throw ValidationError("expected --limit 1 or more")
            }
        }

        func run() async throws {
            let query = try filter.query(limit: limit ?? .max)
            let result = try await StoreOwnership(try store.location).maintain {
                let verifier = try testKeys.verifier()
                try? verifier.prepareTables()
                return verifier
            } here: {
                try await $0.requeue(query)
            } owner: {
                try await $0.requeue(query)
            }
            Terminal.write(
                "\(result.judged) verified again: recorded \(result.recorded), duplicate \(result.duplicate), "
                    + "conflict \(result.conflict), still in quarantine \(result.stayed)\n")
        }
    }
}

extension QuarantineCommand {
    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete deliveries from the quarantine for good; reports still count them.")

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @Option(help: "Maximum number, oldest first (default: all).")
        var limit: Int?

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else {
                throw ValidationError("expected --limit 1 or more")
            }
        }

        func run() async throws {
            let query = try filter.query(limit: limit ?? .max)
            guard query.hasFilter else {
                throw CommandFailure(
                    "expected one or more of --class, --reason, --id, --before, --older-than",
                    hint: "without any, everything would be deleted")
            }
            let deleted = try await StoreOwnership(try store.location).maintain {
                try PostbackVerifier(testKeys: [])
            } here: {
                try await $0.prune(query)
            } owner: {
                try await $0.prune(query)
            }
            Terminal.write("deleted \(deleted)\n")
        }
    }
}
