import Foundation

/// The `sqlite3` command, which looks into a store and changes it behind the product's back.
enum SQLite {
    static func execute(_ sql: String, _ path: String) throws {
        _ = try query(sql, path)
    }

    /// Runs a query and returns what was printed: a line a row, values apart by `|`.
    static func query(_ sql: String, _ path: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = [path, sql]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        struct Failed: Error {}
        guard process.terminationStatus == 0 else {
            throw Failed()
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
