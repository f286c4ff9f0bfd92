import Foundation

/// The `sqlite3` command, which changes a store behind the product's back.
enum SQLite {
    static func execute(_ sql: String, _ path: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = [path, sql]
        try process.run()
        process.waitUntilExit()
        struct Failed: Error {}
        guard process.terminationStatus == 0 else {
            throw Failed()
        }
    }
}
