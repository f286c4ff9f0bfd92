import Foundation
import Testing

@Suite("skan serve --check")
struct ServeCheckTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
        try folder.makeCertificate("a.example", end: Date(timeIntervalSinceNow: 90.5 * 86_400))
        for arguments in [
            ["tokens", "create", "--name", "dsp", "--scope", "sign", "--file", "tokens.json"],
            ["simulate", "--count", "1", "--output", "bodies", "--keys", "keys"],
        ] {
            let outcome = try SkanProcess.run(arguments, in: folder.url)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    private func check(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(["serve", "--check", "--store", "skan.sqlite"] + arguments, in: folder.url)
    }

    @Test("Says what a server would start with, and opens neither store nor ports")
    func found() throws {
        let outcome = try check(
            "--listen", "192.0.2.1:443", "--console", "127.0.0.1:1", "--network", "example123.skadnetwork",
            "--signing-keys", "keys.json", "--tokens", "tokens.json", "--tls-certificate", "tls.pem", "--tls-key",
            "tls-key.pem", "--trust-test-key", "keys/test-p256.public.pem")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
        let lines = outcome.output.split(separator: "\n")
        let starts = [
            "skan 0.1.0", "postbacks: https://192.0.2.1:443", "console: http://127.0.0.1:1",
            "networks: example123.skadnetwork", "store: skan.sqlite: does not exist yet",
            "certificate: tls.pem: expires 20",
            "tokens: tokens.json: 1 live, 0 expired",
            "signing key: example123.skadnetwork 1.0-2.0 active P-192 SHA256:",
            "signing key: example123.skadnetwork 2.1-4.0 active P-256 SHA256:",
            "test key: keys/test-p256.public.pem: P-256 SHA256:",
        ]
        #expect(lines.count == starts.count, "\(outcome.output)")
        for (line, start) in zip(lines, starts) {
            #expect(line.hasPrefix(start), "\(outcome.output)")
        }
        #expect(outcome.output.contains(", in 90 days\n"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("skan.sqlite")))
    }

    @Test("An existing store is reported, and a certificate that expires soon is marked")
    func existing() throws {
        try Data("x".utf8).write(to: folder.url.appendingPathComponent("skan.sqlite"))
        try folder.makeCertificate(
            "a.example", start: Date(timeIntervalSince1970: 1_577_836_800),
            end: Date(timeIntervalSinceNow: 3.5 * 86_400))
        let outcome = try check("--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("store: skan.sqlite: exists, 1 bytes\n"), "\(outcome.output)")
        #expect(outcome.output.contains(", in 3 days; renew it soon\n"), "\(outcome.output)")
    }

    @Test("Everything that is wrong is listed, with its cure, and the status is 2")
    func problems() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("new.pem"))
        try #require(mkfifo(folder.path("fifo"), 0o600) == 0)
        let outcome = try SkanProcess.run(
            [
                "serve", "--check", "--store", "nowhere/skan.sqlite", "--console", "0.0.0.0:1", "--sign-rate", "0",
                "--log-level", "loud", "--signing-keys", "keys.json", "--tokens", "fifo", "--trusted-proxy", "nonsense",
                "--tls-certificate", "none.pem", "--tls-key", "tls-key.pem", "--trust-test-key", "none.pem",
            ], in: folder.url)
        #expect(outcome.status == 2)
        #expect(outcome.output.contains("console: https://0.0.0.0:1\n"))
        let expected = [
            "skan: error: log level: found loud, expected one of trace",
            "skan: error: sign rate: found 0", "skan: error: \"nonsense\" is not an IP address or network",
            "of the store nowhere/skan.sqlite does not exist",
            "skan: error: no certificate could be read from none.pem: no such file",
            "skan: error: cannot read the tokens in fifo: it is not a regular file",
            "new.pem can be read by others (mode 0644)", "skan: hint: chmod 600 ",
            "skan: error: cannot read the key file none.pem",
        ]
        for text in expected {
            #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)")
        }
        let errors = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skan: error: ") }
        #expect(errors.count == 8, "\(outcome.errors)")
    }
}
