import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Backups, as a process", .timeLimit(.minutes(10)))
struct BackupTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        _ = try SkanProcess.run(["simulate", "--count", "1", "--output", "keys", "--keys", "keys"], in: folder.url)
    }

    private func skan(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(arguments, in: folder.url)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test("Copied while postbacks are recorded, each copy is whole, and a server starts with it")
    func whilePosting() throws {
        let server = try SkanServer(in: folder)
        let traffic = ChildProcess()
        traffic.executableURL = SkanProcess.binary
        traffic.arguments = ["simulate", "--count", "3000", "--keys", "keys", "--post", server.url]
        traffic.currentDirectoryURL = folder.url
        try traffic.run()
        for number in 1...3 {
            let outcome = try skan("backup", "--store", "skan.sqlite", "copy-\(number).sqlite")
            #expect(outcome.status == 0, "\(outcome)")
        }
        traffic.waitUntilExit()
        #expect(server.end(SIGTERM).status == 0)
        for number in 1...3 {
            let recount = try SkanProcess.run(
                ["recount", "--store", "copy-\(number).sqlite"] + SkanServer.testKeys, in: folder.url)
            #expect(recount.output.hasSuffix("differences: 0\n"), "\(recount)")
        }
        let restored = try SkanServer(in: folder, arguments: SkanServer.testKeys + ["--store", "copy-3.sqlite"])
        #expect(restored.end(SIGTERM).status == 0)
    }

    @Test("A backup overwrites nothing, and leaves nothing beside its files")
    func names() throws {
        let server = try SkanServer(in: folder)
        #expect(server.end(SIGTERM).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("skan.sqlite"))
        #expect(try skan("backup", "--store", "skan.sqlite", "copy.sqlite").status == 0)
        let before = try files()
        #expect(before.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("copy.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        let bytes = try Data(contentsOf: folder.url.appendingPathComponent("copy.sqlite"))
        for name in ["copy.sqlite", "skan.sqlite"] {
            let again = try skan("backup", "--store", "skan.sqlite", name)
            #expect(again.status == 2 && again.errors.contains("\(name) already exists"), "\(again)")
        }
        #expect(try skan("backup", "--store", "skan.sqlite", "nowhere/copy.sqlite").status == 2)
        #expect(try skan("backup", "--store", "none.sqlite", "other.sqlite").errors.contains("there is no store"))
        #expect(try skan("backup", "--store", "keys/test-p256.pem", "other.sqlite").errors.contains("not a store"))
        #expect(try files() == before)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("copy.sqlite")) == bytes)
    }

    @Test("A backup is not opened beside the log of the store that it replaces")
    func foreignLog() throws {
        let server = try SkanServer(in: folder)
        let post = ["simulate", "--count", "100", "--keys", "keys", "--post", server.url]
        #expect(try SkanProcess.run(post, in: folder.url).status == 0)
        #expect(try skan("backup", "--store", "skan.sqlite", "copy.sqlite").status == 0)
        #expect(try SkanProcess.run(post + ["--seed", "2"], in: folder.url).status == 0)
        _ = server.end(SIGKILL)
        try Data(contentsOf: folder.url.appendingPathComponent("copy.sqlite")).write(
            to: folder.url.appendingPathComponent("skan.sqlite"))
        let refused = "skan.sqlite is a backup, and "
        let failure = #expect(throws: SkanServer.Failed.self) { try SkanServer(in: folder) }
        #expect(failure?.log.contains(refused) == true, "\(failure as Any)")
        let report = try skan("report", "--store", "skan.sqlite")
        #expect(report.status == 2 && report.errors.contains(refused), "\(report)")
        for name in ["skan.sqlite-wal", "skan.sqlite-shm"] {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        // Once opened by an owner it is a store, with a log of its own.
        for _ in 1...2 {
            let restored = try SkanServer(in: folder)
            #expect(FileManager.default.fileExists(atPath: folder.path("skan.sqlite-wal")))
            _ = restored.end(SIGKILL)
        }
        let recount = try SkanProcess.run(
            ["recount", "--store", "skan.sqlite"] + SkanServer.testKeys, in: folder.url)
        #expect(recount.output.hasSuffix("differences: 0\n"), "\(recount)")
    }

    @Test("Without room on the disk it says so and leaves no partial copy")
    func noRoom() throws {
        let server = try SkanServer(in: folder)
        #expect(server.end(SIGTERM).status == 0)
        let before = try files()
        // A bound on the size of files, above that of the -shm, ends writing as a full disk does.
        let outcome = try SkanProcess.run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "trap '' XFSZ; ulimit -f 72; exec \(SkanProcess.binary.path) backup -s skan.sqlite copy.sqlite"],
            in: folder.url)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.hasPrefix("skan: error: cannot write the copy copy.sqlite: "), "\(outcome.errors)")
        #expect(try files().filter { $0.hasPrefix("copy") } == before.filter { $0.hasPrefix("copy") })
    }

    @Test(
        "A web ad that was not answered is expired in the copy, unless the nonces are kept", arguments: [false, true])
    func webAds(_ keepsNonces: Bool) throws {
        try folder.makeSigningKeys()
        let server = try SkanServer(in: folder, arguments: ["--signing-keys", "keys.json"])
        let issued = try skan(
            "web-ad", "issue", "--store", "skan.sqlite", "--network", "example123.skadnetwork", "--source-identifier",
            "3120", "--advertised-app", "525463029", "--destination", "https://network.example")
        let link = try #require(try JSONSerialization.jsonObject(with: Data(issued.output.utf8)) as? [String: Any])
        let nonce = try #require(link["attributionSourceNonce"] as? String)
        let outcome = try SkanProcess.run(
            ["backup", "--store", "skan.sqlite", "copy.sqlite"] + (keepsNonces ? ["--keep-nonces"] : []),
            in: folder.url)
        #expect(outcome.output.contains("copied 1 web ads to copy.sqlite-web-ads"), "\(outcome)")
        #expect(outcome.output.contains("expired in the copy so that none is answered twice: 1\n") == !keepsNonces)
        #expect(try tap(nonce, on: server).contains("\"signature\""), "the original is as it was")
        #expect(server.end(SIGTERM).status == 0)
        let restored = try SkanServer(
            in: folder, arguments: ["--signing-keys", "keys.json", "--store", "copy.sqlite"])
        #expect(try tap(nonce, on: restored).contains(keepsNonces ? "\"signature\"" : "\"nonce-expired\""))
        #expect(restored.end(SIGTERM).status == 0)
    }

    private func tap(_ nonce: String, on server: SkanServer) throws -> String {
        let body =
            #"{"source_engagement_type":"click_to_App_Store","source_domain":"example.com","#
            + #""source_nonce":"\#(nonce)","version":"4.0"}"#
        try Data(body.utf8).write(to: folder.url.appendingPathComponent("body"))
        let url = "http://127.0.0.1:\(server.port)/.well-known/skadnetwork/get-signed-payload"
        return try SkanProcess.run(
            SkanProcess.curl,
            ["-s", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary", "@body", url],
            in: folder.url
        ).output
    }
}
