import Foundation
import TestSupport

/// The `sqlite3` command, with which tests inspect and change a store.
enum SQLite {
    static func execute(_ sql: String, _ path: String) throws {
        _ = try query(sql, path)
    }

    /// Runs a query and returns its output: one line per row, with values separated by `|`.
    static func query(_ sql: String, _ path: String) throws -> String {
        let process = ChildProcess()
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

    /// Changes a bit of a digest in some rows.
    static func flipBit(of column: String, where condition: String, _ path: String) throws {
        let rows = try query("SELECT id, hex(\(column)) FROM postback WHERE \(condition)", path)
        let updates = rows.split(separator: "\n").map { row in
            let values = row.split(separator: "|")
            let digit = String((Int(values[1].prefix(1), radix: 16) ?? 0) ^ 1, radix: 16)
            return "UPDATE postback SET \(column) = x'\(digit)\(values[1].dropFirst())' WHERE id = \(values[0]);"
        }
        try execute(updates.joined(), path)
    }

    /// Overwrites a leaf page of a table or index with garbage; the first one, or the last.
    static func garble(_ name: String, _ path: String, isLast: Bool = false, offset: Int = 0) throws {
        let leaf = try query(
            """
            SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = 'leaf'
            ORDER BY path \(isLast ? "DESC" : "ASC") LIMIT 1 OFFSET \(offset)
            """, path)
        try garble(page: leaf, path)
    }

    /// Overwrites the first page of a table with garbage, from which all others are found.
    static func garbleRoot(_ name: String, _ path: String) throws {
        try garble(page: query("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", path), path)
    }

    private static func garble(page: String, _ path: String) throws {
        struct NoPage: Error {}
        guard let page = UInt64(page) else {
            throw NoPage()
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: (page - 1) * 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try file.close()
    }
}
