package import FoundationEssentials
import NIOCore
package import NIOSSL
package import Platform
import Synchronization

/// A certificate chain with its private key, read from PEM files and ready to serve TLS 1.2 and 1.3.
package struct TLSIdentity: Sendable {
    /// The TLS context of connections; ALPN offers HTTP/1.1.
    package let context: NIOSSLContext
    /// When the certificate that expires first, of the server's own and the intermediate ones, begins to be valid.
    package let notValidBefore: Date
    /// What is wrong with the chain for clients that know less than this machine; the server serves it nevertheless.
    package let chainFault: CertificateChain.Fault?
    /// When clients stop accepting the chain: the first of its certificates expires then.
    package let notValidAfter: Date

    /// Many times the size of a long chain.
    private static let limit = 1 << 20
    /// Automatic renewal of a 90-day certificate is long overdue when this is left, in seconds.
    private static let warning: TimeInterval = 14 * 86_400
    /// How much later than now a certificate may begin to be valid, in seconds.
    ///
    /// A certificate is often installed within a minute of its issue, and the clocks of issuer and server differ.
    private static let clockDifference: TimeInterval = 5 * 60
    /// Forward secrecy only, as devices ask for; TLS 1.3 has nothing else.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES256:ECDHE+AES128"

    /// Reads PEM files: the server's certificate, then the intermediate ones; and the key, without a passphrase and
    /// readable by its owner only.
    ///
    /// Every certificate of the chain has to be valid, because devices accept none of it otherwise.
    package init(certificateFile: String, keyFile: String, now: Date) throws(IngressError) {
        let chain: [NIOSSLCertificate]
        var pem: [UInt8] = []
        do {
            pem = try Self.pem(certificateFile, isSecret: false)
            chain = try NIOSSLCertificate.fromPEMBytes(pem)
            chainFault = CertificateChain(pem: pem).fault()
        } catch {
            throw .unusableCertificate(
                file: certificateFile,
                reason: CertificateChain.damage(in: pem) ?? Self.reason(error, what: "certificate"))
        }
        let validities = chain.map { certificate in
            (
                start: Date(timeIntervalSince1970: Double(certificate.notValidBefore)),
                end: Date(timeIntervalSince1970: Double(certificate.notValidAfter))
            )
        }
        guard let first = validities.min(by: { $0.end < $1.end }) else {
            throw .unusableCertificate(file: certificateFile, reason: "it contains none")
        }
        (notValidBefore, notValidAfter) = first
        for (index, validity) in validities.enumerated() {
            guard now < validity.end else {
                throw .expiredCertificate(file: certificateFile, number: index + 1, end: validity.end)
            }
            guard validity.start.timeIntervalSince(now) <= Self.clockDifference else {
                throw .certificateNotYetValid(file: certificateFile, number: index + 1, start: validity.start)
            }
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: try Self.pem(keyFile, isSecret: true), format: .pem)
        } catch {
            throw .unusableKey(file: keyFile, reason: Self.reason(error, what: "private key"))
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = Self.ciphers
        configuration.applicationProtocols = ["http/1.1"]
        // A client that does not answer the close alert is cut off; it has its answers by then.
        configuration.shutdownTimeout = .milliseconds(100)
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            if case .wrongOrder? = chainFault, let chainFault {
                throw .faultyChain(file: certificateFile, chainFault)
            }
            throw .unusableIdentity(certificateFile: certificateFile, keyFile: keyFile, reason: "they do not match")
        }
    }

    /// Whether the certificate should have been renewed by now.
    package func endsSoon(at moment: Date) -> Bool {
        let lifetime = notValidAfter.timeIntervalSince(notValidBefore)
        return notValidAfter.timeIntervalSince(moment) < min(Self.warning, lifetime / 3)
    }

    private static func pem(_ path: String, isSecret: Bool) throws -> [UInt8] {
        let file = try CheckedFile(path)
        if isSecret {
            try file.checkIsSecret()
        }
        return try file.bytes(limit: limit)
    }

    private static func reason(_ error: any Error, what: String) -> String {
        switch error as? CheckedFile.Problem {
        case .unreadable(let reason): reason
        case .openToOthers(let mode), .changeableByOthers(let mode):
            "it can be read by others (mode \(mode)); make it 0600"
        case .ownedByAnother(let user):
            "it belongs to another user (uid \(user)); chown it to the user that skan runs as"
        // The library's own message would not help the operator.
        case nil: "it holds no \(what) in PEM"
        }
    }
}

/// The listeners' TLS identity, which can be replaced while they serve.
///
/// New connections take the identity current when they are accepted; open ones keep theirs.
package final class IngressTLS: Sendable {
    private let state: Mutex<TLSIdentity>

    /// Serves with an identity.
    package init(_ identity: TLSIdentity) {
        state = Mutex(identity)
    }

    /// Serves new connections with another identity.
    package func use(_ identity: TLSIdentity) {
        state.withLock { $0 = identity }
    }

    /// The identity in use.
    package var identity: TLSIdentity {
        state.withLock { $0 }
    }

    /// When clients stop accepting the certificate in use.
    package var notValidAfter: Date {
        identity.notValidAfter
    }
}
