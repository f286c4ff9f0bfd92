import AttributionListener
import Foundation
import NIOSSL
import TestSupport
import Testing

@Suite("TLS", .timeLimit(.minutes(10)))
struct IngressTLSTests {
    private static func fixture(_ name: String) -> String {
        Fixture.path(name + ".pem")
    }

    /// A folder with the files of one identity, removed with `body`.
    private static func withIdentity<Result>(
        _ name: String, _ body: (_ folder: URL, IngressTLS) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ingress-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try place("\(name)-certificate", in: folder, as: "certificate")
        try place("\(name)-key", in: folder, as: "key")
        return try await body(folder, IngressTLS(try identity(in: folder)))
    }

    private static func identity(in folder: URL, at now: Date = Date()) throws -> TLSIdentity {
        try TLSIdentity(
            certificateFile: folder.appending(path: "certificate.pem").path,
            keyFile: folder.appending(path: "key.pem").path, now: now)
    }

    private static func place(_ name: String, in folder: URL, as target: String) throws {
        let file = folder.appending(path: "\(target).pem")
        try Data(contentsOf: URL(filePath: fixture(name))).write(to: file)
        // A key that others can read is refused.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private static func certificate(_ name: String) throws -> NIOSSLCertificate {
        try #require(try NIOSSLCertificate.fromPEMFile(fixture("\(name)-certificate")).first)
    }

    @Test("Requests are served over TLS 1.2 and 1.3", arguments: [TLSVersion.tlsv12, .tlsv13])
    func versions(version: TLSVersion) async throws {
        try await Self.withIdentity("first") { _, tls in
            try await IngressUnderTest.run(tls: tls) { server, port in
                let client = TLSClient(port: port, minimum: version, maximum: version)
                let report = try await client.exchange(Post.request(body: "over TLS"))
                #expect(report.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(server.requests.map(\.body) == [Array("over TLS".utf8)])
                #expect(server.requests.first?.client == "127.0.0.1")
            }
        }
    }

    @Test("TLS 1.1 is refused")
    func oldVersion() async throws {
        try await Self.withIdentity("first") { _, tls in
            try await IngressUnderTest.run(tls: tls) { server, port in
                let client = TLSClient(port: port, minimum: .tlsv1, maximum: .tlsv11)
                await #expect(throws: (any Error).self) { try await client.exchange(Post.request()) }
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test("The last answer comes whole and the connection is closed in order")
    func close() async throws {
        try await Self.withIdentity("first") { _, tls in
            try await IngressUnderTest.run(tls: tls) { _, port in
                for request in [Post.request(fields: ["Host: a", "Connection: close"]), Post.head(fields: [])] {
                    let report = try await TLSClient(port: port).exchange(request)
                    #expect(report.text.contains("Connection: close\r\n"))
                    #expect(report.text.hasSuffix("}") || report.text.hasSuffix("}\n"))
                }
            }
        }
    }

    @Test("A client that has said that it sends no more gets its answer", arguments: [TLSVersion.tlsv12, .tlsv13])
    func halfClosed(version: TLSVersion) async throws {
        try await Self.withIdentity("first") { _, tls in
            try await IngressUnderTest.run(manner: .whenTold, tls: tls) { server, port in
                let client = TLSClient(port: port, minimum: version, maximum: version, endsSending: true)
                async let report = client.exchange(Post.request())
                let held = try await server.nextHeld()
                // Long enough for the end to arrive as well.
                try await Task.sleep(for: .milliseconds(50))
                held.answer(IngressAnswer(status: 200, body: Array("{}".utf8)))
                #expect(try await report.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
        }
    }

    @Test(
        "Plain HTTP on the TLS port, and a handshake that never ends, are closed",
        arguments: [Post.request(), "", "\u{16}"])
    func noHandshake(bytes: String) async throws {
        var limits = IngressLimits()
        limits.headDeadline = .milliseconds(300)
        try await Self.withIdentity("first") { _, tls in
            try await IngressUnderTest.run(limits: limits, tls: tls) { server, port in
                try await blocking {
                    let client = try RawClient(port: port)
                    client.send(bytes)
                    try client.waitForEnd()
                }
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test("Another identity serves new connections with the new identity, and a bad file keeps the old one")
    func reload() async throws {
        try await Self.withIdentity("first") { folder, tls in
            let certificateFile = folder.appending(path: "certificate.pem")
            try await IngressUnderTest.run(tls: tls) { _, port in
                let client = TLSClient(port: port)
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("first"))

                try Data("no certificate".utf8).write(to: certificateFile)
                #expect(throws: IngressError.self) { try Self.identity(in: folder) }
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("first"))

                // The new certificate beside the old key.
                try Self.place("second-certificate", in: folder, as: "certificate")
                #expect(throws: IngressError.self) { try Self.identity(in: folder) }
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("first"))

                try Self.place("second-key", in: folder, as: "key")
                tls.use(try Self.identity(in: folder))
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("second"))
            }
        }
    }

    @Test("A FIFO instead of a file is an error, and opening it does not block")
    func fifo() async throws {
        try await Self.withIdentity("first") { folder, _ in
            for name in ["key", "certificate"] {
                let path = folder.appending(path: "\(name).pem").path
                try FileManager.default.removeItem(atPath: path)
                try #require(mkfifo(path, 0o600) == 0)
                #expect {
                    try Self.identity(in: folder)
                } throws: { error in
                    "\(error)".contains("\(name).pem: it is not a regular file")
                }
            }
        }
    }

    @Test("A key that others can read is refused", arguments: [0o644, 0o640, 0o604])
    func openKey(_ mode: Int) async throws {
        try await Self.withIdentity("first") { folder, _ in
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.appending(path: "key.pem").path)
            #expect {
                try Self.identity(in: folder)
            } throws: { error in
                "\(error)".contains("can be read by others (mode 0\(String(mode, radix: 8)))")
            }
        }
    }

