import ArgumentParser
import Attribution
import AttributionServer
import CBuild
import COpenSSL
import Foundation
import GRDBSQLite
import StrictJSON

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
        groupedSubcommands: [
            CommandGroup(
                name: "Receiving",
                subcommands: [
                    ServeCommand.self, TokensCommand.self, DoctorCommand.self, DestinationsCommand.self,
                ]),
            CommandGroup(
                name: "Reporting",
                subcommands: [ReportCommand.self, SchemaCommand.self, CampaignsCommand.self, ExportCommand.self]),
            CommandGroup(
                name: "Signing",
                subcommands: [
                    SignCommand.self, CheckImpressionCommand.self, KeysCommand.self, RegisterCommand.self,
                    WebAdCommand.self, PublishCommand.self,
                ]),
            CommandGroup(
                name: "Testing",
                subcommands: [
                    VerifyCommand.self, SelftestCommand.self, SimulateCommand.self, DemoCommand.self,
                    TriggerCommand.self, ListenCommand.self, ReplayCommand.self,
                ]),
            CommandGroup(
                name: "Store",
                subcommands: [
                    PostbacksCommand.self, QuarantineCommand.self, ImportCommand.self, RecountCommand.self,
                    BackupCommand.self, MigrateCommand.self, StoreCommand.self,
                ]),
            CommandGroup(
                name: "Other", subcommands: [CompletionCommand.self, ManualCommand.self, VersionCommand.self]),
        ]
    )

    static func main() async {
        // A closed pipe, as in `skan report | head`, is a failing write: see Terminal.
        signal(SIGPIPE, SIG_IGN)
        CoreLimit.forbid()
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
    private static func parsed() throws -> any ParsableCommand {
        let command: any ParsableCommand
        do {
            command = try parseAsRoot()
        } catch {
            let status = exitCode(for: error)
            guard status != .success else {
                throw error
            }
            // Errors of the parser have another status; their sentences are not shown.
            let ownMessage = status == .failure ? message(for: error) : nil
            let typed = typedCommand
            throw CommandFailure(
                typed?.problem ?? ownMessage ?? "this command line cannot be understood",
                hint: typed?.help ?? "skan help")
        }
        // For help on an unknown command the parser would show the program's help.
        if words.first == "help", let typed = typedCommand, let problem = typed.problem {
            throw CommandFailure(problem, hint: typed.help)
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
            // Help, version or completions.
            let text = fullMessage(for: error)
            let help = text.hasPrefix("OVERVIEW: ") ? typedCommand?.command : nil
            Terminal.write((help?.help(text, columns: Terminal.helpColumns) ?? text) + "\n")
            Terminal.finish()
            Foundation.exit(0)
        }
        let typed = typedCommand
        let named = (error as? FieldProblem).flatMap { typed?.naming($0) }
        let failure = CommandFailure(explaining: named ?? error, help: typed?.help ?? "skan help")
        failure.say()
        Foundation.exit(failure.code.exitStatus)
    }
}

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version, the commit it was built from, and the libraries it uses.",
        discussion: "Only builds made with make release know their commit."
    )

    func run() {
        let commit = String(cString: skan_build_commit())
        let sqlite = String(cString: sqlite3_libversion())
        let openSSL = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
        Terminal.write(
            "skan \(Skan.version) (commit \(commit), Swift \(Server.swiftVersion), SQLite \(sqlite), "
                + "OpenSSL \(openSSL))\n")
    }
}
