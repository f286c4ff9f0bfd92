import Foundation
import TestSupport
import Testing

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
