import Attribution
import AttributionStore
import Foundation
import PostgreSQLStore
import TestSupport
import Testing

@Suite("The connection to PostgreSQL, verified", .serialized)
struct SecurityTests {
    let certificates: CertificateFolder
    let server: PostgreSQLServer
    let database: TestDatabase

    init() throws {
        certificates = try CertificateFolder(host: "db.skan.example")
        server = try PostgreSQLServer(settings: certificates.settings)
        database = try TestDatabase()
    }

    /// An address whose host is a name that is looked up nowhere.
    private func address(
        _ name: String, on server: PostgreSQLServer, host: String = "db.skan.example", authority: String = "ca",
        mode: String = "verify-full"
    ) throws -> PostgreSQLAddress {
        try PostgreSQLAddress(
            "postgresql://postgres@\(host):\(server.port)/\(name)?hostaddr=127.0.0.1&sslmode=\(mode)"
                + "&sslrootcert=\(certificates.path)/\(authority).pem")
    }

    private func name(_ text: String) -> String {
        String(text.split(separator: "/").last ?? "")
    }

    @Test("With verify-full the right server is recorded to, over TLS")
    func rightServer() throws {
        let text = try server.makeDatabase()
        let node = try PostgreSQLLedgerWriter(address(name(text), on: server))
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
        #expect(
            try server.sql(
                "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'skan'",
                database: text) == "t")
    }

    /// Host, authority, mode, and libpq's words, of a connection that must not be made.
    static let strangers: [(host: String, authority: String, mode: String, words: String)] = [
        ("db.skan.example", "stranger", "verify-full", "certificate verify failed"),
        ("db.skan.example", "stranger", "verify-ca", "certificate verify failed"),
        ("other.skan.example", "ca", "verify-full", "does not match host name"),
        ("db.skan.example", "nobody", "verify-full", "does not exist"),
    ]

    @Test("A server that is not the one named gets nothing, and the error says what to check", arguments: strangers)
    func refused(_ host: String, _ authority: String, _ mode: String, _ words: String) async throws {
        let address = try address(name(server.makeDatabase()), on: server, host: host, authority: authority, mode: mode)
        let problem = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLLedgerReader(address).answer(LedgerQuestion(traffic: .test))
        }
        #expect(problem?.description.contains(words) == true, "\(String(describing: problem))")
        #expect(problem?.hint?.contains("sslrootcert=") == true)
        let node = try PostgreSQLLedgerWriter(address)
        #expect(node.health.reason?.contains(words) == true)
        #expect(throws: StoreError.self) { try node.record([database.delivery(id: "a")]) }
    }

    @Test("A server without TLS is refused too")
    func withoutTLS() throws {
        let node = try PostgreSQLLedgerWriter(address(database.name, on: database.server))
        #expect(node.health.reason?.contains("does not support SSL") == true)
    }
}

/// An authority, and a certificate that it signed, made by openssl in a folder that the server's user may read.
final class CertificateFolder {
    let path: String

    /// Makes everything; the certificate names `host`.
    init(host: String) throws {
        path = NSTemporaryDirectory() + "skan-tls-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for authority in ["ca", "stranger"] {
            try openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=\(authority) "
                    + "-addext basicConstraints=critical,CA:TRUE -keyout \(authority).key -out \(authority).pem")
        }
        try openssl(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=\(host) "
                + "-addext subjectAltName=DNS:\(host) -keyout server.key -out server.csr")
        try openssl(
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -copy_extensions copy "
                + "-out server.pem")
        try run("/bin/chmod", ["600", path + "/server.key"])
        if getuid() == 0 {
            try run("/bin/chown", ["-R", "postgres", path])
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The lines of a server's configuration.
    var settings: [String] {
        ["ssl = on", "ssl_cert_file = '\(path)/server.pem'", "ssl_key_file = '\(path)/server.key'"]
    }

    private func openssl(_ arguments: String) throws {
        try run("/usr/bin/openssl", arguments.split(separator: " ").map { String($0) })
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: path)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments.joined(separator: " "))")
    }
}
