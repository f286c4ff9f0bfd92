import ArgumentParser
import Foundation

/// Used by `make release`, and hidden from users.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Write a manual page for each command, made from its help.",
        shouldDisplay: false
    )

    @Option(help: "Folder for the pages; existing pages are replaced.", completion: .directory)
    var output: String

    func run() throws {
        let folder = URL(fileURLWithPath: output)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for page in Self.pages(of: try .ofProgram()) {
                try OutputFile.write(to: folder.appendingPathComponent(page.fileName).path) { $0(page.text) }
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.cannotWrite(output, error)
        }
    }

    private static func pages(of command: CommandDescription) -> [ManualPage] {
        [ManualPage(command)] + command.shownSubcommands.flatMap { pages(of: $0) }
    }
}
