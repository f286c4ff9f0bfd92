import Attribution
import AttributionConsole
import AttributionServer
import AttributionStore
import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@Suite("The server, in this process", .timeLimit(.minutes(10)))
struct ServerTests {
    @Test("Starts on free ports, records what Apple signed, and stops on request")
    func recorded() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let configuration = Self.configuration(folder)
        let (events, event) = AsyncStream<Server.Event>.makeStream()
        let server = try Server(
            configuration, metrics: PrometheusMetrics(), logger: .silent, onEvent: { event.yield($0) })
        let body = try String(contentsOf: Self.sample("skan-3.0-win.json"), encoding: .utf8)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            var (port, consolePort): (Int?, Int?)
            for await event in events {
                switch event {
                case .listening(let address): port = address.port
                case .consoleListening(let address): consolePort = address.port
                case .signingListening: break
                }
                if port != nil, consolePort != nil {
                    break
                }
            }
            let (listen, console) = (try #require(port), try #require(consolePort))
            for status in ["recorded", "duplicate"] {
                let answer = try await Self.exchange(Self.post(body), port: listen)
                #expect(answer.status == 200 && answer.body.contains(#""status":"\#(status)""#))
            }
            let report = try await Self.exchange(
                "GET /v1/report?by=app&format=csv&columns=installs HTTP/1.1\r\nHost: localhost\r\n\r\n", port: console)
            #expect(report.status == 200 && report.body.contains("525463029,1"))
            let metrics = try await Self.exchange("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", port: console)
            #expect(metrics.status == 200)
            for line in Self.metrics {
                #expect(metrics.body.contains("\n\(line)"), "\(line) is not in \(metrics.body)")
            }
            #expect(!metrics.body.contains("certificate"), "there is no TLS")
            tasks.cancelAll()
        }
        #expect(try server.close())
    }

    /// What the metrics show after a postback came twice, each as the beginning of a line.
    static let metrics = [
        #"skan_build_info{version="","#, "process_start_time_seconds ", "process_cpu_seconds_total ",
        "process_resident_memory_bytes ", "process_open_fds ", "process_max_fds ", "skan_ingest_queue_depth 0\n",
        "skan_ingest_commit_seconds_count 2\n", "skan_last_recorded_timestamp_seconds ",
        #"skan_store_bytes{part="database"} "#, #"skan_store_bytes{part="wal"} "#,
        #"skan_deliveries_total{status="recorded",reason="",provenance="apple"} 1"#,
        #"skan_deliveries_total{status="duplicate",reason="",provenance="apple"} 1"#,
        #"skan_deliveries_total{status="recorded",reason="",provenance="test"} 0"#,
        #"skan_deliveries_total{status="quarantined",reason="invalid-signature",provenance=""} 0"#,
    ]

    @Test("What does not go together is refused before anything is opened", arguments: refusals)
    func refused(_ name: String, _ change: @Sendable (inout ServerConfiguration) -> Void) throws {
        var configuration = ServerConfiguration(store: "/nonexistent/skan.sqlite")
        change(&configuration)
        #expect(throws: ServerConfiguration.Problem.self, "\(name)") {
            try Server(configuration, metrics: PrometheusMetrics(), logger: .silent)
        }
    }

    static let refusals: [(String, @Sendable (inout ServerConfiguration) -> Void)] = [
        ("no requests at all", { $0.tokenRate = 0 }),
        (
            "one port for both listeners",
            {
                $0.listen = ListenAddress(host: "127.0.0.1", port: 8080)
                $0.console = $0.listen
            }
        ),
        ("a certificate without its key", { $0.tlsCertificate = "certificate.pem" }),
        ("a key without its certificate", { $0.tlsKey = "key.pem" }),
        ("a console for everybody", { $0.console = ListenAddress(host: "0.0.0.0", port: 0) }),
        (
            "tokens in the clear",
            {
                $0.console = ListenAddress(host: "0.0.0.0", port: 0)
                $0.tokens = "tokens.json"
            }
        ),
    ]

    @Test("A server that cannot listen says so in one error of its own, and leaves no store", arguments: unusable)
    func cannotListen(
        _ name: String, _ reason: String, _ change: @Sendable (inout ServerConfiguration, Int) throws -> Void
    ) throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let taken = try TakenPort()
        var configuration = Self.configuration(folder)
        try change(&configuration, taken.port)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder)
        let log = LinesOfLog()
        let thrown = #expect(throws: (any Error).self, "\(name)") {
            try Server(configuration, metrics: PrometheusMetrics(), logger: log.logger)
        }
        let error = thrown as? any CodedError
        #expect(
            error?.code == .cannotListen && error?.message.contains(reason) == true && error?.hint != nil, "\(name)")
        #expect(log.lines == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == before)
    }

    static let unusable: [(String, String, @Sendable (inout ServerConfiguration, Int) throws -> Void)] = [
        ("the public port is taken", "the port is in use", { $0.listen = ListenAddress(host: "127.0.0.1", port: $1) }),
        (
            "the console's port is taken", "the port is in use",
            { $0.console = ListenAddress(host: "127.0.0.1", port: $1) }
        ),
        (
            "no such host", "no such name",
            { configuration, _ in
                configuration.listen = ListenAddress(host: "nosuchhost.invalid", port: 0)
            }
        ),
        (
            "another machine's address", "does not have that address",
            { configuration, _ in
                configuration.listen = ListenAddress(host: "192.0.2.1", port: 0)
            }
        ),
        (
            "one port for both, by two names", "the port is in use",
            { configuration, _ in
                let free = try TakenPort().port
                configuration.listen = ListenAddress(host: "127.1", port: free)
                configuration.console = ListenAddress(host: "127.0.0.1", port: free)
            }
        ),
        (
            "something else at the socket's path", "is not a socket",
            { configuration, _ in
                try Data().write(to: URL(fileURLWithPath: (configuration.store ?? "") + "-socket"))
            }
        ),
    ]

    private static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("skan-server-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Free ports of loopback, and a store in a folder.
    private static func configuration(_ folder: String) -> ServerConfiguration {
        var configuration = ServerConfiguration(store: folder + "/skan.sqlite")
        configuration.listen = ListenAddress(host: "127.0.0.1", port: 0)
        configuration.console = ListenAddress(host: "127.0.0.1", port: 0)
        return configuration
    }

    private static func post(_ body: String) -> String {
        "POST /skadnetwork/postbacks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
    }

    private static func exchange(_ request: String, port: Int) async throws -> RawAnswer {
        try await blocking {
            let client = try RawClient(port: port)
            _ = client.send(request)
            return try client.answer()
        }
    }

    private static func sample(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("samples/postbacks/\(name)")
    }
}

