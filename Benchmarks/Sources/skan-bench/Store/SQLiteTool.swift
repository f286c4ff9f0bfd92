import Foundation

/// The `sqlite3` command on one store.
struct SQLiteTool {
    let store: String
    let workspace: Workspace

    /// Runs a script and returns the lines it printed.
    func run(_ sql: String) throws -> [String] {
        let script = workspace.file("script.sql")
        try sql.write(toFile: script, atomically: false, encoding: .utf8)
        return try ChildProcess.output(of: ["sqlite3", "-bail", store], in: workspace, input: script, atMost: 1_800)
            .split(separator: "\n").map(String.init)
    }

    func number(_ sql: String) throws -> Int {
        guard let number = try run(sql).first.flatMap({ Int($0) }) else {
            throw BenchmarkFailure("sqlite3 printed no number for: \(sql)")
        }
        return number
    }
}
