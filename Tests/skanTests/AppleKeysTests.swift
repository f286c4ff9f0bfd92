import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Apple's keys, built in and added", .timeLimit(.minutes(5)))
struct AppleKeysTests {
    let folder: WorkFolder
    /// Apple with its next key.
    let next: AppleStandIn

    private static let option = ["--apple-keys", "apple-keys.json"]
    private static let count = 12

    init() throws {
        folder = try WorkFolder()
        next = try AppleStandIn()
        let key = try #require(try next.publicKeys().first { $0.curve == .p256 })
        try Data(try key.pem().utf8).write(to: folder.url.appendingPathComponent("next.pem"))
        try list()
    }

    private func list(_ entries: String...) throws {
        let file = folder.path("apple-keys.json")
        try Data("{\"keys\": [\(entries.joined(separator: ", "))]}".utf8).write(to: URL(fileURLWithPath: file))
        for file in [file, folder.path("next.pem")] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        }
    }

    private static let entry = """
        {"file": "next.pem", "framework": "adattributionkit", "kid": "apple-cas-identifier/1", "use": "production"}
        """

    private func skan(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(arguments, in: folder.url)
    }

    /// A postback that Apple signs with its next key.
    private func body(_ number: Int, _ change: (inout AdAttributionKitDraft) -> Void = { _ in }) throws -> [UInt8] {
        var draft = AdAttributionKitDraft(signed: [], unproven: [], keyID: "apple-cas-identifier/1")
        draft[.postbackIdentifier] = .string("85546EB7-FD39-44BC-8990-C98A4AC3\(1_000 + number)")
        draft[.adNetworkIdentifier] = .string("example123.adattributionkit")
        draft[.advertisedItemIdentifier] = .integer(1)
        draft[.sourceIdentifier] = .string("42")
        draft[.conversionType] = .string("download")
        draft[.impressionType] = .string("app-impression")
        draft[.didWin] = .bool(true)
        draft[.sequenceIndex] = .integer(0)
        change(&draft)
        return try next.sign(draft)
    }

    private func post(_ body: [UInt8], to server: SkanServer) throws -> String {
        try Data(body).write(to: folder.url.appendingPathComponent("body"))
        return try SkanProcess.run(
            SkanProcess.curl,
            ["-s", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary", "@body", server.url],
            in: folder.url
        ).output
    }

    @Test(
        "Apple's next key is added while a server runs: all that waited counts, under that key, with and without the file"
    )
    func rotation() throws {
        let server = try SkanServer(in: folder, arguments: Self.option)
        #expect(server.startLog.contains("Apple's key on P-256"))
        for number in 0..<Self.count {
            #expect(try post(body(number), to: server).contains("\"unknown-key\""))
        }
        #expect(try skan("quarantine", "list", "-s", "skan.sqlite").output.contains("future \(Self.count) "))

        try list("{\"file\": \"none.pem\"}")
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("nothing was reloaded"))
        try list(Self.entry)
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("Apple's keys read again added=1"))
        #expect(try post(body(Self.count), to: server).contains("\"recorded\""))
        // A repeat of one that waits counts now, and what waited is the repeat then.
        #expect(try post(body(0), to: server).contains("\"recorded\""))
        let requeued = try skan("quarantine", "requeue", "-s", "skan.sqlite", "--reason", "unknown-key")
        #expect(
            requeued.output
                == "\(Self.count) verified again: recorded \(Self.count - 1), duplicate 1, conflict 0, "
                + "still in quarantine 0\n")
        #expect(server.end(SIGTERM).status == 0)

        let postbacks = try skan(
            "postbacks", "-s", "skan.sqlite", "--from", "2020-01-01", "--format", "ndjson"
        ).output.split(separator: "\n")
        #expect(postbacks.count == Self.count + 1)
        #expect(postbacks.allSatisfy { $0.contains("Apple's added key P-256 ") && $0.contains("\"apple\"") })
        let recount = try skan("recount", "-s", "skan.sqlite")
        #expect(recount.status == 0, "\(recount)")
        #expect(recount.output.contains("\(Self.count + 1) verified again"))
        let copy = try skan("store", "copy", "skan.sqlite", "copy.sqlite", "--source-stopped")
        #expect(copy.status == 0 && copy.output.contains("copied \(Self.count + 1) postbacks"), "\(copy)")
        #expect(try skan("recount", "-s", "copy.sqlite").status == 0)
    }

    @Test("What is new in a postback that counts, or is kept, is named by verify, postbacks, reports and doctor")
    func news() throws {
        try list(Self.entry)
        let server = try SkanServer(in: folder, arguments: Self.option)
        let counted = try body(0) { draft in
            draft[.conversionType] = .string("reengagement")
            draft[.impressionType] = .string("web-impression")
            draft.unproven[.countryCode] = .string("us")
        }
        #expect(try post(counted, to: server).contains("\"recorded\""))
        let kept = try body(1) { $0[.conversionType] = .string("preorder") }
        #expect(try post(kept, to: server).contains("\"not-understood\""))
        #expect(server.end(SIGTERM).status == 0)
        let flags = [
            "impression-type: found the string \"web-impression\", expected app-impression",
            "conversion-type: found the string \"reengagement\", expected re-engagement, as which it is counted",
            "country-code: found the string \"us\", expected two capital letters, such as DE",
        ]
        try Data(counted).write(to: folder.url.appendingPathComponent("body"))
        let verdict = try SkanProcess.run(["verify", "body"] + Self.option, in: folder.url)
        #expect(verdict.status == 0 && verdict.output.hasSuffix("; " + flags.joined(separator: "; ") + "\n"))
        let json = try SkanProcess.run(["verify", "--format", "json", "body"] + Self.option, in: folder.url)
        #expect(json.output.contains(#""flagged":[{"field":"impression-type","#))
        let shown = try skan("postbacks", "-s", "skan.sqlite", "--from", "2020-01-01").output
        #expect(flags.allSatisfy { shown.contains("flagged: \($0)\n") })
        let report = try skan(
            "report", "-s", "skan.sqlite", "--by", "impression-type,country", "--where", "country=invalid",
            "--format", "csv")
        #expect(report.output.contains("web-impression,invalid,1,"), "\(report)")
        let doctor = try SkanProcess.run(["doctor", "--store", "skan.sqlite"] + Self.option, in: folder.url).output
        #expect(doctor.contains("warning  values: 1 postback since "), "\(doctor)")
        #expect(doctor.contains(" has impression-type web-impression, which this version does not know; "))
        #expect(doctor.contains("warning  values: 1 kept and not counted; the first verifies under Apple's added key"))
        #expect(doctor.contains("preorder"))
    }

    @Test("keys apple and doctor name every key, and a command without the file does not know an added one")
    func names() throws {
        try list(Self.entry)
        let fingerprint = try #require(try next.publicKeys().first { $0.curve == .p256 }).fingerprint
        let listed = try SkanProcess.run(["keys", "apple"] + Self.option, in: folder.url)
        let lines = listed.output.split(separator: "\n")
        #expect(lines.count == 5 && lines.filter { $0.hasPrefix("built in: ") }.count == 4, "\(listed)")
        #expect(
            lines.last?.hasSuffix("AdAttributionKit apple-cas-identifier/1, production, P-256 SHA256:\(fingerprint)")
                == true)
        let doctor = try SkanProcess.run(["doctor"] + Self.option, in: folder.url)
        #expect(doctor.output.contains("ok       added key: Apple's added key P-256 \(fingerprint.prefix(16)): "))
        try Data(body(0)).write(to: folder.url.appendingPathComponent("body"))
        #expect(try skan("verify", "body").output.contains("unknown-key"))
        #expect(try SkanProcess.run(["verify", "body"] + Self.option, in: folder.url).status == 0)
    }
}
