import AttributionReports
import StrictJSON

/// Compares the typed words with what the commands accept, to name mistakes.
///
/// It is only asked after the argument parser has refused the words, and says nothing where it finds no mistake.
struct TypedCommand {
    /// The command that was called, as far as it is known.
    private(set) var command: CommandDescription
    /// The first mistake, in words: an unknown name, else a value that is none, else all that is missing.
    private(set) var problem: String?

    private var given: [CommandDescription.Argument] = []
    private var operands: [String] = []
    private var lacksValue = false

    /// Interprets the words.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name.
    ///   - program: What the program takes.
    init(_ words: [String], of program: CommandDescription) {
        command = program
        if words.first == "help" {
            walkHelp(words.dropFirst())
        } else {
            walk(words)
        }
    }

    /// The command that shows help.
    var help: String {
        (["skan", "help"] + command.path.dropFirst()).joined(separator: " ")
    }

    private mutating func walkHelp(_ words: ArraySlice<String>) {
        for word in words where !word.hasPrefix("-") && problem == nil {
            enter(word)
        }
    }

    private mutating func walk(_ words: [String]) {
        var pending = words[...]
        var badValue: String?
        while let word = pending.popFirst(), problem == nil {
            if word == "--" {
                operands += pending
                break
            } else if word.hasPrefix("-"), word.count > 1 {
                badValue = takeOption(word, &pending) ?? badValue
            } else if command.subcommands != nil {
                enter(word)
            } else {
                operands.append(word)
            }
        }
        problem = problem ?? badValue ?? badOperand ?? missing
    }

    private mutating func enter(_ word: String) {
        let commands = command.subcommands ?? []
        if let next = commands.first(where: { $0.commandName == word }) {
            command = next
            return
        }
        guard word != "help" else {
            return
        }
        let known = command.shownSubcommands.map(\.commandName)
        let parent = command.path.count > 1 ? " of \(command.path.joined(separator: " "))" : ""
        let expected = known.isEmpty ? "" : ", expected one of \(known.joined(separator: ", "))"
        problem = "unknown command \(word.shortened(to: 40))\(parent)\(expected)\(known.suggestion(for: word))"
    }

    /// Takes an option and its value.
    ///
    /// - Returns: What is wrong with the value.
    private mutating func takeOption(_ word: String, _ pending: inout ArraySlice<String>) -> String? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let option = (command.arguments ?? []).first(where: { $0.isNamed(parts[0]) }) else {
            // -qo FILE: short options may be combined.
            let isJoined =
                !word.hasPrefix("--") && (command.arguments ?? []).contains { $0.isNamed("\(word.prefix(2))") }
            guard isJoined else {
                let names = (command.arguments ?? []).flatMap { ($0.names ?? []).map(\.text) }.filter { $0.count > 2 }
                problem = "unknown option \(parts[0].shortened(to: 40))\(names.suggestion(for: parts[0]))"
                return nil
            }
            lacksValue = true
            return nil
        }
        given.append(option)
        guard option.kind == .option else {
            return nil
        }
        if parts.count == 2 {
            return Self.problem(with: parts[1], of: option, named: parts[0])
        }
        // A word that looks like an option is not a value, except in --sort -installs.
        guard pending.first?.hasPrefix("--") == false, let value = pending.popFirst() else {
            lacksValue = true
            return "\(parts[0]): expected a value"
        }
        return Self.problem(with: value, of: option, named: parts[0])
    }

    /// What is wrong with a value, where the values are known.
    private static func problem(
        with value: String, of argument: CommandDescription.Argument, named name: String
    ) -> String? {
        guard let known = argument.allValues, !known.isEmpty, !known.contains(value) else {
            return nil
        }
        return "\(name): found \(value.shortened(to: 40)), expected one of \(known.joined(separator: ", "))"
            + known.suggestion(for: value)
    }

    private var badOperand: String? {
        let arguments = command.shownArguments.filter { $0.kind == .positional && !$0.isRepeating }
        if let problem = zip(arguments, operands).lazy.compactMap({
            Self.problem(with: $1, of: $0, named: $0.synopsis)
        }).first {
            return problem
        }
        let isBounded = !command.shownArguments.contains { $0.kind == .positional && $0.isRepeating }
        guard command.subcommands == nil, isBounded, operands.count > arguments.count else {
            return nil
        }
        return "unexpected argument \(operands[arguments.count].shortened(to: 40))"
    }

    /// The required arguments that are missing; nil when arguments cannot be told from values.
    private var missing: String? {
        guard command.subcommands == nil, !lacksValue else {
            return nil
        }
        var pendingOperands = operands[...]
        let missing = command.shownArguments.filter { argument in
            guard argument.kind == .positional else {
                return !argument.isOptional && !given.contains { $0.synopsis == argument.synopsis }
            }
            return pendingOperands.popFirst() == nil && !argument.isOptional
        }
        return missing.isEmpty ? nil : "expected \(missing.map(\.synopsis).joined(separator: ", "))"
    }
}
