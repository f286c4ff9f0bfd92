package import FoundationEssentials

/// Why the ingress cannot start, or cannot take new settings.
package enum IngressError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The listening socket could not be had.
    case cannotListen(host: String, port: Int, reason: String)
    /// The certificate file could not be read as PEM certificates.
    case unusableCertificate(file: String, reason: String)
    /// The server's certificate has ended: no client accepts it.
    case expiredCertificate(file: String, end: Date)
    /// The key file could not be read as a PEM private key.
    case unusableKey(file: String, reason: String)
    /// Certificate and key were read but do not make a TLS identity.
    case unusableIdentity(certificateFile: String, keyFile: String, reason: String)
    /// A trusted proxy is not an address and not a network.
    case malformedNetwork(String)

    /// What was found, what was expected and what to do.
    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host):\(port): \(reason); choose a free port and an address of this machine"
        case .unusableCertificate(let file, let reason):
            "no certificate could be read from \(file): \(reason); give a PEM file, the server's certificate first"
        case .expiredCertificate(let file, let end):
            "the certificate in \(file) ended at \(end.formatted(.iso8601)), and no client accepts it; renew it"
        case .unusableKey(let file, let reason):
            "no private key could be read from \(file): \(reason); give a PEM file without a passphrase"
        case .unusableIdentity(let certificateFile, let keyFile, let reason):
            "\(certificateFile) and \(keyFile) do not go together: \(reason); the key must be the certificate's own"
        case .malformedNetwork(let text):
            "\"\(text)\" is not an IP address or network; write 192.0.2.1, 10.0.0.0/8 or 2001:db8::/32"
        }
    }
}
