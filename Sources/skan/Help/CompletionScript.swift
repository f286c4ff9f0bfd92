import ArgumentParser

/// A shell's completion script: the parser's, with the commands after `skan help`, which it leaves out.
struct CompletionScript {
    let shell: CompletionShell
    let program: CommandDescription

    var text: String {
        let script = Skan.completionScript(for: shell)
        switch shell {
        // Of two functions with one name, the later one counts.
        case .bash: return script + "\n" + bash
        case .fish: return script + "\n" + fish
        default:
            // The last statement already completes, when zsh loads the script at the first use.
            let end = script.ranges(of: "\nif [[ ").last?.lowerBound ?? script.endIndex
            return script[..<end] + "\n" + zsh + script[end...] + "\n"
        }
    }

    /// The words after `skan help` that have subcommands, with the names of those; none for the program itself.
    private var groups: [(word: String, names: String)] {
        ([program] + program.shownSubcommands.filter { !$0.shownSubcommands.isEmpty }).map { command in
            let names = command.shownSubcommands.map(\.commandName).joined(separator: " ")
            return (command.path.dropFirst().joined(separator: " "), names)
        }
    }

    /// What is done with the names of each group, as cases of a shell.
    private func cases(_ act: (String) -> String) -> String {
        groups.map { "    '\($0.word)') \(act($0.names)) ;;" }.joined(separator: "\n")
    }

    private var bash: String {
        """
        _skan_help() {
            case "${COMP_WORDS[*]:2:COMP_CWORD-2}" in
        \(cases { "COMPREPLY+=($(compgen -W '\($0)' -- \"${cur}\"))" })
            esac
        }

        """
    }

    private var zsh: String {
        """
        _skan_help() {
            local -i ret=1
            case "${(j: :)words[2,CURRENT-1]}" in
        \(cases { "compadd -- \($0) && ret=0" })
            esac
            return "${ret}"
        }

        """
    }

    private var fish: String {
        groups.map { group in
            let condition = group.word.isEmpty ? "-eq 1" : "-eq 2; and contains -- \(group.word) (__skan_tokens -pc)"
            return "complete -c 'skan' -n '__skan_should_offer_completions_for_positional \"skan help\" \(condition)' "
                + "-fka '\(group.names)'\n"
        }.joined()
    }
}

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Write a shell completion script for commands, options, files and names.",
        discussion: """
            make install installs the scripts.

            EXAMPLES
              source <(skan completion bash)
              skan completion zsh > ~/.zfunc/_skan
              skan completion fish > ~/.config/fish/completions/skan.fish
            """
    )

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            CompletionShell(rawValue: rawValue) ?? .bash
        }
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        Terminal.write(CompletionScript(shell: shell.completionShell, program: try .ofProgram()).text)
    }
}
