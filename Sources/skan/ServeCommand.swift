import ArgumentParser
import Attribution
import AttributionHTTP
import AttributionIngest
import AttributionReports
import AttributionSigning
import AttributionStore
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
            SKAN_CONSOLE, SKAN_STORE, SKAN_SIGNING_KEYS, SKAN_TRUST_TEST_KEY and SKAN_TRUSTED_PROXY (apart by \
            commas), SKAN_FORWARDING_FIELD, SKAN_TLS_CERTIFICATE, SKAN_TLS_KEY and SKAN_LOG_LEVEL. SIGTERM and SIGINT \
            finish what was accepted. The console has SKAN_TOKENS, SKAN_SIGN_RATE and SKAN_CONSOLE_PLAIN_HTTP (true) \
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

    @Option(help: "The store's file, made when it does not exist.")
    var store: String?

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
        let logger = try Self.logger(level: settings.logLevel)
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
        let ledger = try SQLiteLedger(path: settings.store) { [logger] reason in
            logger.error(
                "the log cannot be moved into the store, and grows",
                metadata: ["store": "\(settings.store)", "reason": "\(reason)"])
        }
        let webAds = try signer.map { try WebAds(store: settings.store, signer: $0, logger: logger) }
        let ingestor = Ingestor(
            verifier: verifier, ledger: ledger, answeringTogether: Ingress.answerTogether, logger: logger)
        var limits = IngressLimits()
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
                    ingestor.submit(request.body, recipient: recipient, receivedAtMilliseconds: receivedAt) {
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
        let reporter = Reporter(ledger)
        let console = Console(
            routes: [
                HealthRoutes(reporter: reporter, logger: logger),
                APIDescriptionRoutes(),
                ReportRoutes(reporter: reporter, logger: logger),
                MetricsRoutes(metrics),
                WebAdRoutes(issuer: webAds?.issuer, logger: logger),
                SigningRoutes(signer: signer, logger: logger),
            ],
            access: access,
            host: settings.console.host,
            port: settings.console.port,
            tls: settings.console.isLoopback ? nil : tls,
            trustedProxies: trustedProxies,
            logger: logger,
            onListening: { port in
                let address = ListenAddress(host: settings.console.host, port: port)
                logger.notice("listening for the console", metadata: ["address": "\(address)"])
            }
        )
        // Stopped from the last to the first: no more requests, then no more batches, then the file is closed.
        var services: [any Service] = [ingestor]
        if let webAds { services.append(webAds.responder) }
        services += [console, ingress] as [any Service]
        if let tls { services.append(CertificateReload(tls: tls, logger: logger)) }
        if let access { services.append(TokensReload(access: access)) }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Self.quiet(logger)
        )
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
        try webAds?.close()
        try ledger.close()
        logger.notice("stopped")
    }

    /// The tables only save time: without them everything is verified all the same.
    private func prepareTables(_ purpose: String, _ logger: Logger, _ prepare: () throws -> Void) {
        do {
            try prepare()
        } catch {
            logger.error("\(purpose) with OpenSSL alone, many times slower", metadata: ["error": "\(error)"])
        }
    }

    private static func logger(level name: String) throws -> Logger {
        guard let level = Logger.Level(rawValue: name) else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("log level: found \(name), expected one of \(known)")
        }
        var logger = Logger(label: "skan") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }

    /// The libraries around speak only when something is wrong.
    private static func quiet(_ logger: Logger) -> Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}
