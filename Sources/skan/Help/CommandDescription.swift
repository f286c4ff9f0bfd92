import ArgumentParser
import Foundation

/// A command with its options and subcommands, as the argument parser describes it.
struct CommandDescription: Decodable {
    let commandName: String
    let superCommands: [String]?
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    let subcommands: [CommandDescription]?
    let arguments: [Argument]?

    /// An option, a flag or an operand.
    struct Argument: Decodable {
        let kind: Kind
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let discussion: String?
        let defaultValue: String?
        let allValues: [String]?
        let isOptional: Bool
        let isRepeating: Bool
        let shouldDisplay: Bool

        enum Kind: String, Decodable {
            case positional, option, flag
        }

        struct Name: Decodable {
            let kind: String
            let name: String

            /// As it is typed.
            var text: String {
                (kind == "long" ? "--" : "-") + name
            }
        }
    }

    /// The program.
    static func ofProgram() throws -> CommandDescription {
        struct Tool: Decodable {
            let command: CommandDescription
        }
        return try JSONDecoder().decode(Tool.self, from: Data(Skan._dumpHelp().utf8)).command
    }

    /// The words that call it, such as `["skan", "keys", "check"]`.
    var path: [String] {
        (superCommands ?? []) + [commandName]
    }

    /// Its subcommands except help and hidden ones.
    var shownSubcommands: [CommandDescription] {
        (subcommands ?? []).filter { $0.commandName != "help" && ($0.shouldDisplay ?? true) }
    }

    /// Its options, flags and operands except hidden ones.
    var shownArguments: [Argument] {
        var taken: Set<String> = []
        return (arguments ?? []).filter { argument in
            let names = (argument.names ?? []).map(\.text)
            defer { taken.formUnion(names) }
            // The program's --version gives way to that of a command.
            return argument.shouldDisplay && (names.isEmpty || !taken.isSuperset(of: names))
        }
    }
}

extension CommandDescription.Argument {
    /// How it is typed, such as `--store STORE` or `FILE`.
    var synopsis: String {
        let value = (valueName ?? "value").uppercased()
        return switch kind {
        case .positional: value
        case .flag: longestName
        case .option: "\(longestName) \(value)"
        }
    }

    private var longestName: String {
        (names ?? []).map(\.text).max { $0.count < $1.count } ?? ""
    }

    func isNamed(_ text: String) -> Bool {
        (names ?? []).contains { $0.text == text }
    }
}