@Suite("The budget of connections")
struct ConnectionBudgetTests {
    @Test(
        "All connections together leave descriptors to the store, and everything is as usual where there are enough",
        arguments: [
            (1 << 20, 4096, 256, 1024), (20_000, 4096, 256, 1024), (5_184, 4096, 256, 1024), (1_024, 768, 192, 192),
            (256, 154, 38, 38), (128, 52, 13, 12), (16, 8, 2, 8), (0, 8, 2, 8),
        ])
    func budget(descriptors: Int, ingress: Int, perAddress: Int, console: Int) {
        let budget = ConnectionBudget(descriptors: descriptors)
        #expect(budget.ingress == ingress)
        #expect(budget.ingressPerAddress == perAddress)
        #expect(budget.console == console)
        #expect(descriptors < 128 || budget.ingress + budget.console + ConnectionBudget.reserve <= descriptors)
    }
}

@Suite("Where a store is")
struct StoreLocationTests {
    @Test("The web ads of a store behind a symlink are beside the file that the link leads to")
    func webAds() throws {
        let files = FileManager.default
        let folder = NSTemporaryDirectory() + "location-\(UUID())"
        try files.createDirectory(atPath: folder + "/far", withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        try files.createSymbolicLink(atPath: folder + "/link.sqlite", withDestinationPath: "far/a.sqlite")
        let stores = ["/link.sqlite", "/far/a.sqlite"]
        for makesFile in [true, false] {
            for store in stores {
                let ads = try StoreLocation(folder + store).makeWebAds(makesFile: makesFile)
                #expect(ads != nil)
                _ = try ads?.close()
            }
        }
        #expect(files.fileExists(atPath: folder + "/far/a.sqlite-web-ads"))
        #expect(!files.fileExists(atPath: folder + "/link.sqlite-web-ads"))
    }
}
