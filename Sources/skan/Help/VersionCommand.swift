import ArgumentParser

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version, the commit it was built from, and the libraries it uses.",
        discussion: "Only builds made with make release know their commit."
    )

    func run() {
        Terminal.write("skan \(Skan.version) (\(BuildInformation.text))\n")
    }
}
