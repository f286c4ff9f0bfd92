import ArgumentParser

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
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() {
        Terminal.write(Skan.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash) + "\n")
    }
}
