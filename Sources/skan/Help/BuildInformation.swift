import CBuild
import COpenSSL
import GRDBSQLite

/// What this program was built from, and which libraries it runs with.
enum BuildInformation {
    /// For example `commit 1a2b3c4, Swift 6.3, SQLite 3.40.1, OpenSSL 3.0.17`.
    static var text: String {
        let commit = String(cString: skan_build_commit())
        let sqlite = String(cString: sqlite3_libversion())
        let openSSL = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
        return "commit \(commit), Swift \(compiler), SQLite \(sqlite), OpenSSL \(openSSL)"
    }

    /// The compiler's version, as far as a program can ask for it.
    private static var compiler: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
