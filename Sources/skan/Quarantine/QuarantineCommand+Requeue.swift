import ArgumentParser
import Attribution
import AttributionConsole
import AttributionIngest
import AttributionSigning
import AttributionStore

extension QuarantineCommand {
    struct Requeue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Judge deliveries again, and count what is genuine now.",
            discussion: """
                Useful after an upgrade that knows a new version or key. What verifies is recorded as of the day it was \
                received, for the networks the last server named as ours. While a server runs, it judges, with the keys it trusts; else this command does, with those \
                named here. Conflicts stay: they were verified already.
                """)

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @Option(help: "How many at most (default: all).")
        var limit: Int?

        @OptionGroup var testKeys: TestKeyOptions

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else {
                throw ValidationError("expected --limit 1 or more")
            }
        }

        func run() async throws {
            let query = try filter.query(limit: limit ?? .max)
            let result = try await StoreOwnership(try store.path).maintain {
                let verifier = try testKeys.verifier()
                try? verifier.prepareTables()
                return verifier
            } here: {
                try await $0.requeue(query)
            } owner: {
                try await $0.requeue(query)
            }
            Terminal.write(
                "judged \(result.judged): recorded \(result.recorded), duplicate \(result.duplicate), "
                    + "conflict \(result.conflict), stayed \(result.stayed)\n")
        }
    }
}
