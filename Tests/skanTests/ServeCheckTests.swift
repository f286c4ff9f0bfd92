import Foundation
import Testing

@Suite("skan serve --check")
struct ServeCheckTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
        try folder.makeCertificate("a.example", end: Date(timeIntervalSinceNow: 90.5 * 86_400))
        for arguments in [
            ["tokens", "create", "--name", "dsp", "--scope", "sign", "--file", "tokens.json"],
            ["simulate", "--count", "1", "--output", "bodies", "--keys", "keys"],
        ] {
            let outcome = try skan(arguments)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    private func check(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(["serve", "--check", "--store", "skan.sqlite"] + arguments)
    }

    /// The files of a store, or of nothing.
    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("skan.sqlite") }
        }
    }

    @Test("Says what a server would start with, and makes no store")
    func found() throws {
        let outcome = try check(
            "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--network", "example123.skadnetwork",
            "--signing-keys", "keys.json", "--tokens", "tokens.json", "--tls-certificate", "tls.pem", "--tls-key",
            "tls-key.pem", "--trust-test-key", "keys/test-p256.public.pem")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
        let lines = outcome.output.split(separator: "\n")
        let starts = [
            "skan 0.1.0", "postbacks: https://127.0.0.1:0", "console: http://127.0.0.1:0",
            "networks: example123.skadnetwork", "store: skan.sqlite: does not exist yet",
            "certificate: tls.pem: expires 20",
            "tokens: tokens.json: 1 live, 0 expired", "token: dsp ",
            "built-in key: Apple's key on P-192: ", "built-in key: Apple's key on P-256: ",
            "built-in key: Apple's development key apple-development-identifier/0: ",
            "built-in key: Apple's development key apple-development-identifier/1: ",
            "signing key: example123.skadnetwork 1.0-2.0 active P-192 SHA256:",
            "signing key: example123.skadnetwork 2.1-4.0 active P-256 SHA256:",
            "test key: keys/test-p256.public.pem: P-256 SHA256:", "ok: a server can start with these settings",
        ]
        #expect(lines.count == starts.count, "\(outcome.output)")
        for (line, start) in zip(lines, starts) {
            #expect(line.hasPrefix(start), "\(outcome.output)")
        }
        #expect(outcome.output.contains(", in 90 days\n"))
        #expect(outcome.output.contains(": sign; all networks; never expires\n"))
        #expect(try files == [])
    }

    @Test("A store is reported with its version, owner and postbacks, and a running server is not disturbed")
    func store() throws {
        let server = try SkanServer(in: folder, arguments: [])
        let posted = try run(
            SkanProcess.curl,
            ["-s", "-H", "Content-Type: application/json", "--data-binary"]
                + [try CommandTests.body("skan-3.0-win"), server.url])
        #expect(posted.output.contains("\"recorded\""))
        let beside = try check("--listen", "127.0.0.1:\(server.port)", "--console", "127.0.0.1:0")
        #expect(beside.status == 2)
        #expect(beside.output.contains("store: skan.sqlite: version 2, owned by another process, 1 postbacks\n"))
        #expect(!beside.output.contains("ok: "))
        let errors = beside.errors.split(separator: "\n").filter { $0.hasPrefix("skan: error: ") }
        #expect(
            errors == [
                "skan: error: cannot listen on 127.0.0.1:\(server.port): the port is in use",
                "skan: error: another process has the store skan.sqlite",
            ])
        let again = try run(SkanProcess.curl, ["-s", "http://127.0.0.1:\(server.consolePort)/readyz"])
        #expect(again.output == "ready\n")
        #expect(server.end(SIGTERM).status == 0)

        let alone = try check("--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--signing-keys", "keys.json")
        #expect(alone.status == 0, "\(alone.errors)")
        #expect(alone.output.contains("store: skan.sqlite: version 2, no owner, 1 postbacks\n"), "\(alone.output)")
        let resolved = folder.url.resolvingSymlinksInPath().path
        #expect(
            alone.output.contains("web ads: \(resolved)/skan.sqlite-web-ads: does not exist yet\n"),
            "\(alone.output)")
        #expect(alone.output.hasSuffix("\nok: a server can start with these settings\n"))
    }

    @Test("A store behind a symlink to no file yet is checked, and then made, where the link leads")
    func linkedStore() throws {
        let resolved = folder.url.resolvingSymlinksInPath().path
        try FileManager.default.createDirectory(atPath: folder.path("far"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.sqlite"), withDestinationPath: "far/a.sqlite")
        let signing = ["--signing-keys", "keys.json", "--signing", "unix:link.sqlite-socket"]
        let addresses = ["--store", "link.sqlite", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"]
        let new = try skan(["serve", "--check"] + addresses + signing)
        #expect(new.status == 0, "\(new)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("far")) == [])
        let server = try SkanServer(in: folder, store: "link.sqlite", arguments: signing)
        #expect(FileManager.default.fileExists(atPath: folder.path("far/a.sqlite-socket")))
        #expect(server.end(SIGTERM).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("far")).sorted()
                == ["a.sqlite", "a.sqlite-web-ads"])
        let made = try skan(["serve", "--check"] + addresses + signing)
        #expect(made.status == 0 && made.output.contains("web ads: \(resolved)/far/a.sqlite-web-ads: version "))
    }

    static let badStores: [(String, String)] = [
        ("printf x > skan.sqlite", "skan.sqlite is not a store of skan"),
        ("sqlite3 skan.sqlite 'CREATE TABLE a (b)'", "is a database, but not a store of this release"),
        (
            "sqlite3 skan.sqlite 'PRAGMA application_id = 1936417134; PRAGMA user_version = 99; CREATE TABLE a (b)'",
            "was written by a later release of skan"
        ),
        (
            "sqlite3 skan.sqlite 'PRAGMA application_id = 1936417134; PRAGMA user_version = 2; CREATE TABLE a (b)' && "
                + "head -c 3996 /dev/zero | tr '\\0' x | dd of=skan.sqlite bs=1 seek=100 conv=notrunc status=none",
            "skan.sqlite: it is damaged\nskan: hint: restore a backup"
        ),
        ("mkdir skan.sqlite", "is not a store of skan"),
    ]

    @Test("A store that cannot be used is a finding", arguments: badStores)
    func badStore(_ command: String, _ message: String) throws {
        let made = try run(URL(fileURLWithPath: "/bin/sh"), ["-c", command])
        #expect(made.status == 0, "\(made.errors)")
        let outcome = try check("--listen", "127.0.0.1:0", "--console", "127.0.0.1:0")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("skan: error: ") } == 1, "\(outcome.errors)")
    }

    @Test("A store that another program damaged keeps a server from starting, and is a finding")
    func damagedStore() throws {
        #expect(try SkanServer(in: folder, arguments: []).end(SIGTERM).status == 0)
        let changed = try run(
            URL(fileURLWithPath: "/usr/bin/sqlite3"), ["skan.sqlite", "DROP TABLE postback; DROP TABLE postback_body"])
        #expect(changed.status == 0, "\(changed.errors)")
        for arguments in [["serve", "--check"], ["serve"]] {
            let outcome = try skan(
                arguments + ["-s", "skan.sqlite", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("skan.sqlite: it is damaged\nskan: hint: restore a backup"), "\(outcome)")
            #expect(
                outcome.errors.split(separator: "\n").count { $0.hasPrefix("skan: error: ") } == 1,
                "\(outcome.errors)")
        }
    }

    @Test("A certificate that expires soon is marked")
    func endsSoon() throws {
        try folder.makeCertificate(
            "a.example", start: Date(timeIntervalSince1970: 1_577_836_800),
            end: Date(timeIntervalSinceNow: 3.5 * 86_400))
        let outcome = try check(
            "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--tls-certificate", "tls.pem", "--tls-key",
            "tls-key.pem")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(", in 3 days; renew it soon\n"), "\(outcome.output)")
    }

    @Test("Everything that is wrong is listed, with its cure, and the status is 2")
    func problems() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("new.pem"))
        try #require(mkfifo(folder.path("fifo"), 0o600) == 0)
        let outcome = try skan(
            [
                "serve", "--check", "--store", "nowhere/skan.sqlite", "--listen", "nosuchhost.invalid:0", "--console",
                "0.0.0.0:0", "--sign-rate", "0",
                "--log-level", "loud", "--signing-keys", "keys.json", "--tokens", "fifo", "--trusted-proxy", "nonsense",
                "--tls-certificate", "none.pem", "--tls-key", "tls-key.pem", "--trust-test-key", "none.pem",
            ])
        #expect(outcome.status == 2)
        #expect(outcome.output.contains("console: https://0.0.0.0:0\n"))
        let expected = [
            "skan: error: --log-level: found loud, expected one of trace",
            "skan: error: sign rate: found 0", "skan: error: \"nonsense\" is not an IP address or network",
            "of the store nowhere/skan.sqlite does not exist",
            "skan: error: cannot listen on nosuchhost.invalid:0: there is no such name or address",
            "skan: error: no certificate could be read from none.pem: no such file",
            "skan: error: cannot read the tokens in fifo: it is not a regular file",
            "skan: hint: name a regular file that this user can read",
            "new.pem can be read by others (mode 0644)", "skan: hint: chmod 600 ",
            "skan: error: cannot read the key file none.pem",
        ]
        for text in expected {
            #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)")
        }
        let errors = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skan: error: ") }
        #expect(errors.count == 9, "\(outcome.errors)")
    }

    @Test("A file that is only read may serve two settings")
    func sharedFiles() throws {
        let key = "keys/test-p256.public.pem"
        let outcome = try check(
            "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--trust-test-key", key, "--trust-test-key", key,
            "--tokens", "tokens.json", "--signing-keys", "keys.json", "--signing", "unix:skan.sqlite-signing")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
