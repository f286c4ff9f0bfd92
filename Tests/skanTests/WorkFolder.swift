import Foundation
import Testing

/// A folder of a test's own, removed with it.
final class WorkFolder: Sendable {
    let url: URL

    init() throws {
        url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("skan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }
}

extension WorkFolder {
    /// A folder with `skan.sqlite`, in which a server recorded some vectors.
    convenience init(recording vectors: [String]) throws {
        try self.init()
        let server = try SkanServer(in: self, arguments: [])
        for vector in vectors {
            _ = try SkanProcess.run(
                SkanProcess.curl,
                [
                    "-s", "-H", "Content-Type: application/json", "--data-binary", try CommandTests.body(vector),
                    server.url,
                ], in: url)
        }
        _ = server.end(SIGTERM)
    }
}

extension WorkFolder {
    /// Makes a network's keys `old.pem` for versions up to 2.0 and `new.pem` for later ones, and `keys.json`, which lists
    /// them.
    func makeSigningKeys() throws {
        for (curve, name) in [("p192", "old"), ("p256", "new")] {
            _ = try SkanProcess.run(["keys", "generate", "--curve", curve, "\(name).pem"], in: url)
        }
        let list = """
            {"keys": [{"ad-network-id": "example123.skadnetwork", "file": "old.pem", "versions": "1.0-2.0",
                       "use": "active", "registry-id": 306},
                      {"ad-network-id": "example123.skadnetwork", "file": "new.pem", "versions": "2.1-4.0",
                       "use": "active"}]}
            """
        try Data(list.utf8).write(to: url.appendingPathComponent("keys.json"))
    }
}

extension WorkFolder {
    /// Makes a certificate `tls.pem` for a host, signed by its own key `tls-key.pem`, which has mode 0600.
    func makeCertificate(
        _ name: String,
        start: Date = Date(timeIntervalSinceNow: -60),
        end: Date = Date(timeIntervalSinceNow: 86_400)
    ) throws {
        let authority = """
            [ca]
            default_ca = own
            [own]
            database = ca-index
            serial = ca-serial
            new_certs_dir = .
            default_md = sha256
            policy = any
            [any]
            commonName = supplied
            """
        for (file, text) in [("ca.cnf", authority), ("ca-index", ""), ("ca-serial", "01\n")] {
            try Data(text.utf8).write(to: url.appendingPathComponent(file))
        }
        let requested = try SkanProcess.run(
            SkanProcess.openssl,
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
                + ["-subj", "/CN=\(name)", "-keyout", "tls-key.pem", "-out", "tls.csr"], in: url)
        try #require(requested.status == 0, "\(requested.errors)")
        // Unlike req and x509, ca takes moments in the past.
        let made = try SkanProcess.run(
            SkanProcess.openssl,
            ["ca", "-config", "ca.cnf", "-selfsign", "-batch", "-notext", "-keyfile", "tls-key.pem"]
                + [
                    "-in", "tls.csr", "-out", "tls.pem", "-startdate", Self.moment(start), "-enddate", Self.moment(end),
                ],
            in: url)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// The moment as `20260131120000Z`.
    private static func moment(_ date: Date) -> String {
        date.formatted(.iso8601).filter { !"-:T".contains($0) }
    }
}

/// A suite whose tests run programs in a folder of their own.
protocol FolderSuite {
    var folder: WorkFolder { get }
}

extension FolderSuite {
    /// Runs `skan` to its end.
    @discardableResult
    func skan(_ arguments: String..., input: String = "") throws -> SkanProcess.Outcome {
        try SkanProcess.run(arguments, in: folder.url, input: input)
    }

    /// Runs `skan` to its end.
    @discardableResult
    func skan(_ arguments: [String], input: String = "") throws -> SkanProcess.Outcome {
        try SkanProcess.run(arguments, in: folder.url, input: input)
    }

    /// Runs another program to its end.
    @discardableResult
    func run(_ program: URL, _ arguments: [String], input: String = "") throws -> SkanProcess.Outcome {
        try SkanProcess.run(program, arguments, in: folder.url, input: input)
    }

    /// Makes a file in the folder, or replaces it.
    func write(_ text: some StringProtocol, to name: String) throws {
        try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
    }

    /// Whether a key made a DER signature over a text, says the openssl binary.
    func opensslVerifies(_ signature: Data?, _ text: String, key: String) throws -> Bool {
        try write(text, to: "text")
        try #require(signature).write(to: folder.url.appendingPathComponent("signature"))
        let arguments = ["dgst", "-sha256", "-verify", key, "-signature", "signature", "text"]
        return try run(SkanProcess.openssl, arguments).output == "Verified OK\n"
    }

    /// Makes a token, listed in `tokens.json`, as an operator does.
    func token(_ name: String, _ scope: String, _ more: String...) throws -> String {
        let outcome = try skan(["tokens", "create", "--name", name, "--scope", scope, "--file", "tokens.json"] + more)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return String(outcome.output.dropLast())
    }
}
