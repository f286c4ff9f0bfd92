import Foundation
import TestSupport

/// A session of psql that stays open, for transactions that other connections meet.
final class Psql {
    private let process = ChildProcess()
    private let input = Pipe()
    private let output = Pipe()

    init(_ address: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/lib/postgresql/15/bin/psql")
        process.arguments = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", address]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Runs statements and waits until they are through.
    func run(_ sql: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n\\echo done\n").utf8))
        var text = ""
        while !text.contains("done"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
        }
    }
}
