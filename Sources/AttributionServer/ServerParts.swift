import Attribution
import AttributionConsole
import AttributionExplaining
import AttributionForwarding
import AttributionIngest
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import SQLiteStore

/// What a server's services share, and the ways to make each service.
struct ServerParts: Sendable {
    /// What only a server with a store has.
    struct Recording: Sendable {
        let storage: ServerStorage
        let ingestor: Ingestor
        let explainer: PostbackExplainer
        let maintenance: StoreMaintenance
        let appleKeys: AppleKeysInUse
        /// Nil for a server that forwards nothing.
        let forwarder: Forwarder?
    }

    let configuration: ServerConfiguration
    let metrics: PrometheusMetrics
    let logger: Logger
    let onEvent: @Sendable (Server.Event) -> Void
    let started = Date()
    let trustedProxies: TrustedProxies
    let publicRoutes: PublicRoutes
    let testKeys: [SignaturePublicKey]
    let budget: ConnectionBudget
    let tls: IngressTLS?
    let access: AccessControl?
    let signer: CurrentSigner?
    let externalSigners: ExternalSigners
    let references: CurrentReferences?
    /// Nil for a server that only signs.
    let recording: Recording?
    let counts: SignedCounts?
    let signing: SigningService?
    let rate: DeliveryRate
    let sessions: ConsoleSessions
    let reportQueue = JobQueue()

    /// Reads every file, tries every address, and opens the store; then makes what the services share.
    init(
        _ configuration: ServerConfiguration,
        metrics: PrometheusMetrics,
        logger: Logger,
        onEvent: @escaping @Sendable (Server.Event) -> Void
    ) throws {
        (self.configuration, self.metrics, self.logger, self.onEvent) = (configuration, metrics, logger, onEvent)
        if let problem = configuration.problems.first { throw problem }
        // Invalid credentials are refused before anything is logged.
        let credentials = Credentials(reading: configuration, at: Date())
        if let problem = credentials.problems.first { throw problem.error }
        trustedProxies = try TrustedProxies(configuration.trustedProxies, field: configuration.forwardingField)
        publicRoutes = try PublicRoutes(postbackPaths: configuration.postbackPaths)
        let testKeys = try configuration.testKeys.map { try SignaturePublicKey(file: $0) }
        self.testKeys = testKeys
        let location = try configuration.store.map { try StoreLocation($0) }
        configuration.warnOfPlainListeners(logger)
        if let problem = configuration.listeningProblems.first { throw problem }
        try configuration.counts.map { try CountsFile($0).check() }
        let events = StoreEventLog(logger: logger)
        var storage = try location.map { try ServerStorage(opening: $0, configuration, onEvent: events.note) }

        let networks = configuration.networks.isEmpty ? "all" : configuration.networks.joined(separator: ",")
        logger.notice(
            "starting", metadata: ["version": "\(configuration.programVersion)", "networks": "\(networks)"])
        if location != nil, configuration.networks.isEmpty {
            logger.warning(
                "every network's postbacks count as ours, and so do Apple's published samples: give --network ID")
        }
        budget = ConnectionBudget(
            descriptors: configuration.descriptors, signing: configuration.signing == nil ? 0 : 1_024)
        budget.warn(of: configuration.descriptors, logger)
        credentials.log(to: logger)
        tls = credentials.identity.map { IngressTLS($0) }
        if let file = configuration.tokens, let tokens = credentials.tokens {
            access = AccessControl(
                file: AccessFile(file), reading: tokens, perSecond: configuration.tokenRate, logger: logger)
        } else {
            access = nil
        }
        let verifier = try location.map { _ in try Self.makeVerifier(testKeys, credentials.appleKeys, logger) }
        signer = credentials.signer.map { CurrentSigner($0.prepared(logger)) }
        references = credentials.references.map { CurrentReferences($0) }
        if let storage, storage.isNew {
            logger.warning(
                "there was no store, so a new one was made: it knows nothing of what was counted before",
                metadata: ["store": "\(storage.location.name)"])
        }
        if let location {
            logger.notice(
                "store opened",
                metadata: ["store": "\(location.name)", "sqlite": "\(SQLiteLedgerReader.sqliteVersion)"])
        }
        let externalSigners = ExternalSigners(logger: logger, metricsFactory: metrics)
        self.externalSigners = externalSigners
        let requestSignatures: RequestSignatures = { externalSigners.request($0, answer: $1) }
        if let signer {
            try storage?.openWebAds(signer, requestSignatures, logger, onEvent: events.note)
            externalSigners.use(signer.signer.externalKeys)
        }
        if let storage, let verifier {
            let appleKeys = AppleKeysInUse(
                verifier, ledger: storage.ledger, warnings: credentials.appleKeys?.warnings ?? [], logger: logger)
            let explainer = PostbackExplainer(
                verifier: verifier, networks: signer?.signer.networks.map(\.adNetworkID.text) ?? [])
            let forwarder = try credentials.destinations.map {
                Forwarder(
                    $0, reader: try storage.ledger.makeReader(), writer: storage.destinations,
                    verifier: { appleKeys.verifier }, logger: logger, metricsFactory: metrics)
            }
            recording = Recording(
                storage: storage,
                ingestor: Ingestor(
                    verifier: verifier, ledger: storage.ledger, explainer: explainer,
                    answeringTogether: Ingress.answerTogether, logger: logger, metricsFactory: metrics),
                explainer: explainer, maintenance: StoreMaintenance(ledger: storage.ledger, verifier: verifier),
                appleKeys: appleKeys, forwarder: forwarder)
        } else {
            recording = nil
        }
        if let address = configuration.signing, let signer {
            let isSocket = if case .socket = address { true } else { false }
            let destination =
                configuration.counts.map { SignedCounts.Destination.file($0) } ?? storage.map { .store($0.ledger) }
            counts = destination.map { SignedCounts($0, at: .now, logger: logger) }
            signing = SigningService(
                signer: signer, access: access, isSocket: isSocket, counts: counts,
                requestSignatures: requestSignatures, logger: logger, metricsFactory: metrics)
        } else {
            (counts, signing) = (nil, nil)
        }
        rate = DeliveryRate(metrics)
        sessions = ConsoleSessions(isSecure: !configuration.console.isLoopback)
    }