    /// Seconds before the end of a certificate of a hundred years.
    static let ends: [(secondsLeft: Double, isSoon: Bool, isRefused: Bool)] = [
        (1_296_000, false, false), (1_209_600, false, false), (1_209_599, true, false), (1, true, false),
        (0, true, true), (-1, true, true),
    ]

    @Test("A certificate that expires within 14 days expires soon, and an expired one is refused", arguments: ends)
    func end(_ secondsLeft: Double, _ isSoon: Bool, _ isRefused: Bool) async throws {
        try await Self.withIdentity("first") { folder, tls in
            let end = tls.notValidAfter
            let now = end.addingTimeInterval(-secondsLeft)
            #expect(tls.identity.endsSoon(at: now) == isSoon)
            let read = Result { try Self.identity(in: folder, at: now).notValidAfter }
            let expired = IngressError.expiredCertificate(
                file: folder.appending(path: "certificate.pem").path, number: 1, end: end)
            #expect((try? read.get()) == (isRefused ? nil : end))
            if case .failure(let error) = read {
                #expect(error as? IngressError == expired)
            }
        }
    }

    @Test("A certificate is refused until 5 minutes before it is valid", arguments: [(300.0, false), (301.0, true)])
    func start(_ secondsLeft: Double, _ isRefused: Bool) async throws {
        try await Self.withIdentity("first") { folder, tls in
            let start = tls.identity.notValidBefore
            let read = Result { try Self.identity(in: folder, at: start.addingTimeInterval(-secondsLeft)) }
            let error = IngressError.certificateNotYetValid(
                file: folder.appending(path: "certificate.pem").path, number: 1, start: start)
            switch read {
            case .success: #expect(!isRefused)
            case .failure(let found): #expect(isRefused && found as? IngressError == error)
            }
        }
    }

    @Test("Files that make no identity are errors that name the file")
    func unusable() throws {
        let certificate = Self.fixture("first-certificate")
        let key = Self.fixture("first-key")
        #expect(throws: IngressError.self) { try TLSIdentity(certificateFile: "/missing", keyFile: key, now: Date()) }
        #expect(throws: IngressError.self) {
            try TLSIdentity(certificateFile: certificate, keyFile: "/missing", now: Date())
        }
        #expect {
            try TLSIdentity(certificateFile: certificate, keyFile: certificate, now: Date())
        } throws: { error in
            guard case .unusableKey(certificate, _) = error as? IngressError else { return false }
            return "\(error)".contains(certificate)
        }
    }
}
