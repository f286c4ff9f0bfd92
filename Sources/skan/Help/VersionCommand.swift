import ArgumentParser

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version, the commit it was built from, and the libraries it runs with.",
        discussion: "Builds of make release know their commit; others say that it is unknown."
    )

    func run() {
        Terminal.write("skan \(Skan.version) (\(BuildInformation.text))\n")
    }
}
