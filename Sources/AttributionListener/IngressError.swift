package import Attribution
package import FoundationEssentials
import NIOCore
package import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Why the ingress cannot start, or cannot take new settings.
package enum IngressError: CodedError, Equatable {
    /// The listening socket could not be opened.
    case cannotListen(host: String, port: Int, reason: String)
    /// The certificate file could not be read as PEM certificates.
    case unusableCertificate(file: String, reason: String)
    /// A certificate of the chain has expired; number 1 is the server's own.
    case expiredCertificate(file: String, number: Int, end: Date)
    /// A certificate of the chain is not valid yet; number 1 is the server's own.
    case certificateNotYetValid(file: String, number: Int, start: Date)
    /// The key file could not be read as a PEM private key.
    case unusableKey(file: String, reason: String)
    /// Certificate and key were read but do not make a TLS identity.
    case unusableIdentity(certificateFile: String, keyFile: String, reason: String)
    /// The certificates of the chain are in an order in which the first is not the server's own.
    case faultyChain(file: String, CertificateChain.Fault)
    /// A trusted proxy is neither an address nor a network.
    case malformedNetwork(String)

    package var code: ErrorCode {
        switch self {
        case .cannotListen: .cannotListen
        case .unusableCertificate, .expiredCertificate, .certificateNotYetValid, .unusableIdentity,
            .faultyChain:
            .unusableCertificate
        case .unusableKey: .unusableKey
        case .malformedNetwork: .badField
        }
    }

    /// What was found, and what was expected.
    package var message: String {
        switch self {
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host.contains(":") ? "[\(host)]" : host):\(port): \(reason)"
        case .unusableCertificate(let file, let reason):
            "no certificate could be read from \(file): \(reason)"
        case .expiredCertificate(let file, let number, let end):
            "\(Self.certificate(number, file)) expired at \(end.formatted(.iso8601))"
        case .certificateNotYetValid(let file, let number, let start):
            "\(Self.certificate(number, file)) is not valid before \(start.formatted(.iso8601))"
        case .unusableKey(let file, let reason):
            "no private key could be read from \(file): \(reason)"
        case .unusableIdentity(let certificateFile, let keyFile, let reason):
            "\(certificateFile) and \(keyFile) cannot be used together: \(reason)"
        case .faultyChain(let file, let fault): "\(file): \(fault.message)"
        case .malformedNetwork(let text):
            "\"\(text)\" is not an IP address or network"
        }
    }

    private static func certificate(_ number: Int, _ file: String) -> String {
        number == 1 ? "the certificate in \(file)" : "certificate \(number) in \(file), an intermediate one,"
    }

    package var hint: String? {
        switch self {
        case .cannotListen: "choose a free port and an address of this machine"
        case .unusableCertificate: "give a PEM file, the server's certificate first"
        case .expiredCertificate(_, 1, _): "renew the certificate, and check the clock"
        case .expiredCertificate:
            "give the intermediate certificates that the authority issues under now, and check the clock"
        case .certificateNotYetValid: "give certificates that are valid now, and check the clock"
        case .unusableKey: "give a PEM file without a passphrase that only its owner can read"
        case .unusableIdentity: "give the key of this certificate"
        case .faultyChain(_, let fault): fault.hint
        case .malformedNetwork: "write 192.0.2.1, 10.0.0.0/8 or 2001:db8::/32"
        }
    }
}

extension IngressError {
    /// Describes why a listening socket could not be opened.
    package init(binding error: any Error, host: String, port: Int) {
        let reason =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: "the port is in use"
            case EADDRNOTAVAIL: "this machine does not have that address"
            case EACCES, EPERM: "this user may not use the port"
            case EMFILE, ENFILE: "there are too many open files"
            case let code?: String(cString: strerror(code))
            case nil: "there is no such name or address"
            }
        self = .cannotListen(host: host, port: port, reason: reason)
    }
}

extension IngressError: CustomStringConvertible {
    /// The message and the hint, for logs.
    package var description: String {
        [message, hint].compactMap(\.self).joined(separator: "; ")
    }
}
