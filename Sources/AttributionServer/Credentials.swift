import Attribution
package import AttributionConsole
package import AttributionForwarding
package import AttributionListener
package import AttributionReports
package import AttributionSigning
package import Foundation
import Logging
import Platform

/// The files a server reads at startup and again on SIGHUP: certificate, tokens, Apple's added keys, signing keys,
/// schemas, campaigns and destinations.
///
/// Everything is read before anything is used, so that a server never mixes old and new ones.
package struct Credentials: Sendable {
    /// Why one of them cannot be used.
    package struct Problem: Error {
        /// What it is called in logs.
        package let part: String
        package let error: any Error
    }

    /// The TLS identity; nil for plain HTTP.
    package let identity: TLSIdentity?
    /// The list of tokens; nil for a console without access control.
    package let tokens: AccessFile.Reading?
    /// The keys added to Apple's; nil for a server that has only the built-in ones.
    package let appleKeys: AppleKeySet?
    /// The list of keys, and the signer of its active ones; nil for a server that signs nothing.
    package let keys: NetworkKeySet?
    package let signer: NetworkSigner?
    /// What reports need to know besides the store; nil for a server without such files.
    package let references: ReportReferences?
    /// Where postbacks are forwarded; nil for a server that forwards nothing.
    package let destinations: [Destination]?
    /// What cannot be used; the corresponding property is nil.
    package let problems: [Problem]

    /// Reads every file that a configuration names; the certificate must be valid now.
    package init(reading configuration: ServerConfiguration, at now: Date) {
        var problems: [Problem] = []
        func attempt<Value>(_ part: String, _ read: () throws -> Value) -> Value? {
            do {
                return try read()
            } catch let invalid as InvalidDocuments {
                problems += invalid.problems.map { Problem(part: part, error: $0) }
                return nil
            } catch {
                problems.append(Problem(part: part, error: error))
                return nil
            }
        }
        if let certificate = configuration.tlsCertificate, let key = configuration.tlsKey {
            identity = attempt("certificate") {
                try TLSIdentity(certificateFile: certificate, keyFile: key, now: now)
            }
        } else {
            identity = nil
        }
        tokens = configuration.tokens.flatMap { file in attempt("tokens") { try AccessFile(file).read() } }
        appleKeys = configuration.appleKeys.flatMap { file in
            attempt("Apple's keys") {
                // Test keys that cannot be read are a problem of their own.
                let testKeys = configuration.testKeys.compactMap { try? SignaturePublicKey(file: $0) }
                return try AppleKeySet(file: file, testKeys: testKeys)
            }
        }
        keys = configuration.signingKeys.flatMap { file in attempt("signing keys") { try NetworkKeySet(file: file) } }
        signer = keys.flatMap { keys in attempt("signing keys") { try NetworkSigner(keys) } }
        let schemas = attempt("schemas") { try ConversionSchemas(files: configuration.schemas) }
        let campaigns = attempt("campaigns") { try CampaignMap(files: configuration.campaigns) }
        references =
            configuration.schemas.isEmpty && configuration.campaigns.isEmpty
            ? nil
            : ReportReferences(
                schemas: schemas ?? ConversionSchemas(), campaigns: configuration.campaigns.isEmpty ? nil : campaigns)
        destinations = configuration.destinations.flatMap { file in
            attempt("destinations") { try DestinationFile(file: file).destinations }
        }
        self.problems = problems
    }

    /// Logs what was read at startup.
    func log(to logger: Logger) {
        if let identity {
            logger.notice("certificate read", metadata: ["end": "\(identity.notValidAfter.formatted(.iso8601))"])
            identity.warnOfChain(logger)
        }
        if let tokens {
            logger.notice("tokens read", metadata: ["count": "\(tokens.list.grants.count)"])
        }
        if let signer {
            let networks = signer.networks.map(\.adNetworkID.text).joined(separator: ",")
            logger.notice(
                "signing keys read", metadata: ["keys": "\(signer.fingerprints.count)", "networks": "\(networks)"])
        }
        if let references {
            logger.notice("schemas and campaigns read", metadata: references.counts)
        }
        if let destinations {
            logger.notice("destinations read", metadata: ["count": "\(destinations.count)"])
        }
    }
}

extension TLSIdentity {
    /// Warns of a chain that some clients will not accept.
    func warnOfChain(_ logger: Logger) {
        if let chainFault {
            logger.warning("\(chainFault.message)", metadata: ["hint": "\(chainFault.hint)"])
        }
    }
}

/// How many connections each listener may hold, given the process's limit of file descriptors.
///
/// A listener that runs out of descriptors cannot even close a new connection, and takes descriptors from the store; so
/// the sum of all connections stays below the limit.
package struct ConnectionBudget: Hashable, Sendable {
    /// For the store and its reports, event loops, listening sockets and the log.
    package static let reserve = 64

    /// The connections of the public listener.
    package let ingress: Int
    /// The connections of the public listener from one client.
    package let ingressPerAddress: Int
    package let console: Int
    /// The connections of the signing listener; 0 without one.
    package let signing: Int

    /// Divides the descriptors that the process may have open.
    ///
    /// - Parameters:
    ///   - descriptors: How many there are.
    ///   - signing: The connections of the signing listener when there are enough; 0 without one.
    package init(descriptors: Int, signing: Int = 0) {
        let limits = IngressLimits()
        let left = max(0, descriptors - Self.reserve)
        console = min(1_024, max(8, left / 5))
        let hot = left - left / 5
        self.signing = signing > 0 ? min(signing, max(8, hot / 2)) : 0
        ingress = min(limits.connections, max(8, hot - self.signing))
        // No single client may hold more than a quarter of a small number.
        ingressPerAddress = min(limits.connectionsPerAddress, max(1, ingress / 4))
    }

    /// The limits of the public listener within this budget.
    func limits(stopDeadline: Duration) -> IngressLimits {
        var limits = IngressLimits()
        limits.connections = ingress
        limits.connectionsPerAddress = ingressPerAddress
        limits.stopDeadline = stopDeadline
        return limits
    }

    /// The limits of the signing listener within this budget.
    ///
    /// Bidders are few, and each may hold half of the connections. Bodies are larger than postbacks, and not as many may
    /// arrive at one time.
    func signingLimits(stopDeadline: Duration) -> IngressLimits {
        var limits = IngressLimits()
        limits.bodyBytes = ImpressionBatch.bodyLimit
        limits.connections = signing
        limits.connectionsPerAddress = max(1, signing / 2)
        limits.requestsPerConnection = 1_000_000
        limits.answerDeadline = .seconds(10)
        limits.outboundBytes = 256 << 10
        limits.lingerBytes = 1 << 20
        limits.stopDeadline = stopDeadline
        return limits
    }

    /// The limits of the console within this budget.
    var consoleLimits: IngressLimits {
        var limits = IngressLimits.console
        limits.connections = console
        return limits
    }

    /// Warns when there are fewer connections than usual.
    func warn(of descriptors: Int, _ logger: Logger) {
        let usual = IngressLimits().connections
        if ingress < usual {
            logger.warning(
                "fewer connections than usual: raise the limit of open files",
                metadata: ["connections": "\(ingress)", "usual": "\(usual)", "open-files": "\(descriptors)"])
        }
    }
}
