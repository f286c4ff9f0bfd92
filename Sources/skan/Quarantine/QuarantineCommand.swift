import ArgumentParser

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Look at what was received and not counted, judge it again, export it, delete it.",
        discussion: """
            list, show and export only read, beside a running server or without one. requeue and prune change the store: \
            a running server does it for them, and needs no restart.

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
