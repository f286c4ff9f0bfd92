import AttributionReports
import StrictJSON

/// Compares the typed words with what the commands accept, to name mistakes.
///
/// It is used after the argument parser has refused the words, whose own sentences are not shown; without a mistake, it
/// only knows the command.
struct TypedCommand {
    /// The command that was called, as far as it is known.
    private(set) var command: CommandDescription
    /// The first mistake, in words: an unknown name, otherwise an invalid value, otherwise everything that is missing.
    private(set) var problem: String?

    private var given: [CommandDescription.Argument] = []
    private var operands: [String] = []
    /// What is wrong with the first invalid value.
    private var badValue: String?

    /// Flags of which at most one may be given: the parser's description does not tell.
    private static let exclusiveFlags =
        TrafficOptions.OtherTraffic.allCases.map { "--\($0.rawValue)" } + ["--provenance"]

    /// Interprets the words.
    init(_ words: [String], of program: CommandDescription) {
        command = program
        guard words.first == "help" else {
            walk(words)
            return
        }
        for word in words.dropFirst() where problem == nil && !["-h", "--help", "-help"].contains(word) {
            if word.hasPrefix("-") {
                problem = "unknown option \(word.shortened(to: 40))"
            } else {
                enter(word)
            }
        }
    }

    /// The command that shows help.
    var help: String {
        (["skan", "help"] + command.path.dropFirst()).joined(separator: " ")
    }

    private mutating func walk(_ words: [String]) {
        var pending = words[...]
        while let word = pending.popFirst(), problem == nil {
            if word == "--" {
                operands += pending
                break
            } else if word.hasPrefix("--") || (word.hasPrefix("-") && isNamed(word)) {
                takeOption(word, &pending)
            } else if word.hasPrefix("-"), word.count > 1 {
                takeShortOptions(word, &pending)
            } else if command.subcommands != nil {
                enter(word)
            } else {
                operands.append(word)
            }
        }
        problem = problem ?? badValue ?? contradiction ?? badOperand ?? missing
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
        let name = word.quotedIfEmpty.shortened(to: 40)
        problem = "unknown command \(name)\(parent)\(expected)\(known.suggestion(for: word))"
    }

    // MARK: Options

    private func option(named name: String) -> CommandDescription.Argument? {
        (command.arguments ?? []).first { $0.isNamed(name) }
    }

    /// Whether a word is an option of the command, with a value or without.
    private func isNamed(_ word: String) -> Bool {
        option(named: String(word.prefix { $0 != "=" })) != nil
    }

    private var longNames: [String] {
        (command.arguments ?? []).flatMap { ($0.names ?? []).map(\.text) }.filter { $0.count > 2 }
    }

    /// Takes an option and its value.
    private mutating func takeOption(_ word: String, _ pending: inout ArraySlice<String>) {
        let name = String(word.prefix { $0 != "=" })
        let joined = word.dropFirst(name.count + 1)
        guard let option = option(named: name) else {
            let shown = name.count > 2 ? name : word
            problem =
                misplaced(name, pending)
                ?? "unknown option \(shown.shortened(to: 40))\(longNames.suggestion(for: shown))"
            return
        }
        given.append(option)
        let valueProblem: String? =
            switch option.kind {
            case .option where joined.isEmpty: takeValue(of: option, named: name, &pending)
            case .option: option.problem(with: String(joined), named: name)
            case .flag where !joined.isEmpty:
                "\(name): found \(String(joined).shortened(to: 40)), expected no value"
            case .flag, .positional: nil
            }
        badValue = badValue ?? valueProblem
    }

    /// What is wrong with an option of a subcommand that is typed before it; nil for any other option.
    private func misplaced(_ name: String, _ pending: ArraySlice<String>) -> String? {
        let takers = (command.subcommands ?? []).filter { $0.takes(name) }
        guard !takers.isEmpty else {
            return nil
        }
        let typed = takers.first { pending.contains($0.commandName) }?.commandName
        return "\(name): found before \(typed ?? "the command"), expected after it"
    }

