import ArgumentParser

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Show, verify again, export or delete deliveries that were not counted.",
        discussion: """
            list, show and export only read, with or without a running server. requeue and prune change the store; if \
            a server is running, it makes the change, without a restart.

            EXAMPLE
              skan quarantine list --store skan.sqlite --class future
              skan quarantine requeue --store skan.sqlite --reason unknown-version
              skan quarantine prune --store skan.sqlite --class garbage --older-than 90d
            """,
        subcommands: [List.self, Show.self, Requeue.self, Export.self, Prune.self]
    )
}

/// How a listing is printed.
enum ListingFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, ndjson
}
