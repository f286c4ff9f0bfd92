import ArgumentParser

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Move a store: from a file into a database, or back.",
        subcommands: [StoreCopyCommand.self])
}
