import Foundation
import StrictJSON
import TestSupport
import Testing

/// The `skan` binary beside the tests, run as a user runs it.
struct SkanProcess {
    /// What a finished run left behind.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    static let binary: URL = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        // The test bundle may lie some folders below the products.
        while !FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("skan").path),
            folder.path != "/"
        {
            folder.deleteLastPathComponent()
        }
        return folder.appendingPathComponent("skan")
    }()

    /// Runs the binary to its end.
    ///
    /// Relative paths begin in `directory`.
    static func run(_ arguments: [String], in directory: URL, input: String = "") throws -> Outcome {
        try run(binary, arguments, in: directory, input: input)
    }

    /// Runs any program to its end; streams go through files, so that no pipe can fill up.
    static func run(_ program: URL, _ arguments: [String], in directory: URL, input: String = "") throws -> Outcome {
        let name = UUID().uuidString
        let files = ["in", "out", "err"].map { directory.appendingPathComponent(".\(name).\($0)") }
        try Data(input.utf8).write(to: files[0])
        for file in files.dropFirst() {
            try Data().write(to: file)
        }
        defer { files.forEach { try? FileManager.default.removeItem(at: $0) } }
        let process = ChildProcess()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: try String(contentsOf: files[1], encoding: .utf8),
            errors: try String(contentsOf: files[2], encoding: .utf8)
        )
    }

    static let openssl = URL(fileURLWithPath: "/usr/bin/openssl")
    static let sqlite = URL(fileURLWithPath: "/usr/bin/sqlite3")
    static let curl = URL(fileURLWithPath: "/usr/bin/curl")
}

extension SkanProcess {
    /// Verifies a compact JWS with PyJWT.
    ///
    /// - Returns: Header and payload.
    /// - Throws: When it does not verify.
    static func verifyJWS(
        _ jws: String, publicKey: String, in directory: URL
    ) throws -> (header: [String: Any], payload: [String: Any]) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/verify_jws.py")
        // The system's Python, which has the package PyJWT; another one in the path may not.
        let outcome = try run(
            URL(fileURLWithPath: "/usr/bin/python3"), [script.path, publicKey], in: directory, input: jws)
        guard outcome.status == 0 else {
            throw NotVerified(reason: outcome.errors)
        }
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: [String: Any]]
        return (try #require(object?["header"]), try #require(object?["payload"]))
    }

    struct NotVerified: Error {
        let reason: String
    }
}
