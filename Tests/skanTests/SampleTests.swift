import Foundation
import StrictJSON
import Testing

/// What the README's commands use is what it says it is.
@Suite("Samples")
struct SampleTests {
    static let samples = CommandTests.root.appendingPathComponent("samples")

    @Test("The published postbacks verify with Apple's keys")
    func published() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Self.samples.appendingPathComponent("postbacks").path)
        #expect(files.count == 8)
        let outcome = try SkanProcess.run(["verify"] + files.map { "postbacks/\($0)" }, in: Self.samples)
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(!outcome.output.contains("TEST"))
    }

    @Test("The simulated postbacks verify with their test keys, and give the report beside them")
    func simulated() throws {
        let folder = try WorkFolder()
        try FileManager.default.copyItem(
            at: Self.samples.appendingPathComponent("simulated"), to: folder.url.appendingPathComponent("keys"))
        let verified = try SkanProcess.run(["verify", "keys/postbacks.ndjson"] + SkanServer.testKeys, in: folder.url)
        #expect(verified.status == 0)

        let server = try SkanServer(in: folder)
        let lines = try String(contentsOf: folder.url.appendingPathComponent("keys/postbacks.ndjson"), encoding: .utf8)
        for line in lines.split(separator: "\n") {
            let answer = try SkanProcess.run(
                SkanProcess.curl,
                ["-s", "-H", "Content-Type: application/json", "--data-binary", String(line), server.url],
                in: folder.url)
            #expect(answer.output.contains("\"recorded\""))
        }
        let file = try Data(contentsOf: folder.url.appendingPathComponent("keys/expected-report.json"))
        let expected = try #require(JSONSerialization.jsonObject(with: file) as? [String: Any])
        #expect(expected["schema"] as? String == "skan.expected/1")
        // The bodies come without their times, so only the other breakdowns can be compared.
        let views = try #require(expected["views"] as? [[String: Any]]).filter {
            ($0["by"] as? [String])?.contains("day") == false
        }
        #expect(views.count > 4)
        for view in views {
            let dimensions = try #require(view["by"] as? [String])
            let report = try SkanProcess.run(
                [
                    "report", "--store", "skan.sqlite", "--test", "--format", "json", "--by",
                    dimensions.joined(separator: ","),
                ], in: folder.url)
            let figures = try Self.figures(of: report.output, by: dimensions)
            #expect(figures == view["figures"] as? [String: Int], "\(dimensions)")
        }
    }

    /// The figures of a report other than 0, named after their paths, such as `row 525463029: installs`.
    private static func figures(of report: String, by dimensions: [String]) throws -> [String: Int] {
        let root = try #require(JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any])
        var figures: [String: Int] = [:]
        func collect(_ value: Any, _ path: String) {
            if let members = value as? [String: Any] {
                for (name, member) in members where !name.hasSuffix("-rate") && !name.hasSuffix("-mean") {
                    collect(member, "\(path) \(name)")
                }
            } else if let number = value as? Int, number != 0 {
                figures[path] = number
            }
        }
        for row in try #require(root["rows"] as? [[String: Any]]) {
            let key = dimensions.map { row[$0] as? String ?? "–" }.joined(separator: " ")
            collect(row.filter { !dimensions.contains($0.key) }, "row \(key):")
        }
        collect(root["totals"] ?? [:], "totals:")
        return figures
    }
}

