import ArgumentParser
import Attribution
import AttributionHTTP
import AttributionIngest
import AttributionReports
import AttributionSigning
import AttributionStore
import BoundedLogging
import Configuration
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Receive postbacks over HTTP and record them.",
        discussion: """
            Answers 200 only after the postback is on disk. Settings come from the flags, else from SKAN_LISTEN, \
            SKAN_CONSOLE, SKAN_STORE, SKAN_SIGNING_KEYS, SKAN_NETWORK, SKAN_TRUST_TEST_KEY and SKAN_TRUSTED_PROXY \
            (comma-separated), SKAN_FORWARDING_FIELD, SKAN_TLS_CERTIFICATE, SKAN_TLS_KEY and SKAN_LOG_LEVEL. SIGTERM and SIGINT \
            finish what was accepted, within 5 seconds; what holds the end up longer is given up with status 2, and \
            nothing answered is lost. SIGHUP reads certificate and tokens again. The console has SKAN_TOKENS, SKAN_SIGN_RATE and SKAN_CONSOLE_PLAIN_HTTP (true) \
            too.
            """
    )

    @Option(help: "HOST:PORT for devices (default 127.0.0.1:8080; port 0 takes a free one).")
    var listen: ListenAddress?

    @Option(help: "HOST:PORT for health, reports and signing (default 127.0.0.1:8081); off loopback with --tokens.")
    var console: ListenAddress?

    @Option(
        help:
            "List of tokens (skan tokens create): all of the console but /healthz, /readyz and /openapi.yaml needs one."
    )
    var tokens: String?

    @Option(help: "Requests a second each token may be used for (default 5000).")
    var signRate: Int?

    @Flag(help: "Off loopback, let the console do without TLS: a proxy before it has it.")
    var consolePlainHttp = false

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store's file, made when it does not exist (or SKAN_STORE).")
    var store: String?

    @Option(
        name: .customLong("network"), parsing: .singleValue,
        help: "Ad network id that is ours; may be repeated. Postbacks of others are counted apart (report --foreign).")
    var networks: [String] = []

    @OptionGroup var testKeys: TestKeyOptions

    @Option(help: "List of the networks' keys (JSON), with which impressions are signed on request.")
    var signingKeys: String?

    @Option(help: "PEM file with the TLS certificate chain; read again on SIGHUP. Without it, plain HTTP.")
    var tlsCertificate: String?

    @Option(help: "PEM file with the certificate's private key.")
    var tlsKey: String?

    @Option(
        name: .customLong("trusted-proxy"), parsing: .singleValue,
        help: "Address or network (10.0.0.0/8) of a proxy that names its clients; may be repeated.")
    var trustedProxies: [String] = []

    @Option(help: "The one field in which proxies name clients: x-forwarded-for or forwarded.")
    var forwardingField: ForwardingField?

    @Option(help: "trace, debug (a line a request), info, notice, warning, error or critical.")
    var logLevel: String?

    func run() async throws {
        let settings = try ServeSettings(self, environment: ConfigReader(provider: EnvironmentVariablesProvider()))
        // Until the services trap it: a closed terminal is no reason to end.
        signal(SIGHUP, SIG_IGN)
        let log = BoundedLog()
        defer { log.flush(within: .milliseconds(500)) }
        let logger = try Self.logger(level: settings.logLevel, log)
        let descriptors = DescriptorLimit.raise()
        var limits = IngressLimits()
        let budget = ConnectionBudget(descriptors: descriptors, limits: limits)
        if budget.ingress < limits.connections {
            logger.warning(
                "fewer connections than usual: raise the limit of open files",
                metadata: [
                    "connections": "\(budget.ingress)", "usual": "\(limits.connections)",
                    "open-files": "\(descriptors)",
                ])
        }
        limits.connections = budget.ingress
        limits.connectionsPerAddress = budget.ingressPerAddress
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        let access = try settings.access(logger: logger)
        let keys = try settings.testKeys.map { try SignaturePublicKey(file: $0) }
        for key in keys {
            logger.notice(
                "test key trusted; what it verifies is counted apart",
                metadata: ["curve": "\(key.curve.displayName)", "fingerprint": "SHA256:\(key.fingerprint)"])
        }
        let verifier = try PostbackVerifier(testKeys: keys)
        prepareTables("verifying", logger) { try verifier.prepareTables() }
        var signer = try settings.signingKeys.map { try NetworkSigner(try NetworkKeySet(file: $0)) }
        prepareTables("checking own signatures", logger) { try signer?.prepareTables() }
        let events = StoreEventLog(logger: logger)
        let ledger = try LedgerWriter(
            path: settings.store, settings: LedgerSettings(networks: OwnNetworks(settings.networks)),
            onEvent: events.note)
        logger.notice(
            "store opened",
            metadata: ["store": "\(settings.store)", "sqlite": "\(LedgerReader.sqliteVersion)"])
        let webAds = try signer.map {
            try WebAds(store: ledger.path, signer: $0, logger: logger, onEvent: events.note)
        }
        let ingestor = Ingestor(
            verifier: verifier, ledger: ledger, answeringTogether: Ingress.answerTogether, logger: logger)
        // One second less than the whole stop may take: what was accepted must be recorded and answered too.
        limits.stopDeadline = .seconds(4)
        let tls = try settings.tls()
        let trustedProxies = try TrustedProxies(settings.trustedProxies, field: settings.forwardingField)
        let ingress = Ingress(
            host: settings.listen.host,
            port: settings.listen.port,
            threads: max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
            limits: limits,
            tls: tls,
            trustedProxies: trustedProxies,
            logger: logger,
            now: { Date() },
            onListening: { _, port in
                let address = ListenAddress(host: settings.listen.host, port: port)
                logger.notice(
                    "listening for postbacks", metadata: ["address": "\(address)", "store": "\(settings.store)"])
            },
            handler: { request, answer in
                let receivedAt = Int64(request.receivedAt.timeIntervalSince1970 * 1000)
                switch request.route.purpose {
                case .delivery(let recipient):
                    ingestor.submit(
                        request.body, recipient: recipient, client: request.client, receivedAtMilliseconds: receivedAt
                    ) {
                        answer(IngressAnswer($0))
                    }
                case .webAdTap:
                    guard let webAds else { return answer(IngressAnswer(WebAdOutcome.noSigningKeys)) }
                    webAds.responder.submit(request.body, receivedAtMilliseconds: receivedAt) {
                        answer(IngressAnswer($0))
                    }
                }
            }
        )
        let reader = try LedgerReader(settings.store)
        let reporter = Reporter(reader, programVersion: Skan.version)
        let routes: [any ConsoleRoutes] = [
            HealthRoutes(readiness: { ledger.health.reason ?? webAds?.health.reason }),
            APIDescriptionRoutes(),
            ReportRoutes(logger: logger) { try await reporter.report($0, limits: $1) },
            MetricsRoutes(metrics),
            WebAdRoutes(issuer: webAds?.issuer, logger: logger),
            SigningRoutes(signer: signer, logger: logger),
            StoreRoutes(
                reader: reader, maintenance: StoreMaintenance(ledger: ledger, verifier: verifier), logger: logger),
        ]
        let console = Console(
            routes: routes,
            access: access,
            host: settings.console.host,
            port: settings.console.port,
            tls: settings.console.isLoopback ? nil : tls,
            trustedProxies: trustedProxies,
            connections: budget.console,
            logger: logger,
            onListening: { port in
                let address = ListenAddress(host: settings.console.host, port: port)
                logger.notice("listening for the console", metadata: ["address": "\(address)"])
            }
        )
        // Stopped from the last to the first: no more requests, then no more batches, then the file is closed.
        var services: [any Service] = [ingestor]
        if let webAds { services.append(webAds.responder) }
        let socket = ConsoleSocket(routes: routes, store: ledger.path, logger: logger)
        services += [socket, console, ingress] as [any Service]
        services.append(ReloadService(reloadables: Self.reloadables(tls: tls, access: access, logger), logger: logger))
        services.append(
            HeartbeatService {
                ledger.heartbeat()
                webAds?.heartbeat()
            } onStop: {
                ledger.prepareToClose()
                webAds?.prepareToClose()
            })
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Self.quiet(logger)
        )
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        let deadline = StopDeadline(log: log, logger: logger)
        // Also after a service that failed: closing the store may take as long then.
        defer { deadline.arm() }
        var failure: (any Error)?
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            failure = error
        }
        deadline.arm()
        reader.close()
        try close(webAds, ledger, settings, logger, log)
        if let failure {
            throw failure
        }
        logger.notice("stopped")
    }

    /// Leaves whole files, or says what is left beside them; what must not be closed ends the process at once.
    private func close(
        _ webAds: WebAds?,
        _ ledger: LedgerWriter,
        _ settings: ServeSettings,
        _ logger: Logger,
        _ log: BoundedLog
    ) throws {
        // The store is closed whatever becomes of the web ads.
        let closedAds = Result { try webAds?.close() }
        let endings = [try ledger.close(), try closedAds.get()].compactMap(\.self)
        for case .logLeft(let reason) in endings {
            logger.warning(
                "log left: keep the -wal beside the store",
                metadata: ["store": "\(settings.store)", "reason": "\(reason)"])
        }
        if endings.allSatisfy({ $0 == .whole }) {
            logger.info("store closed: one whole file", metadata: ["store": "\(settings.store)"])
        }
        if endings.contains(.abandoned) {
            logger.error(
                "stopped without closing the store, whose files were taken away or which has another owner",
                metadata: ["store": "\(settings.store)"])
            log.flush(within: .milliseconds(200))
            _exit(ExitStatus.undecided.rawValue)
        }
    }

    /// The tables only save time: without them everything is verified all the same.
    private func prepareTables(_ purpose: String, _ logger: Logger, _ prepare: () throws -> Void) {
        do {
            try prepare()
        } catch {
            logger.error("\(purpose) with OpenSSL alone, many times slower", metadata: ["error": "\(error)"])
        }
    }

    private static func reloadables(
        tls: IngressTLS?,
        access: AccessControl?,
        _ logger: Logger
    ) -> [ReloadService.Reloadable] {
        var reloadables: [ReloadService.Reloadable] = []
        if let tls {
            reloadables.append(
                .init(name: "certificate") {
                    try tls.reload()
                    logger.notice("certificate read again")
                })
        }
        if let access {
            // Says itself what became of it.
            reloadables.append(.init(name: "tokens") { access.reload() })
        }
        return reloadables
    }

    private static func logger(level name: String, _ log: BoundedLog) throws -> Logger {
        guard let level = Logger.Level(rawValue: name) else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("log level: found \(name), expected one of \(known)")
        }
        // What the libraries around log on their own goes the same way.
        LoggingSystem.bootstrap { _ in BoundedLogHandler(log, logLevel: max(level, .warning)) }
        return Logger(label: "skan") { _ in BoundedLogHandler(log, logLevel: level) }
    }

    /// The libraries around speak only when something is wrong.
    private static func quiet(_ logger: Logger) -> Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}
