import Foundation
import Testing

extension WorkFolder {
    /// Makes a certificate `tls.pem` for a host, signed by its own key `tls-key.pem`, which has mode 0600.
    func makeCertificate(
        _ name: String,
        start: Date = Date(timeIntervalSinceNow: -60),
        end: Date = Date(timeIntervalSinceNow: 86_400)
    ) throws {
        let authority = """
            [ca]
            default_ca = own
            [own]
            database = ca-index
            serial = ca-serial
            new_certs_dir = .
            default_md = sha256
            policy = any
            [any]
            commonName = supplied
            """
        for (file, text) in [("ca.cnf", authority), ("ca-index", ""), ("ca-serial", "01\n")] {
            try Data(text.utf8).write(to: url.appendingPathComponent(file))
        }
        let requested = try SkanProcess.run(
            SkanProcess.openssl,
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
                + ["-subj", "/CN=\(name)", "-keyout", "tls-key.pem", "-out", "tls.csr"], in: url)
        try #require(requested.status == 0, "\(requested.errors)")
        // Unlike req and x509, ca takes moments in the past.
        let made = try SkanProcess.run(
            SkanProcess.openssl,
            ["ca", "-config", "ca.cnf", "-selfsign", "-batch", "-notext", "-keyfile", "tls-key.pem"]
                + [
                    "-in", "tls.csr", "-out", "tls.pem", "-startdate", Self.moment(start), "-enddate", Self.moment(end),
                ],
            in: url)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// The moment as `20260131120000Z`.
    private static func moment(_ date: Date) -> String {
        date.formatted(.iso8601).filter { !"-:T".contains($0) }
    }
}
