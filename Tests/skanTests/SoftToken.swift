import Foundation
import Synchronization
import TestSupport

/// A PKCS#11 token of SoftHSM in a work folder, and the sample signer that serves its key.
final class SoftToken: Sendable {
    private static let python = URL(fileURLWithPath: "/usr/bin/python3")
    private static let program = SampleTests.samples.appendingPathComponent("signer/signer.py")

    private let folder: WorkFolder
    private let process = Mutex<ChildProcess?>(nil)

    struct Failed: Error {
        let errors: String
    }

    /// Makes a token with the key `k`, whose public half is in `far.public.pem`.
    init(in folder: WorkFolder) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder.path("tokens"), withIntermediateDirectories: true)
        try Data("directories.tokendir = \(folder.path("tokens"))\nobjectstore.backend = file\n".utf8)
            .write(to: folder.url.appendingPathComponent("softhsm2.conf"))
        try Data("1234\n".utf8).write(to: folder.url.appendingPathComponent("pin"))
        try run(
            "/usr/bin/softhsm2-util",
            ["--init-token", "--free", "--label", "skan", "--so-pin", "5678", "--pin", "1234"])
        try run(Self.python.path, arguments("generate", "k"))
        let pem = try run(Self.python.path, arguments("public", "k"))
        try Data(pem.utf8).write(to: folder.url.appendingPathComponent("far.public.pem"))
    }

    deinit {
        stop()
    }

    private func arguments(_ command: String...) -> [String] {
        [
            Self.program.path, "--module", "/usr/lib/softhsm/libsofthsm2.so", "--token", "skan", "--pin-file", "pin",
        ] + command
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let outcome = try SkanProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["SOFTHSM2_CONF=softhsm2.conf", program] + arguments, in: folder.url)
        guard outcome.status == 0 else { throw Failed(errors: outcome.errors) }
        return outcome.output
    }

    /// Serves the key at `signer.sock`, and waits until it listens.
    func serve() throws {
        // Bounded: whatever happens, it is killed after two minutes.
        let process = ChildProcess(limit: .seconds(120))
        let errors = Pipe()
        process.executableURL = Self.python
        process.arguments = arguments("serve", "signer.sock")
        process.environment = ["SOFTHSM2_CONF": folder.path("softhsm2.conf")]
        process.currentDirectoryURL = folder.url
        process.standardError = errors
        try process.run()
        self.process.withLock { $0 = process }
        var text = ""
        while !text.contains("listening") {
            let more = errors.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failed(errors: text) }
            text += String(decoding: more, as: UTF8.self)
        }
    }

    /// Kills the signer, or stops it so that it hangs.
    func send(_ signal: Int32) {
        process.withLock { $0 }?.send(signal)
    }

    /// Kills the signer, and waits for its end.
    func stop() {
        let process = process.withLock { process in
            defer { process = nil }
            return process
        }
        process?.send(SIGKILL)
        process?.waitUntilExit()
    }
}
