import Attribution
package import AttributionConsole
import AttributionExplaining
import AttributionIngest
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
package import Logging
import Platform
import PostgreSQLStore
import SQLiteStore
import ServiceLifecycle
package import UnixSignals

/// The listeners over one store: the public one, which answers 200 after the commit, the one that signs, and the console.
///
/// Without a store it signs and nothing else.
package struct Server: Sendable {
    /// A listener accepts connections at an address.
    package enum Event: Sendable {
        case listening(ListenAddress)
        case signingListening(SigningAddress)
        case consoleListening(ListenAddress)
    }

    private let services: [any Service]
    private let storage: ServerStorage?
    private let counts: SignedCounts?
    private let access: AccessControl?
    private let logger: Logger

    /// One second less than the whole stop may take: accepted postbacks must still be recorded and answered.
    private static let listenerStop = Duration.seconds(4)
    /// Signing takes milliseconds, and the public listener stops after it.
    private static let signingStop = Duration.seconds(1)
    /// How long a stop may take.
    package static let stopBound = Duration.seconds(5)

    /// Loads keys, tokens and certificate, tries all addresses, and opens the store.
    ///
    /// The store comes last: a server that cannot start leaves none behind, and changes none.
    ///
    /// - Throws: ``ServerConfiguration/Problem``, or the problem of a file or an address it needs.
    package init(
        _ configuration: ServerConfiguration,
        metrics: PrometheusMetrics,
        logger: Logger,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws {
        try configuration.check()
        // Invalid credentials are refused before anything is logged.
        let credentials = try Credentials(reading: configuration, at: Date()).usable()
        let trustedProxies = try TrustedProxies(configuration.trustedProxies, field: configuration.forwardingField)
        let testKeys = try configuration.testKeys.map { try SignaturePublicKey(file: $0) }
        let events = StoreEventLog(logger: logger)
        let given = try configuration.store.map { try StoreLocation($0) }
        Self.warnOfPlainListeners(configuration, logger)
        if let problem = Self.listeningProblems(configuration).first {
            throw problem
        }
        try configuration.counts.map { try CountsFile($0).check() }
        var storage = try given.map { try ServerStorage(opening: $0, configuration, onEvent: events.note) }
        let networks = configuration.networks.isEmpty ? "all" : configuration.networks.joined(separator: ",")
        logger.notice(
            "starting", metadata: ["version": "\(configuration.programVersion)", "networks": "\(networks)"])
        let budget = ConnectionBudget(
            descriptors: configuration.descriptors, signing: configuration.signing == nil ? 0 : 1_024)
        budget.warn(of: configuration.descriptors, logger)
        credentials.log(to: logger)
        let tls = credentials.identity.map { IngressTLS($0) }
        let access = Self.access(configuration, credentials.tokens, logger)
        self.access = access
        let verifier = try storage.map { _ in try Self.verifier(testKeys, logger) }
        let signer = credentials.signer.map { CurrentSigner(Self.prepared($0, logger)) }
        let references = credentials.references.map { CurrentReferences($0) }
        if let given {
            logger.notice(
                "store opened",
                metadata: ["store": "\(given.name)", "sqlite": "\(SQLiteLedgerReader.sqliteVersion)"])
        }
        let externalSigners = ExternalSigners(logger: logger, metricsFactory: metrics)
        if let signer, let store = storage?.location {
            storage?.webAds = try WebAds(
                store: store, signer: signer, requestSignatures: { externalSigners.request($0, answer: $1) },
                logger: logger, onEvent: events.note)
        }
        let destination =
            configuration.counts.map { SignedCounts.Destination.file($0) }
            ?? storage.map { .store($0.ledger) }
        let counts =
            configuration.signing == nil ? nil : destination.map { SignedCounts($0, at: .now, logger: logger) }
        self.counts = counts
        self.storage = storage
        self.logger = logger
        let signing = Self.signing(
            configuration, signer, externalSigners, access, counts,
            budget.signingLimits(stopDeadline: Self.signingStop), tls,
            trustedProxies, metrics, logger, onEvent)
        let explainer = verifier.map { verifier in
            PostbackExplainer(
                verifier: verifier, networks: signer?.signer.networks.map(\.adNetworkID.text) ?? [])
        }
        var ingestor: Ingestor?
        if let storage, let verifier {
            ingestor = Ingestor(
                verifier: verifier, ledger: storage.ledger, explainer: explainer,
                answeringTogether: Ingress.answerTogether, logger: logger, metricsFactory: metrics)
        }
        let metricsRoutes = MetricsRoutes(
            metrics,
            collectors: Self.collectors(configuration, storage, ingestor, signing?.service, externalSigners, tls))
        let maintenance = storage.flatMap { storage in
            verifier.map { StoreMaintenance(ledger: storage.ledger, verifier: $0) }
        }
        let queue = JobQueue()
        let routes = Self.routes(
            configuration, storage, explainer, maintenance, signer, externalSigners, references, metricsRoutes, queue,
            logger)
        let rate = DeliveryRate(metrics)
        let sessions = ConsoleSessions(isSecure: !configuration.console.isLoopback)
        var pages: [any ConsoleRoutes] = []
        if let storage, let maintenance, let explainer, let ingestor {
            let sources = Self.pageSources(
                configuration, storage.reader, maintenance, explainer, references,
                health: Self.health(storage, ingestor, tls, externalSigners, metrics, rate),
                keys: Self.keys(testKeys, signer))
            pages = [PageRoutes(sources, access: access, sessions: sessions, queue: queue, logger: logger)]
        }
        let console = Console(
            routes: routes + pages,
            access: access,
            sessions: sessions,
            address: .port(host: configuration.console.host, port: configuration.console.port),
            tls: configuration.consoleScheme == "https" ? tls : nil,
            trustedProxies: trustedProxies,
            limits: budget.consoleLimits,
            logger: logger,
            metricsFactory: metrics,
            onListening: { bound in
                let address = ListenAddress(
                    host: configuration.console.host, port: bound.port ?? configuration.console.port)
                logger.notice(
                    "listening for the console",
                    metadata: ["address": "\(address)", "scheme": "\(configuration.consoleScheme)"])
                onEvent(.consoleListening(address))
            }
        )
        let certificate = tls.map { CertificateWatch($0, logger: logger) }
        certificate?.look(at: Date(), instant: .now)
        let heartbeat = HeartbeatService { [storage] in
            certificate?.look(at: Date(), instant: .now)
            access?.saveUses(at: .now)
            rate.note(at: .now)
            storage?.ledger.heartbeat()
            storage?.webAds?.heartbeat()
            counts?.heartbeat(at: .now)
        } onStop: { [storage] in
            storage?.ledger.prepareToClose()
            storage?.webAds?.prepareToClose()
        }
        // Stopped in reverse order, one after another: no more requests, then no more batches, then the file is closed.
        var services: [any Service] = [externalSigners]
        if let ingestor { services.append(ingestor) }
        if let responder = storage?.webAds?.responder { services.append(responder) }
        // Commands on a database change it themselves.
        if case .file(let path)? = storage?.location {
            services.append(
                ConsoleSocket(routes: routes, store: path, logger: logger, metricsFactory: metrics))
        }
        services.append(console)
        if let storage, let ingestor, let given {
            services.append(
                Self.ingress(
                    configuration, given, ingestor, storage.webAds?.responder,
                    budget.limits(
                        stopDeadline: signing == nil ? Self.listenerStop : Self.listenerStop - Self.signingStop),
                    tls, trustedProxies, metrics, logger, onEvent))
        }
        if let listener = signing?.listener {
            services.append(SigningListener(ingress: listener, counts: counts))
        }
        services.append(
            ReloadService(
                configuration: configuration, tls: tls, access: access, signer: signer,
                externalSigners: externalSigners, references: references, logger: logger))
        services.append(heartbeat)
        self.services = services
        if let signer { externalSigners.use(signer.signer.externalKeys) }
    }

    /// Serves until a graceful shutdown.
    ///
    /// - Throws: The error of a service that failed, which stops the others too.
    package func run(stoppingOn signals: [UnixSignal] = []) async throws {
        // The error of a service is thrown here; the library's lines about it are not meant for an operator.
        let silent = Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: signals, logger: silent)
        configuration.maximumGracefulShutdownDuration = Self.stopBound
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Writes what was counted and closes the store, after ``run(stoppingOn:)``.
    ///
    /// - Returns: Whether the store was closed; false when it must not be touched, not even to close it: its files were
    ///   removed or have another owner, and the process has to exit at once.
    /// - Throws: An error of SQLite.
    package func close() throws -> Bool {
        access?.saveUses(at: nil)
        if counts?.write() == false {
            logger.error("what was signed since the last write is not counted, and is lost")
        }
        return try storage?.close(logger) ?? true
    }
}
