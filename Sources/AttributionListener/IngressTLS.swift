import CheckedFiles
import NIOCore
package import NIOSSL
import Synchronization

/// The listener's TLS identity, read from PEM files and reloadable while it serves.
///
/// TLS 1.2 and 1.3, HTTP/1.1 by ALPN. New connections take the identity as it is when they are accepted; open ones
/// keep theirs.
package final class IngressTLS: Sendable {
    private let certificateFile: String
    private let keyFile: String
    private let identity: Mutex<Identity>

    private struct Identity {
        let context: NIOSSLContext
        let expiresAt: Int64
    }

    /// Reads the identity.
    ///
    /// - Parameters:
    ///   - certificateFile: A PEM file with the server's certificate first, then the intermediate ones.
    ///   - keyFile: A PEM file with the certificate's private key, without a passphrase.
    /// - Throws: ``IngressError/unusableCertificate(file:reason:)``, ``IngressError/unusableKey(file:reason:)`` or
    ///   ``IngressError/unusableIdentity(certificateFile:keyFile:reason:)``.
    package init(certificateFile: String, keyFile: String) throws(IngressError) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.identity = Mutex(try Self.makeIdentity(certificateFile: certificateFile, keyFile: keyFile))
    }

    /// Reads both files again and, when they are good, serves new connections with them.
    ///
    /// - Throws: As the initialiser; the identity in use then stays.
    package func reload() throws(IngressError) {
        let fresh = try Self.makeIdentity(certificateFile: certificateFile, keyFile: keyFile)
        identity.withLock { $0 = fresh }
    }

    /// The identity for the next connection.
    package func currentContext() -> NIOSSLContext {
        identity.withLock { $0.context }
    }

    /// When the certificate for the next connection expires, in Unix seconds; the server's own, not the intermediate ones.
    package var expiresAt: Int64 {
        identity.withLock { $0.expiresAt }
    }

    /// Many times what a long chain takes.
    private static let limit = 1 << 20

    private static func pem(_ path: String, isSecret: Bool) throws -> [UInt8] {
        let file = try CheckedFile(path)
        if isSecret {
            try file.checkIsSecret()
        }
        return try file.bytes(limit: limit)
    }

    private static func reason(_ error: any Error) -> String {
        switch error as? CheckedFile.Problem {
        case .unreadable(let reason): reason
        case .openToOthers(let mode): "it can be read by others (mode \(mode)); make it 0600"
        case nil: "\(error)"
        }
    }

    private static func makeIdentity(
        certificateFile: String,
        keyFile: String
    ) throws(IngressError) -> Identity {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(try pem(certificateFile, isSecret: false))
        } catch {
            throw .unusableCertificate(file: certificateFile, reason: reason(error))
        }
        guard let certificate = chain.first else {
            throw .unusableCertificate(file: certificateFile, reason: "it holds none")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: try pem(keyFile, isSecret: true), format: .pem)
        } catch {
            throw .unusableKey(file: keyFile, reason: reason(error))
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // A client that does not answer the closing alert is cut off; it has its answers by then.
        configuration.shutdownTimeout = .seconds(1)
        do {
            return Identity(
                context: try NIOSSLContext(configuration: configuration), expiresAt: Int64(certificate.notValidAfter))
        } catch {
            throw .unusableIdentity(certificateFile: certificateFile, keyFile: keyFile, reason: "\(error)")
        }
    }
}
