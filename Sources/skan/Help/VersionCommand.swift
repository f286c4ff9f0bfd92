import ArgumentParser
import AttributionServer
import CBuild
import COpenSSL
import GRDBSQLite

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

/// The commit this program was built from, and the libraries it uses.
enum BuildInformation {
    /// For example `commit 1a2b3c4, Swift 6.3, SQLite 3.40.1, OpenSSL 3.0.17`.
    static var text: String {
        let commit = String(cString: skan_build_commit())
        let sqlite = String(cString: sqlite3_libversion())
        let openSSL = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
        return "commit \(commit), Swift \(Server.swiftVersion), SQLite \(sqlite), OpenSSL \(openSSL)"
    }
}