@Suite("From a bid request to a bid response, as the samples show it", .timeLimit(.minutes(5)))
struct OpenRTBSampleTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
        _ = try run(SkanProcess.openssl, ["pkey", "-in", "new.pem", "-pubout", "-out", "new.public.pem"])
    }

    static let samples = SampleTests.samples.appendingPathComponent("openrtb")

    private func bid(_ program: String, _ request: String, _ server: SkanServer) throws -> SkanProcess.Outcome {
        try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["SKAN_SIGNER=\(server.signer)", Self.samples.appendingPathComponent(program).path],
            input: request)
    }

    private func request() throws -> String {
        try String(contentsOf: Self.samples.appendingPathComponent("bid-request.json"), encoding: .utf8)
    }

    /// Whether openssl verifies each fidelity of a `bid.ext.skadn` over a text put together here.
    private func verify(_ skadn: [String: Any]) throws {
        let fidelities = try #require(skadn["fidelities"] as? [[String: Any]])
        for one in fidelities {
            let fidelity = try #require(one["fidelity"] as? Int)
            let parts: [Any?] = [
                skadn["version"], skadn["network"], skadn["sourceidentifier"] ?? skadn["campaign"], skadn["itunesitem"],
                one["nonce"], skadn["sourceapp"], String(fidelity), one["timestamp"],
            ]
            let values = try parts.map { try #require($0 as? String) }
            let signature = (one["signature"] as? String).flatMap { Data(base64Encoded: $0) }
            #expect(
                try opensslVerifies(signature, values.joined(separator: "\u{2063}"), key: "new.public.pem"), "\(skadn)")
        }
    }

    @Test("Every bid has the extensions of its imp, and openssl verifies them", arguments: ["bid.sh", "bid.py"])
    func bids(_ program: String) throws {
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        let outcome = try bid(program, try request(), server)
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
        let response = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(response["id"] as? String == "80ce30c53c16e6ede735f123ef6e32361bfc7b22")
        let seat = try #require((response["seatbid"] as? [[String: Any]])?.first)
        let bids = try #require(seat["bid"] as? [[String: Any]])
        #expect(bids.map { $0["impid"] as? String } == ["1", "2"])
        let extensions = try bids.map { try #require($0["ext"] as? [String: [String: Any]]) }
        #expect(extensions.map { $0.keys.sorted() } == [["adattributionkit", "skadn"], ["skadn"]])
        let skadn = try extensions.map { try #require($0["skadn"]) }
        #expect(skadn.map { $0["version"] as? String } == ["4.0", "3.0"])
        #expect(skadn.map { $0["sourceidentifier"] as? String } == ["5239", nil])
        #expect(skadn.map { ($0["fidelities"] as? [Any])?.count } == [2, 1])
        try skadn.forEach(verify)
        let jwt = try #require(extensions[0]["adattributionkit"]?["jwt"] as? String)
        let payload = try SkanProcess.verifyJWS(jwt, publicKey: "new.public.pem", in: folder.url).payload
        #expect(payload["publisher-item-identifier"] as? Int == 880_047_117)
    }

    @Test("What was refused is said, and the rest is bid", arguments: ["bid.sh", "bid.py"])
    func partial(_ program: String) throws {
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        let request = try request().replacing(#""version": "1.0""#, with: #""version": "9.0""#)
            .replacing(#"["2.2", "3.0"]"#, with: #"["9.0"]"#)
        let outcome = try bid(program, request, server)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("\"no-common-version\""))
        let response = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let bids = (response["seatbid"] as? [[String: Any]])?.first?["bid"] as? [[String: Any]]
        #expect(bids?.map { $0["impid"] as? String } == ["1"])
        #expect((bids?.first?["ext"] as? [String: Any])?.keys.sorted() == ["skadn"])
    }

    @Test("Where nothing is signed there is no bid", arguments: ["bid.sh", "bid.py"])
    func refused(_ program: String) throws {
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        let request = try request().replacing("example123.skadnetwork", with: "other456.skadnetwork")
            .replacing(#""max": 306"#, with: #""max": 1"#)
        let outcome = try bid(program, request, server)
        #expect(outcome.status == 1 && outcome.output == "")
        #expect(outcome.errors.contains("\"no-common-network\""), "\(outcome.errors)")
    }

    @Test(
        "A client that looks at the status alone sees a refusal",
        arguments: [("1.0", "200", nil), ("9.0", "207", "Skan-Refused: adattributionkit;reason=no-common-version\r\n")]
            as [(String, String, String?)])
    func status(_ version: String, _ status: String, _ field: String?) throws {
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        let ids = #""sourceapp": "1", "skadnetids": ["example123.skadnetwork"]"#
        let body =
            #"{"skadn": {"versions": ["4.0"], \#(ids)}, "adattributionkit": {"version": "\#(version)", \#(ids)}, "#
            + #""advertise": {"itunesitem": 1, "sourceidentifier": 1}}"#
        let answer = try run(
            SkanProcess.curl,
            [
                "-s", "-i", "--max-time", "60", "-H", "Content-Type: application/json", "--data", body,
                "\(server.signer)/v1/openrtb/skadn",
            ]
        ).output
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains("Skan-Refused") == (field != nil))
        #expect(field.map { answer.contains($0) } ?? true, "\(answer)")
    }
}
