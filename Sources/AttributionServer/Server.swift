import Attribution
import AttributionAccess
package import AttributionConsole
import AttributionIngest
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
import BoundedLogging
import Foundation
package import Logging
import PostgreSQLStore
import SQLiteStore
import ServiceLifecycle
package import UnixSignals

/// Both listeners over one store: the public listener, which answers 200 after the commit, and the console.
package struct Server: Sendable {
    /// A listener accepts connections at an address.
    package enum Event: Sendable {
        case listening(ListenAddress)
        case consoleListening(ListenAddress)
    }

    private let services: [any Service]
    private let ledger: any LedgerWriting
    private let reader: any LedgerReading
    private let store: StoreLocation
    private let webAds: WebAds?
    private let access: AccessControl?
    private let logger: Logger

    /// One second less than the whole stop may take: accepted postbacks must still be recorded and answered.
    private static let listenerStop = Duration.seconds(4)
    /// How long a stop may take.
    package static let stopBound = Duration.seconds(5)

    /// Loads keys, tokens and certificate, tries both addresses, and opens the store.
    ///
    /// The store comes last: a server that cannot start leaves none behind, and changes none.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - metrics: The metrics that the console shows; should be the process's metrics system.
    ///   - logger: Receives its log.
    ///   - onEvent: Called with events, on any thread.
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
        let given = try StoreLocation(configuration.store)
        Self.warnOfPlainConsole(configuration, logger)
        if let problem = Self.listeningProblems(configuration).first {
            throw problem
        }
        let ledger = try given.makeWriter(
            settings: LedgerSettings(networks: OwnNetworks(configuration.networks)),
            requiresSynchronous: configuration.requiresSynchronous, onEvent: events.note)
        self.ledger = ledger
        // With links resolved, for what lies beside a file.
        store = if case .file = given { .file(ledger.name) } else { given }
        let networks = configuration.networks.isEmpty ? "all" : configuration.networks.joined(separator: ",")
        logger.notice(
            "starting", metadata: ["version": "\(configuration.programVersion)", "networks": "\(networks)"])
        let budget = ConnectionBudget(descriptors: configuration.descriptors)
        budget.warn(of: configuration.descriptors, logger)
        credentials.log(to: logger)
        let tls = credentials.identity.map { IngressTLS($0) }
        let access = Self.access(configuration, credentials.tokens, logger)
        self.access = access
        let verifier = try Self.verifier(testKeys, logger)
        let signer = credentials.signer.map { CurrentSigner(Self.prepared($0, logger)) }
        logger.notice(
            "store opened",
            metadata: ["store": "\(given.name)", "sqlite": "\(SQLiteLedgerReader.sqliteVersion)"])
        reader = try ledger.makeReader()
        webAds = try signer.map { [store] in
            try WebAds(store: store, signer: $0, logger: logger, onEvent: events.note)
        }
        self.logger = logger
        let ingestor = Ingestor(
            verifier: verifier, ledger: ledger, answeringTogether: Ingress.answerTogether, logger: logger,
            metricsFactory: metrics)
        let ingress = Ingress(
            host: configuration.listen.host,
            port: configuration.listen.port,
            threads: configuration.threads,
            routes: PublicRoute.all,
            limits: budget.limits(stopDeadline: Self.listenerStop),
            tls: tls,
            trustedProxies: trustedProxies,
            logger: logger,
            metricsFactory: metrics,
            now: { Date() },
            onListening: { _, port in
                let address = ListenAddress(host: configuration.listen.host, port: port)
                logger.notice(
                    "listening for postbacks",
                    metadata: [
                        "address": "\(address)", "scheme": "\(configuration.listenScheme)",
                        "store": "\(given.name)",
                    ])
                onEvent(.listening(address))
            },
            handler: Self.handler(ingestor, webAds?.responder, metrics)
        )
        let metricsRoutes = MetricsRoutes(
            metrics, collectors: Self.collectors(configuration, store, ledger, ingestor, tls))
        let queue = ReportQueue()
        let maintenance = StoreMaintenance(ledger: ledger, verifier: verifier)
        let routes = Self.routes(
            configuration, ledger, reader, verifier, maintenance, signer, webAds, metricsRoutes, queue, logger)
        let rate = DeliveryRate(metrics)
        let sessions = ConsoleSessions(isSecure: !configuration.console.isLoopback)
        let pages = PageRoutes(
            Self.pageSources(
                configuration, reader, maintenance,
                health: Self.health(store, ledger, webAds, ingestor, tls, metrics, rate),
                keys: Self.keys(testKeys, signer)),
            access: access, sessions: sessions, queue: queue, logger: logger)
        let console = Console(
            routes: routes + [pages],
            access: access,
            sessions: sessions,
            host: configuration.console.host,
            port: configuration.console.port,
            tls: configuration.consoleScheme == "https" ? tls : nil,
            trustedProxies: trustedProxies,
            limits: budget.consoleLimits,
            logger: logger,
            metricsFactory: metrics,
            onListening: { port in
                let address = ListenAddress(host: configuration.console.host, port: port)
                logger.notice(
                    "listening for the console",
                    metadata: ["address": "\(address)", "scheme": "\(configuration.consoleScheme)"])
                onEvent(.consoleListening(address))
            }
        )
        let certificate = tls.map { CertificateWatch($0, logger: logger) }
        certificate?.look(at: Date(), instant: .now)
        let heartbeat = HeartbeatService { [ledger, webAds] in
            certificate?.look(at: Date(), instant: .now)
            access?.saveUses(at: .now)
            rate.note(at: .now)
            ledger.heartbeat()
            webAds?.heartbeat()
        } onStop: { [ledger, webAds] in
            ledger.prepareToClose()
            webAds?.prepareToClose()
        }
        // Stopped in reverse order: no more requests, then no more batches, then the file is closed.
        var services: [any Service] = [ingestor]
        if let webAds { services.append(webAds.responder) }
        // Commands on a database change it themselves.
        if case .file(let path) = store {
            services.append(
                ConsoleSocket(routes: routes, store: path, logger: logger, metricsFactory: metrics))
        }
        services += [console, ingress] as [any Service]
        services.append(
            ReloadService(configuration: configuration, tls: tls, access: access, signer: signer, logger: logger))
        services.append(heartbeat)
        self.services = services
    }

    /// Serves until a graceful shutdown.
    ///
    /// - Parameter signals: The signals that begin one.
    /// - Throws: The error of a service that failed, which stops the others too.
    package func run(stoppingOn signals: [UnixSignal] = []) async throws {
        // The error of a service is thrown here; the library's lines about it are not meant for an operator.
        let silent = Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: signals, logger: silent)
        configuration.maximumGracefulShutdownDuration = Self.stopBound
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Closes the store, after ``run(stoppingOn:)``.
    ///
    /// - Returns: Whether the store was closed; false when it must not be touched, not even to close it: its files were
    ///   removed or have another owner, and the process has to exit at once.
    /// - Throws: An error of SQLite.
    package func close() throws -> Bool {
        access?.saveUses(at: nil)
        reader.close()
        // The store is closed even if closing the web ads fails.
        let closedAds = Result { try webAds?.close() }
        let endings = [try ledger.close(), try closedAds.get()].compactMap(\.self)
        for case .logLeft(let reason) in endings {
            logger.warning(
                "the write-ahead log remains: keep the -wal file beside the store",
                metadata: ["store": "\(store.name)", "reason": "\(reason)"])
        }
        if case .file(let path) = store, endings.allSatisfy({ $0 == .whole }) {
            logger.info("store closed: a single file", metadata: ["store": "\(path)"])
        }
        guard !endings.contains(.abandoned) else {
            logger.error(
                "stopped without closing the store: its files were removed, or it has another owner",
                metadata: ["store": "\(store.name)"])
            return false
        }
        return true
    }
}