    private static func makeVerifier(
        _ testKeys: [SignaturePublicKey], _ appleKeys: AppleKeySet?, _ logger: Logger
    ) throws -> PostbackVerifier {
        for key in testKeys {
            logger.notice(
                "test key trusted; postbacks it verifies are counted separately",
                metadata: ["curve": "\(key.curve.displayName)", "fingerprint": "SHA256:\(key.fingerprint)"])
        }
        let verifier = try PostbackVerifier(testKeys: testKeys, added: appleKeys?.records ?? [])
        prepareTables("verifying", logger) { try verifier.prepareTables() }
        return verifier
    }

    /// The tables only save time: without them everything is still verified.
    fileprivate static func prepareTables(_ purpose: String, _ logger: Logger, _ prepare: () throws -> Void) {
        do {
            try prepare()
        } catch {
            logger.error("\(purpose) with OpenSSL alone, many times slower", error: error)
        }
    }

    /// Reads files again on SIGHUP.
    func makeReload() -> ReloadService {
        ReloadService(
            configuration: configuration, tls: tls, access: access, signer: signer, externalSigners: externalSigners,
            references: references, appleKeys: recording?.appleKeys, forwarder: recording?.forwarder, logger: logger)
    }

    /// Does what is due every second, and prepares the store for the stop.
    func makeHeartbeat() -> HeartbeatService {
        let certificate = tls.map { CertificateWatch($0, logger: logger) }
        certificate?.look(at: Date(), instant: .now)
        let memory = FreedMemory()
        return HeartbeatService { [self] in
            certificate?.look(at: Date(), instant: .now)
            access?.saveUses(at: .now)
            rate.note(at: .now)
            memory.giveBack(at: .now)
            recording?.storage.heartbeat()
            recording?.appleKeys.heartbeat()
            counts?.heartbeat(at: .now)
        } onStop: { [recording] in
            recording?.storage.prepareToClose()
        }
    }
}

extension NetworkSigner {
    /// A signer with tables that let it verify its own signatures in a third of the time, if they can be made.
    func prepared(_ logger: Logger) -> NetworkSigner {
        var signer = self
        ServerParts.prepareTables("checking own signatures", logger) { try signer.prepareTables() }
        return signer
    }
}
