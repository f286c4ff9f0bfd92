import Foundation
import Testing

/// The dashboard for Grafana, as far as it can be tested without one; `make test-alerts` has its queries parsed.
@Suite("Grafana's dashboard", .timeLimit(.minutes(5)))
struct DashboardTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    /// The texts of all members with a name, at any depth.
    private static func texts(_ name: String, in value: Any) -> [String] {
        switch value {
        case let object as [String: Any]:
            [object[name] as? String].compactMap(\.self) + object.values.flatMap { texts(name, in: $0) }
        case let array as [Any]: array.flatMap { texts(name, in: $0) }
        default: []
        }
    }

    @Test("Every metric and label of its queries is one that the server shows")
    func metrics() throws {
        let file = CommandTests.root.appendingPathComponent("contrib/grafana/skan.json")
        let dashboard = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let queries = Self.texts("expr", in: dashboard) + Self.texts("definition", in: dashboard)
        #expect(queries.count > 15)

        try folder.makeSigningKeys()
        try folder.makeCertificate("skan.example")
        let server = try SkanServer(
            in: folder, arguments: SkanServer.signing + ["--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem"])
        let json = ["-s", "-k", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary"]
        let genuine = try CommandTests.body("skan-3.0-win")
        let order = """
            {"forms": ["view-through"], "versions": ["4.0"], "ad-network-id": "example123.skadnetwork", \
            "itunes-item-id": 525463029, "source-app-id": 2, "source-identifier": 39}
            """
        for (body, url) in [
            (genuine, server.url.replacing("http://", with: "https://")),
            (genuine.replacing("525463029", with: "525463028"), server.url.replacing("http://", with: "https://")),
            (order, "http://127.0.0.1:\(server.signingPort)/v1/impressions"),
        ] {
            #expect(try run(SkanProcess.curl, json + [body, url]).status == 0)
        }
        let text = try run(SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/metrics"]).output
        #expect(server.end(SIGTERM).status == 0)

        let shown = Dictionary(grouping: text.split(separator: "\n").filter { !$0.hasPrefix("#") }) { line in
            line.prefix { $0 != "{" && $0 != " " }
        }
        for query in queries {
            let names = query.matches(of: /\b(skan|process)_[a-z_]+/).map { query[$0.range] }
            #expect(!names.isEmpty, "\(query)")
            for name in names {
                #expect(shown[name] != nil, "\(name)")
            }
            // What Prometheus adds is not the server's.
            let labels = query.matches(of: /\b([a-z]+)(?:=~|!=|=)"|by \(([a-z]+)\)/).compactMap {
                $0.output.1 ?? $0.output.2
            }
            for label in labels where label != "instance" {
                let lines = names.flatMap { shown[$0] ?? [] }
                #expect(lines.contains { $0.contains("\(label)=\"") }, "\(label) in \(query)")
            }
        }
    }
}
