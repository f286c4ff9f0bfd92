import Attribution
import AttributionHarness
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("The signing API of the server, as a process", .timeLimit(.minutes(10)))
struct SigningServerTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
        for name in ["old", "new"] {
            _ = try run(SkanProcess.openssl, ["pkey", "-in", "\(name).pem", "-pubout", "-out", "\(name).public.pem"])
        }
    }

    private func server() throws -> SkanServer {
        try SkanServer(in: folder, arguments: SkanServer.signing)
    }

    /// Header and payload of a JWS, after the openssl binary has verified it.
    private func verifiedJWS(_ jws: String) throws -> (header: [String: Any], payload: [String: Any]) {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        try #require(parts.count == 3 && !jws.contains("="))
        let bytes = try parts.map { part in
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
            return try #require(Data(base64Encoded: text + padding))
        }
        try #require(bytes[2].count == 64)
        let integers = [bytes[2].prefix(32), bytes[2].suffix(32)].map { half -> Data in
            let digits = half.drop { $0 == 0 }
            let number = (digits.first ?? 0) >= 0x80 ? Data([0]) + digits : Data(digits)
            return Data([0x02, UInt8(number.count)]) + number
        }
        let der = Data([0x30, UInt8(integers[0].count + integers[1].count)]) + integers[0] + integers[1]
        #expect(try opensslVerifies(der, "\(parts[0]).\(parts[1])", key: "new.public.pem"))
        let objects = try bytes.prefix(2).map { try #require(JSONSerialization.jsonObject(with: $0) as? [String: Any]) }
        return (objects[0], objects[1])
    }

    private func object(_ body: [UInt8]) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }

    // MARK: Threads

    /// The names of a process's threads, in a listing that is like the one before it: one in which a thread ends may lack
    /// others.
    private static func threadNames(of process: Int32) throws -> [String] {
        let folder = "/proc/\(process)/task"
        var (threads, former): ([String], [String]) = ([], [])
        for _ in 0..<100 where threads.isEmpty || threads != former {
            former = threads
            threads = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }
        return threads.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }
    }

    @Test("Where the process may use one processor, one event loop signs")
    func confined() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let allowed = try #require(status.firstMatch(of: /Cpus_allowed_list:\t(\d+)/))
        let server = try SkanServer(
            in: folder, arguments: SkanServer.signing, through: ["/usr/bin/taskset", "-c", String(allowed.1)])
        // The others are those of postbacks, of the console and of the owner's socket.
        // A thread has the name of the one that started it until it runs.
        let names = Set(try Self.threadNames(of: server.process.processIdentifier))
        #expect(names.count { $0.hasPrefix("NIO-ELT-") } == 4, "\(names)")
    }

    // MARK: /v1/impressions

    /// Version, form, and the values of the signed text in the order of Apple's pages.
    static let forms: [(version: String, form: String, order: [String])] = [
        ("1.0", "storekit-rendered", ["ad-network-id", "campaign-id", "itunes-item-id", "nonce", "timestamp"]),
        (
            "2.0", "storekit-rendered",
            ["version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "timestamp"]
        ),
        (
            "2.1", "storekit-rendered",
            ["version", "ad-network-id", "campaign-id", "itunes-item-id", "nonce", "source-app-id", "timestamp"]
        ),
    ]
    static let laterForms: [(version: String, form: String, order: [String])] = ["2.2", "3.0", "4.0"].flatMap {
        version in
        ["storekit-rendered", "view-through"].map { form in
            let campaign = version == "4.0" ? "source-identifier" : "campaign-id"
            return (
                version, form,
                [
                    "version", "ad-network-id", campaign, "itunes-item-id", "nonce", "source-app-id", "fidelity-type",
                    "timestamp",
                ]
            )
        }
    }
    static let web: [(version: String, form: String, order: [String])] = [
        (
            "4.0", "web",
            [
                "version", "ad-network-id", "source-identifier", "itunes-item-id", "nonce", "source-domain",
                "fidelity-type", "timestamp",
            ]
        )
    ]

    @Test("All forms and versions and AdAttributionKit from one request; openssl verifies each, and PyJWT the JWS")
    func impressions() async throws {
        let server = try server()
        let request = """
            {"forms": ["storekit-rendered", "view-through", "web", "adattributionkit"],
             "versions": ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0"], "ad-network-id": "Example123.skadnetwork",
             "itunes-item-id": 10738027756, "source-app-id": 1234567891, "source-domain": "example.com",
             "campaign-id": 42, "source-identifier": 39, "eligible-for-re-engagement": true}
            """
        let answer = try await ConsoleClient(url: server.signer).post("/v1/impressions", json: request)
        #expect(answer.status == 200)
        let signed = try #require(object(answer.body)["impressions"] as? [[String: Any]])
        var nonces: Set<String> = []
        for (version, form, order) in Self.forms + Self.laterForms + Self.web {
            let one = try #require(
                signed.first { $0["form"] as? String == form && $0["version"] as? String == version })
            let values = try #require(one["impression"] as? [String: Any])
            let text = try order.map { name in "\(try #require(values[name], "\(form) \(version) lacks \(name)"))" }
            let base64 = try #require(values["attribution-signature"] as? String)
            let key = ["1.0", "2.0"].contains(version) ? "old.public.pem" : "new.public.pem"
            let signature = Data(base64Encoded: base64)
            #expect(try opensslVerifies(signature, text.joined(separator: "\u{2063}"), key: key))
            nonces.insert(try #require(values["nonce"] as? String))
            #expect((one["store-kit-product-parameters"] != nil) == (form == "storekit-rendered"))
            #expect((one["ad-impression-properties"] != nil) == (form == "view-through"))
            let handedOn =
                (one["store-kit-product-parameters"] ?? one["ad-impression-properties"]) as? [String: Any] ?? [:]
            #expect(handedOn.isEmpty || handedOn.values.contains { $0 as? String == base64 })
        }
        #expect(nonces.count == 10)
        #expect(signed.count == 11)
        let app = try #require(signed.last)
        let jws = try #require(app["compact-jws"] as? String)
        let verified = try verifiedJWS(jws)
        let again = try SkanProcess.verifyJWS(jws, publicKey: "new.public.pem", in: folder.url)
        #expect(NSDictionary(dictionary: verified.payload) == NSDictionary(dictionary: again.payload))
        #expect(verified.payload["eligible-for-re-engagement"] as? Bool == true)
        #expect(verified.header["kid"] as? String == "Example123.skadnetwork")
    }

    @Test("Refusals name field, value and expectation, and have their status")
    func refusals() throws {
        let server = try server()
        let one = #""ad-network-id": "example123.skadnetwork", "itunes-item-id": 1, "source-app-id": 1"#
        let bad = #"{"forms": ["storekit-rendered"], "version": "3.0", "campaign-id": 101, \#(one)}"#
        let other =
            #"{"forms": ["adattributionkit"], "ad-network-id": "x", "itunes-item-id": 1, "source-app-id": 1, "#
            + #""source-identifier": 1}"#
        let skadn =
            #"{"skadn": {"versions": ["4.0"], "sourceapp": 1, "skadnetids": ["x.skadnetwork"]}, "#
            + #""advertise": {"itunesitem": 1, "sourceidentifier": 1}}"#
        let app = skadn.replacing(
            "skadn\": {\"versions\": [\"4.0\"]", with: "adattributionkit\": {\"version\": \"1.0\"")
        let rows: [(path: String, body: String, type: String, status: String, parts: [String])] = [
            ("impressions", "{", "application/json", "400", [#""reason":"not-json""#, "not JSON at byte 1"]),
            ("impressions", "[]", "application/json", "400", [#""reason":"not-json""#]),
            ("openrtb/skadn", "", "application/json", "400", [#""reason":"not-json""#, "the body is empty"]),
            (
                "impressions", bad, "application/json; charset=utf-8", "400",
                [#""reason":"bad-field""#, "campaign-id: found 101, expected a whole number from 1 to 100"]
            ),
            ("impressions", other, "application/json", "422", [#""reason":"no-key""#, "no active key for x"]),
            (
                "impressions", bad, "text/plain", "415",
                [#""reason":"unsupported-media-type""#, "send application/json"]
            ),
            (
                "openrtb/skadn", skadn, "application/json", "422",
                [
                    #""reason":"no-common-network""#, #""lossreason":214"#,
                    "skadnetids, skadnetlist: found x.skadnetwork",
                ]
            ),
            (
                "openrtb/skadn", app, "application/json", "422",
                [#""reason":"no-common-network""#, #""lossreason":216"#, "skadnetids: found x.skadnetwork"]
            ),
            (
                "openrtb/skadn", #"{"advertise": {}}"#, "application/json", "400",
                [#""reason":"bad-field""#, "skadn: found nothing"]
            ),
            (
                "openrtb/skadn", String(repeating: " ", count: 65537), "application/json", "413",
                [#""reason":"body-too-large""#]
            ),
        ]
        for row in rows {
            try write(row.body, to: "body")
            let answer = try run(
                SkanProcess.curl,
                [
                    "-s", "-i", "--max-time", "60", "-H", "Content-Type: \(row.type)", "--data-binary", "@body",
                    "\(server.signer)/v1/\(row.path)",
                ]
            ).output
            #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(row.body.prefix(80)): \(answer)")
            #expect(answer.contains(#"{"status":"refused","#))
            for part in row.parts {
                #expect(answer.contains(part), "\(answer)")
            }
        }
    }

    @Test("Without keys there is nothing to listen for")
    func withoutKeys() throws {
        let outcome = try skan(["serve", "--store", "s.sqlite", "--console", "127.0.0.1:0", "--signing", "127.0.0.1:0"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("there are no keys to sign with\nskan: hint: give --signing-keys FILE"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("s.sqlite")))
    }

    @Test(
        "The console says where signing has gone",
        arguments: ["impressions", "impressions/batch", "openrtb/skadn"])
    func moved(_ path: String) async throws {
        let server = try server()
        let answer = try await ConsoleClient(url: server.console).post("/v1/\(path)", json: "{}")
        #expect(answer.status == 404)
        #expect(try object(answer.body)["reason"] as? String == "not-found")
        #expect(try #require(object(answer.body)["hint"] as? String).contains("skan serve --signing HOST:PORT"))
    }

    // MARK: /v1/openrtb/skadn

    @Test("What is shown around the ad is answered where the request supports it, and only there", arguments: [1, 0])
    func surroundings(_ supported: Int) async throws {
        let server = try server()
        let page = "45812c9b-c296-43d3-c6a0-c5a02f74bf6e"
        let request = """
            {"skadn": {"versions": ["4.0"], "sourceapp": "1", "skadnetids": ["example123.skadnetwork"],
                       "productpage": \(supported), "skoverlay": "\(supported)"},
             "adattributionkit": {"version": "1.0", "sourceapp": "1", "skadnetids": ["example123.skadnetwork"],
                                  "ext": {"sko": \(supported)}},
             "advertise": {"itunesitem": 1, "sourceidentifier": 1, "productpageid": "\(page)",
                           "skoverlay": {"delay": "5", "pos": 1},
                           "adattributionkit": {"eligible-for-re-engagement": true,
                                                "reengagementurl": "https://example.com/a"}}}
            """
        let answer = try await ConsoleClient(url: server.signer).post("/v1/openrtb/skadn", json: request)
        let ext = try #require(object(answer.body)["ext"] as? [String: [String: Any]])
        let skadn = try #require(ext["skadn"])
        let (pageID, overlay) = (skadn["productpageid"] as? String, skadn["skoverlay"] as? [String: Int])
        #expect(pageID == (supported == 1 ? page : nil))
        #expect(overlay == (supported == 1 ? ["delay": 5, "pos": 1] : nil))
        let app = try #require(ext["adattributionkit"])
        #expect(app["cpp"] as? String == page)
        #expect(app["reengagementurl"] as? String == "https://example.com/a")
        #expect(app["ext"] == nil, "the latest draft answers no overlay")
        let payload = try verifiedJWS(#require(app["jwt"] as? String)).payload
        #expect(payload["eligible-for-re-engagement"] as? Bool == true)
    }
}
