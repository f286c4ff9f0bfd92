import ArgumentParser
import Foundation

/// The command line: a file a subcommand; each parses, wires and prints.
@main
struct Skan: AsyncParsableCommand {
    /// The version of the program, which reports name too.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "skan",
        abstract:
            "The ad network's side of SKAdNetwork and AdAttributionKit: sign impressions, receive and verify postbacks, report.",
        version: version,
        subcommands: [
            ServeCommand.self, ReportCommand.self, SignCommand.self, VerifyCommand.self, KeysCommand.self,
            SimulateCommand.self, SelftestCommand.self, RecountCommand.self, WebAdCommand.self, TokensCommand.self,
            PublishCommand.self, QuarantineCommand.self, PostbacksCommand.self, ExportCommand.self, BackupCommand.self,
            CompletionCommand.self, VersionCommand.self,
        ]
    )

    static func main() async {
        // A closed pipe ends `skan report | head` as a success, through the write that fails.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            Terminal.finish()
        } catch let status as ExitStatus {
            Terminal.finish()
            Foundation.exit(status.rawValue)
        } catch {
            Terminal.finish()
            report(error)
        }
    }

    /// Prints an error as `skan: error:` and `skan: hint:`, and ends with the status it stands for.
    private static func report(_ error: any Error) -> Never {
        if exitCode(for: error) == .success {
            // Help and version asked for.
            Terminal.write(fullMessage(for: error) + "\n")
            Terminal.finish()
            Foundation.exit(0)
        }
        CommandFailure(explaining: error, message: message(for: error)).say()
        Foundation.exit(ExitStatus.undecided.rawValue)
    }
}
