import ArgumentParser
import CodedErrors
import Foundation

/// The command line, with one file per subcommand.
@main
struct Skan: AsyncParsableCommand {
    /// The version of the program, which reports show too.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "skan",
        abstract:
            "The ad network's side of SKAdNetwork and AdAttributionKit: sign impressions, receive and verify postbacks, report.",
        version: version,
        subcommands: [
            ServeCommand.self, ReportCommand.self, SignCommand.self, VerifyCommand.self, KeysCommand.self,
            SimulateCommand.self, SelftestCommand.self, RecountCommand.self, WebAdCommand.self, TokensCommand.self,
            PublishCommand.self, QuarantineCommand.self, PostbacksCommand.self, ExportCommand.self, ImportCommand.self,
            TriggerCommand.self, ListenCommand.self, ReplayCommand.self, DoctorCommand.self,
            MigrateCommand.self, BackupCommand.self, StoreCommand.self, CompletionCommand.self, ManualCommand.self,
            VersionCommand.self,
        ]
    )

    static func main() async {
        // With a closed pipe, as in `skan report | head`, the failing write ends the run with success.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parsed()
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

    /// The command that was typed.
    ///
    /// - Throws: ``CommandFailure`` naming the mistake when the words are not a valid command.
    private static func parsed() throws -> any ParsableCommand {
        let command: any ParsableCommand
        do {
            command = try parseAsRoot()
        } catch {
            guard exitCode(for: error) != .success else {
                throw error
            }
            let typed = typedCommand
            throw CommandFailure(typed?.problem ?? message(for: error), hint: typed?.help ?? "skan help")
        }
        // For help on an unknown command the parser would show the program's help.
        if words.first == "help", let problem = typedCommand?.problem {
            throw CommandFailure(problem, hint: "skan help")
        }
        return command
    }

    private static var words: [String] {
        Array(CommandLine.arguments.dropFirst())
    }

    /// The typed words, for naming mistakes; nil when the parser's description cannot be read.
    private static var typedCommand: TypedCommand? {
        (try? CommandDescription.ofProgram()).map { TypedCommand(words, of: $0) }
    }

    /// Prints an error as `skan: error:` and `skan: hint:`, and exits with its status.
    private static func report(_ error: any Error) -> Never {
        if exitCode(for: error) == .success {
            // Help or version.
            Terminal.write(fullMessage(for: error) + "\n")
            Terminal.finish()
            Foundation.exit(0)
        }
        let help = typedCommand?.help ?? "skan help"
        let failure =
            error is ValidationError
            ? CommandFailure(message(for: error), hint: help) : CommandFailure(explaining: error, help: help)
        failure.say()
        Foundation.exit(failure.code.exitStatus)
    }
}
