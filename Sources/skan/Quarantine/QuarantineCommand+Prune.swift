import ArgumentParser
import AttributionConsole
import AttributionIngest
import AttributionSigning
import AttributionStore

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
