import Attribution
import AttributionConsole
import AttributionForwarding
import AttributionListener
import AttributionReports
import AttributionSigning
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reads certificate, tokens, Apple's added keys, signing keys, schemas, campaigns and destinations again on SIGHUP,
/// and uses all of them or none.
///
/// The signal is trapped even when there is nothing to read: log rotation or a closed terminal must not end a server.
struct ReloadService: Service {
    let configuration: ServerConfiguration
    /// Those in use; nil for those the server was started without.
    let tls: IngressTLS?
    let access: AccessControl?
    let signer: CurrentSigner?
    let externalSigners: ExternalSigners
    let references: CurrentReferences?
    let appleKeys: AppleKeysInUse?
    let forwarder: Forwarder?
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            reload(at: Date())
        }
    }

    private func reload(at now: Date) {
        let readsAppleKeys = appleKeys != nil && configuration.appleKeys != nil
        if tls == nil, access == nil, signer == nil, references == nil, !readsAppleKeys, forwarder == nil {
            return logger.info("SIGHUP ignored: there is nothing to read again")
        }
        let fresh = Credentials(reading: configuration, at: now)
        guard fresh.problems.isEmpty else {
            for problem in fresh.problems {
                logger.error(
                    "nothing was reloaded: a file could not be read", error: problem.error,
                    metadata: ["part": "\(problem.part)"])
            }
            return
        }
        let freshVerifier: PostbackVerifier?
        do {
            freshVerifier = try fresh.appleKeys.flatMap { try appleKeys?.prepared($0) }
        } catch {
            return logger.error(
                "nothing was reloaded: a file could not be read", error: error, metadata: ["part": "Apple's keys"])
        }
        let freshSigner = fresh.signer.map { $0.prepared(logger) }
        let formerSigner = signer?.signer
        // Nothing below fails.
        if let tls, let identity = fresh.identity {
            tls.use(identity)
        }
        if let signer, let freshSigner {
            externalSigners.use(freshSigner.externalKeys)
            signer.use(freshSigner)
        }
        if let freshVerifier {
            appleKeys?.use(freshVerifier, warnings: fresh.appleKeys?.warnings ?? [])
        }
        if let references, let fresh = fresh.references {
            references.use(fresh)
            logger.notice("schemas and campaigns read again", metadata: fresh.counts)
        }
        if let forwarder, let destinations = fresh.destinations {
            forwarder.use(destinations)
            logger.notice("destinations read again", metadata: ["count": "\(destinations.count)"])
        }
        if let access, let tokens = fresh.tokens {
            // Logs the change itself.
            access.use(tokens)
        }
        if let identity = fresh.identity {
            logger.notice(
                "certificate read again", metadata: ["end": "\(identity.notValidAfter.formatted(.iso8601))"])
            identity.warnOfChain(logger)
        }
        if let freshSigner, let formerSigner {
            logger.notice("signing keys read again", metadata: Self.changes(from: formerSigner, to: freshSigner))
        }
    }

    /// The networks and keys that a new list adds and removes; empty changes are omitted.
    private static func changes(from former: NetworkSigner, to fresh: NetworkSigner) -> Logger.Metadata {
        let networks = [former, fresh].map { Set($0.networks.map(\.adNetworkID.text)) }
        let changes = [
            ("networks-added", networks[1].subtracting(networks[0])),
            ("networks-removed", networks[0].subtracting(networks[1])),
            ("keys-added", fresh.fingerprints.subtracting(former.fingerprints)),
            ("keys-removed", former.fingerprints.subtracting(fresh.fingerprints)),
        ]
        var metadata: Logger.Metadata = [
            "keys": "\(fresh.fingerprints.count)", "networks": "\(fresh.networks.count)",
        ]
        for (name, values) in changes where !values.isEmpty {
            metadata[name] = "\(values.sorted().joined(separator: ","))"
        }
        return metadata
    }
}

/// What reports know besides the store, which can be replaced while requests are answered.
final class CurrentReferences: Sendable {
    private let state: Mutex<ReportReferences>

    init(_ references: ReportReferences) {
        state = Mutex(references)
    }

    /// The references for a report; read once, so that all of it comes from the same files.
    var references: ReportReferences {
        state.withLock { $0 }
    }

    /// Replaces the references, from the next report on.
    func use(_ references: ReportReferences) {
        state.withLock { $0 = references }
    }
}

extension ReportReferences {
    /// How much there is, for the log.
    var counts: Logger.Metadata {
        ["schemas": "\(schemas.count)", "campaigns": "\(campaigns?.campaigns.count ?? 0)"]
    }
}
