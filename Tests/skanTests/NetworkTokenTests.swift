import Foundation
import Testing

@Suite("Tokens limited to ad networks, as a process", .timeLimit(.minutes(5)))
struct NetworkTokenTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
    }

    private func token(_ arguments: String...) throws -> String {
        let outcome = try SkanProcess.run(["tokens", "create", "--file", "tokens.json"] + arguments, in: folder.url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return String(outcome.output.dropLast())
    }

    private static let impression =
        #""versions":["4.0"],"forms":["storekit-rendered"],"itunes-item-id":1,"source-identifier":1,"source-app-id":2"#
    private static let bid =
        #""skadn":{"versions":["4.0"],"sourceapp":"2","skadnetids":["example123.skadnetwork"]}"#
    private static let webAd =
        #""itunes-item-id":1,"source-identifier":1,"attribution-destination":"https://ads.example""#
    private static let advertise = #""itunesitem":1,"sourceidentifier":1"#

    private static func isSigned(_ path: String) -> Bool {
        path.hasPrefix("/v1/impressions") || path.hasPrefix("/v1/openrtb")
    }

    /// Path, body or nothing, and whether a token limited to `example123.skadnetwork` may.
    static let requests: [(path: String, body: String?, isAllowed: Bool)] = [
        ("/v1/impressions", #"{"ad-network-id":"example123.skadnetwork",\#(impression)}"#, true),
        ("/v1/impressions", #"{"ad-network-id":"EXAMPLE123.skadnetwork",\#(impression)}"#, true),
        ("/v1/impressions", #"{"ad-network-id":"other.skadnetwork",\#(impression)}"#, false),
        // What cannot be read is refused as to anybody.
        ("/v1/impressions", "{\(impression)}", true),
        ("/v1/impressions", #"{"ad-network-id":"other.skadnetwork"}"#, true),
        ("/v1/impressions", "nonsense", true),
        ("/v1/openrtb/skadn", #"{"id":"1","imp":[{"id":"1"}]}"#, true),
        ("/v1/openrtb/skadn", #"{\#(bid),"advertise":{"networks":["other.skadnetwork"]}}"#, true),
        (
            "/v1/openrtb/skadn",
            #"{\#(bid),"advertise":{\#(advertise),"networks":["example123.skadnetwork"]}}"#, true
        ),
        ("/v1/openrtb/skadn", #"{\#(bid),"advertise":{\#(advertise),"networks":["other.skadnetwork"]}}"#, false),
        (
            "/v1/openrtb/skadn",
            #"{\#(bid),"advertise":{\#(advertise),"networks":["example123.skadnetwork","other.skadnetwork"]}}"#, false
        ),
        ("/v1/openrtb/skadn", #"{\#(bid),"advertise":{\#(advertise)}}"#, false),
        ("/v1/web-ads", #"{"ad-network-id":"other.skadnetwork"}"#, true),
        ("/v1/web-ads", #"{"ad-network-id":"other.skadnetwork",\#(webAd)}"#, false),
        ("/v1/web-ads", #"{"ad-network-id":"example123.skadnetwork",\#(webAd)}"#, true),
        ("/v1/report?where=network%3Dother.skadnetwork&by=colour", nil, true),
        ("/v1/report?where=network%3Dexample123.skadnetwork&by=app", nil, true),
        ("/v1/report?where=network%3Dother.skadnetwork", nil, false),
        ("/v1/report?where=network%3Dexample123.skadnetwork&where=network%3Dother.skadnetwork", nil, false),
        ("/v1/report?where=network!%3Dother.skadnetwork", nil, false),
        ("/v1/report?by=network", nil, false),
        ("/v1/reports/overview?where=network%3Dexample123.skadnetwork", nil, true),
        ("/v1/reports/overview?where=network%3Dother.skadnetwork", nil, false),
        ("/v1/reports/campaigns?where=network!%3Dother.skadnetwork", nil, false),
        ("/v1/reports/sources", nil, false),
        // Deliveries are those of all networks.
        ("/v1/reports/delivery", nil, false),
        ("/v1/reports/delivery?where=network%3Dexample123.skadnetwork", nil, true),
        ("/v1/quarantine", nil, false),
        ("/v1/postbacks", nil, false),
        ("/metrics", nil, false),
        ("/healthz", nil, true),
    ]

    @Test("Every route where a request names an ad network refuses another, and the others refuse it altogether")
    func routes() throws {
        let limited = try token("--name", "a", "--scope", "sign,report", "--network", "Example123.skadnetwork")
        let free = try token("--name", "b", "--scope", "sign,report")
        let server = try SkanServer(in: folder, arguments: ["--tokens", "tokens.json"] + SkanServer.signing)
        for (path, body, isAllowed) in Self.requests {
            func ask(_ token: String) throws -> String {
                let data = body.map { ["-H", "Content-Type: application/json", "--data-binary", $0] } ?? []
                return try SkanProcess.run(
                    SkanProcess.curl,
                    ["-s", "-i", "--max-time", "60", "-H", "Authorization: Bearer \(token)"] + data
                        + [(Self.isSigned(path) ? server.signer : server.console) + path],
                    in: folder.url
                ).output
            }
            let answer = try ask(limited)
            #expect(answer.contains("\"reason\":\"out-of-network\"") == !isAllowed, "\(path) \(body ?? ""): \(answer)")
            #expect(answer.hasPrefix("HTTP/1.1 403 ") == !isAllowed, "\(path) \(body ?? ""): \(answer)")
            if !isAllowed {
                #expect(answer.contains("Example123.skadnetwork"))
                let isLimitable = body != nil || path.hasPrefix("/v1/report")
                #expect(answer.contains("name no other network") == isLimitable, "\(path): \(answer)")
                #expect(answer.contains("use a token without a limit"))
            }
            let unlimited = try ask(free)
            #expect(!unlimited.contains("out-of-network"))
            // What it may, is answered as to anybody.
            if isAllowed { #expect(answer.prefix(12) == unlimited.prefix(12), "\(path): \(answer)") }
        }
        #expect(server.end(SIGTERM).status == 0)
        let listed = try SkanProcess.run(["tokens", "list", "--file", "tokens.json"], in: folder.url).output
        let rows = listed.split(separator: "\n").dropFirst().map { $0.split(separator: " ").map { String($0) } }
        #expect(rows.map { $0[3] } == ["Example123.skadnetwork", "all"])
        // Both were used, which the server kept when it stopped.
        #expect(rows.allSatisfy { $0[6].hasPrefix("20") && $0[7] == "live" }, "\(listed)")
    }
}
