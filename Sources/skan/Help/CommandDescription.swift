import ArgumentParser
import AttributionReports
import Foundation
import StrictJSON

/// A command with its options and subcommands, as the argument parser describes it.
struct CommandDescription: Decodable {
    let commandName: String
    let superCommands: [String]?
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    private(set) var subcommands: [CommandDescription]?
    private(set) var arguments: [Argument]?

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
        let parsingStrategy: String
        /// What its value has to be; nil for flags, and where every text is accepted.
        fileprivate(set) var type: ValueType?

        private enum CodingKeys: CodingKey {
            case kind, names, valueName, abstract, discussion, defaultValue, allValues, isOptional, isRepeating
            case shouldDisplay, parsingStrategy
        }

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

    static func ofProgram() throws -> CommandDescription {
        struct Tool: Decodable {
            let command: CommandDescription
        }
        return try JSONDecoder().decode(Tool.self, from: Data(Skan._dumpHelp().utf8)).command.typed(by: Skan.self)
    }

    /// Adds the types of values, which the parser's description lacks.
    private func typed(by command: any ParsableCommand.Type) -> CommandDescription {
        var typed = self
        let types = ValueType.all(of: command)
        let indices = (arguments ?? []).indices.filter { arguments?[$0].kind != .flag }
        if indices.count == types.count {
            for (index, type) in zip(indices, types) {
                typed.arguments?[index].type = type
            }
        }
        // The parser describes subcommands in their order, and adds its own help at the end.
        for (index, subcommand) in command.configuration.subcommands.enumerated() {
            if let description = typed.subcommands?[index] {
                typed.subcommands?[index] = description.typed(by: subcommand)
            }
        }
        return typed
    }

    /// The words that call it, such as `["skan", "keys", "check"]`.
    var path: [String] {
        (superCommands ?? []) + [commandName]
    }

    /// Whether the command or one of its subcommands takes an option.
    func takes(_ name: String) -> Bool {
        (arguments ?? []).contains { $0.isNamed(name) } || (subcommands ?? []).contains { $0.takes(name) }
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

    /// Whether the next word is its value even if it looks like an option.
    var takesAnyWord: Bool {
        parsingStrategy == "unconditional"
    }

    /// What is wrong with a value, after the name under which it was given; nil when it is accepted.
    func problem(with value: String, named name: String) -> String? {
        let found = "\(name): found \(value.quotedIfEmpty.shortened(to: 40)), expected "
        guard let known = allValues, !known.isEmpty else {
            return type?.expectation(insteadOf: value).map { found + $0 }
        }
        // Numbers are all alike.
        let suggestion = value.contains(where: \.isLetter) ? known.suggestion(for: value) : ""
        return known.contains(value) ? nil : found + expectation + suggestion
    }

    /// What its value has to be.
    var expectation: String {
        if let known = allValues, !known.isEmpty {
            return "one of \(known.joined(separator: ", "))"
        }
        return type?.expectation ?? "a value"
    }
}

extension String {
    /// The text, or two quotation marks: nothing would be seen of an empty one.
    var quotedIfEmpty: String {
        isEmpty ? "\"\"" : self
    }
}

extension CommandDescription {
    /// The help as the parser rendered it, but with examples in one piece.
    ///
    /// The parser breaks every line at the width of the terminal, and half a command cannot be pasted.
    func help(_ rendered: String, columns: Int) -> String {
        // Of `skan --help report` the parser renders the program's.
        guard let usage = rendered.firstRange(of: "\n\nUSAGE: \(path.joined(separator: " "))") else {
            return rendered
        }
        let overview = ["OVERVIEW: \(abstract ?? "")", discussion ?? ""].filter { !$0.isEmpty }
        let lines = overview.joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false)
        let wrapped = lines.flatMap { $0.hasPrefix("  ") ? [String($0)] : Self.wrapped($0, columns) }
        return wrapped.joined(separator: "\n") + rendered[usage.lowerBound...]
    }

    /// Breaks a line at spaces.
    private static func wrapped(_ line: Substring, _ columns: Int) -> [String] {
        line.split(separator: " ").reduce(into: [""]) { lines, word in
            let current = lines[lines.count - 1]
            if current.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if current.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(current) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }
}
