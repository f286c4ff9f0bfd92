import COpenSSL
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

/// A public key with which OpenSSL's library verifies signatures; one thread uses it.
///
/// It shares nothing with the product but the library itself, and is a hundred times as fast as the `openssl` command.
final class LibcryptoKey {
    struct Unreadable: Error {}

    private let key: OpaquePointer

    /// Reads a public key in PEM.
    init(pem: String) throws {
        let key = Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return PEM_read_bio_PUBKEY(input, nil, nil, nil)
        }
        guard let key else { throw Unreadable() }
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Whether a signature in DER over the SHA-256 of a message verifies.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        defer { ERR_clear_error() }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Whether the signature of a compact JWS verifies, r and s one after the other.
    func verifies(jws: String) -> Bool {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let raw = Self.base64URL(String(parts[2])), raw.count == 64 else { return false }
        let numbers = Self.integer(raw[..<32]) + Self.integer(raw[32...])
        return verifies([0x30, UInt8(numbers.count)] + numbers, over: Array("\(parts[0]).\(parts[1])".utf8))
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let number = digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits
        return [0x02, UInt8(number.count)] + number
    }

    /// The bytes of base64url without padding.
    static func base64URL(_ text: String) -> [UInt8]? {
        let base64 = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return bytes(ofBase64: String(base64) + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }

    /// The bytes of base64.
    static func bytes(ofBase64 text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 4 * 3 + 3)
        let count = EVP_DecodeBlock(&bytes, Array(text.utf8), Int32(text.utf8.count))
        guard count >= 0 else { return nil }
        // It counts the padding as zeros.
        return Array(bytes.prefix(Int(count) - text.reversed().prefix { $0 == "=" }.count))
    }
}
