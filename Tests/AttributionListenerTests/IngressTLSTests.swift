import AttributionListener
import Foundation
import NIOSSL
import TestSupport
import Testing

@Suite("TLS")
struct IngressTLSTests {
    private static func fixture(_ name: String) -> String {
        Fixture.path(name + ".pem")
    }

    /// A folder with the files of one identity, removed with `body`.
    private static func withIdentity<Result>(
        _ name: String,
        _ body: (_ folder: URL, IngressTLS) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ingress-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try place("\(name)-certificate", in: folder, as: "certificate")
        try place("\(name)-key", in: folder, as: "key")
        let tls = try IngressTLS(
            certificateFile: folder.appending(path: "certificate.pem").path,
            keyFile: folder.appending(path: "key.pem").path
        )
        return try await body(folder, tls)
    }

    private static func place(_ name: String, in folder: URL, as target: String) throws {
        let file = folder.appending(path: "\(target).pem")
        try Data(contentsOf: URL(filePath: fixture(name))).write(to: file)
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
                    #expect(report.text.hasSuffix("}"))
                }
            }
        }
    }

    @Test(
        "Plain HTTP on the TLS port, and a handshake that never ends, are closed",
        arguments: [Post.request(), "", "\u{16}"]
    )
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

    @Test("A reload serves new connections with the new identity, and a bad file keeps the old one")
    func reload() async throws {
        try await Self.withIdentity("first") { folder, tls in
            let certificateFile = folder.appending(path: "certificate.pem")
            try await IngressUnderTest.run(tls: tls) { _, port in
                let client = TLSClient(port: port)
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("first"))

                try Data("no certificate".utf8).write(to: certificateFile)
                #expect(throws: IngressError.self) { try tls.reload() }
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("first"))

                // The new certificate beside the old key.
                try Self.place("second-certificate", in: folder, as: "certificate")
                #expect(throws: IngressError.self) { try tls.reload() }
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("first"))

                try Self.place("second-key", in: folder, as: "key")
                #expect(tls.expiresAt == Int64(try Self.certificate("first").notValidAfter))
                try tls.reload()
                #expect(tls.expiresAt == Int64(try Self.certificate("second").notValidAfter))
                #expect(try await client.exchange(Post.request()).certificate == Self.certificate("second"))
            }
        }
    }

    @Test("A FIFO in the place of a file is an error, and nobody waits for who might write to it")
    func fifo() async throws {
        try await Self.withIdentity("first") { folder, tls in
            for name in ["key", "certificate"] {
                let path = folder.appending(path: "\(name).pem").path
                try FileManager.default.removeItem(atPath: path)
                try #require(mkfifo(path, 0o600) == 0)
                #expect {
                    try tls.reload()
                } throws: { error in
                    "\(error)".contains("\(name).pem: it is not a regular file")
                }
            }
        }
    }

    @Test("Files that make no identity are errors that name the file")
    func unusable() throws {
        let certificate = Self.fixture("first-certificate")
        let key = Self.fixture("first-key")
        #expect(throws: IngressError.self) { try IngressTLS(certificateFile: "/missing", keyFile: key) }
        #expect(throws: IngressError.self) { try IngressTLS(certificateFile: certificate, keyFile: "/missing") }
        #expect {
            try IngressTLS(certificateFile: certificate, keyFile: certificate)
        } throws: { error in
            guard case .unusableKey(certificate, _) = error as? IngressError else { return false }
            return "\(error)".contains(certificate)
        }
    }
}