    /// Takes short options in one word, such as `-qo`; their values follow.
    private mutating func takeShortOptions(_ word: String, _ pending: inout ArraySlice<String>) {
        let names = word.dropFirst().map { "-\($0)" }
        guard !names.allSatisfy({ option(named: $0) != nil }) else {
            return names.forEach { takeOption($0, &pending) }
        }
        let takesValue = option(named: names[0])?.kind == .option
        let nearest = longNames.nearest(to: word) ?? (takesValue ? "\(names[0]) \(word.dropFirst(2))" : nil)
        let suggestion = nearest.map { "; did you mean \($0)?" } ?? ""
        problem =
            misplaced(names[0], pending)
            ?? "unknown option \(word.shortened(to: 40))\(suggestion.shortened(to: 80))"
    }

    /// Takes the next word as the value of an option, and returns what is wrong with it.
    private func takeValue(
        of option: CommandDescription.Argument, named name: String, _ pending: inout ArraySlice<String>
    ) -> String? {
        guard let word = pending.first, word != "--" else {
            return "\(name): expected \(option.expectation)"
        }
        guard word.hasPrefix("-"), word.count > 1, !option.takesAnyWord else {
            pending.removeFirst()
            return option.problem(with: word, named: name)
        }
        if word.hasPrefix("--") || isNamed(word) {
            return "\(name): expected \(option.expectation)"
        }
        pending.removeFirst()
        let isNumber = Double(word) != nil && option.type?.isNumber == true
        let expected =
            isNumber ? option.expectation : "a value that does not begin with a hyphen, or \(name)=\(word)"
        return "\(name): found \(word.shortened(to: 40)), expected \(expected)"
    }

    private var contradiction: String? {
        let flags = Self.exclusiveFlags.filter { name in given.contains { $0.isNamed(name) } }
        return flags.count > 1 ? "found \(flags.joined(separator: " and ")), expected one of them" : nil
    }

    // MARK: Operands

    private var badOperand: String? {
        let arguments = command.shownArguments.filter { $0.kind == .positional && !$0.isRepeating }
        let problems = zip(arguments, operands).compactMap { argument, operand in
            argument.problem(with: operand, named: argument.synopsis).map { $0 + suggestion(ofStore: operand) }
        }
        let isBounded = !command.shownArguments.contains { $0.kind == .positional && $0.isRepeating }
        guard problems.isEmpty, command.subcommands == nil, isBounded, operands.count > arguments.count else {
            return problems.first
        }
        let operand = operands[arguments.count]
        return "unexpected argument \(operand.quotedIfEmpty.shortened(to: 40))\(suggestion(ofStore: operand))"
    }

    /// The option that a store was meant for; empty for other words.
    private func suggestion(ofStore operand: String) -> String {
        option(named: "--store") != nil && StoreOption.isMeant(by: operand)
            ? "; did you mean --store \(operand.shortened(to: 80))?" : ""
    }

    /// The required options and operands that are missing.
    private var missing: String? {
        guard command.subcommands == nil else {
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

extension TypedCommand {
    /// The problem with the option's name, where a value of the command line was checked under its field's name.
    func naming(_ problem: FieldProblem) -> FieldProblem {
        let names = [problem.field, Self.optionsByField[problem.field]].compactMap { $0.map { "--\($0)" } }
        guard let name = names.first(where: { name in (command.arguments ?? []).contains { $0.isNamed(name) } }) else {
            return problem
        }
        return FieldProblem(field: name, found: problem.found, expected: problem.expected)
    }

    /// The options whose fields Apple gave other names.
    private static let optionsByField = [
        "ad-network-id": "network", "campaign-id": "campaign", "itunes-item-id": "advertised-app",
        "source-app-id": "source-app", "fidelity-type": "fidelity",
        "ad-network-identifier": "network", "publisher-item-identifier": "source-app",
        "advertised-item-identifier": "advertised-app", "impression-identifier": "nonce",
        "source-domains": "source-domain", "attribution-destination": "destination", "lifetime-seconds": "lifetime",
    ]
}
