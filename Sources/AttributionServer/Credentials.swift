import Attribution
package import AttributionAccess
package import AttributionListener
package import AttributionSigning
package import Foundation
import Logging

/// What a server reads from files at its start and again on SIGHUP: certificate, tokens and signing keys.
///
/// Everything is read before anything is used, so that a server has all of one generation or stays with the one before.
package struct Credentials: Sendable {
    /// Which of them, as logs call it.
    package enum Part: String, Sendable {
        case certificate
        case tokens
        case signingKeys = "signing keys"
    }

    /// Why one of them cannot be used.
    package struct Problem: Error {
        package let part: Part
        package let error: any Error
    }

    /// The TLS identity; nil for plain HTTP.
    package let identity: TLSIdentity?
    /// The list of tokens; nil for a console without access control.
    package let tokens: AccessFile.Reading?
    /// The list of keys, and the signer of its active ones; nil for a server that signs nothing.
    package let keys: NetworkKeySet?
    package let signer: NetworkSigner?
    /// What cannot be used; it is nil above.
    package let problems: [Problem]

    /// Reads every file that a server is told of.
    ///
    /// - Parameters:
    ///   - configuration: What the server is told.
    ///   - now: The present, in which the certificate must be valid.
    package init(reading configuration: ServerConfiguration, at now: Date) {
        var problems: [Problem] = []
        func attempt<Value>(_ part: Part, _ read: () throws -> Value) -> Value? {
            do {
                return try read()
            } catch {
                problems.append(Problem(part: part, error: error))
                return nil
            }
        }
        if let certificate = configuration.tlsCertificate, let key = configuration.tlsKey {
            identity = attempt(.certificate) {
                try TLSIdentity(certificateFile: certificate, keyFile: key, now: now)
            }
        } else {
            identity = nil
        }
        tokens = configuration.tokens.flatMap { file in attempt(.tokens) { try AccessFile(file).read() } }
        keys = configuration.signingKeys.flatMap { file in
            attempt(.signingKeys) { try NetworkKeySet(file: file) }
        }
        signer = keys.flatMap { keys in attempt(.signingKeys) { try NetworkSigner(keys) } }
        self.problems = problems
    }

    /// The same credentials, when all of them can be used.
    ///
    /// - Throws: The error of the first that cannot.
    func usable() throws -> Credentials {
        if let problem = problems.first {
            throw problem.error
        }
        return self
    }

    /// Says what was found at the start.
    func log(to logger: Logger) {
        if let identity {
            logger.notice("certificate read", metadata: ["end": "\(identity.notValidAfter.formatted(.iso8601))"])
        }
        if let tokens {
            logger.notice("tokens read", metadata: ["count": "\(tokens.list.grants.count)"])
        }
        if let signer {
            let networks = signer.networks.map(\.adNetworkID.text).joined(separator: ",")
            logger.notice(
                "signing keys read", metadata: ["keys": "\(signer.fingerprints.count)", "networks": "\(networks)"])
        }
    }
}
