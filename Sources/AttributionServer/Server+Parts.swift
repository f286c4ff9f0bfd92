import Attribution
import AttributionConsole
import AttributionExplaining
import AttributionIngest
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import Platform
import PostgreSQLStore

/// The parts of a server, each made from its configuration.
extension Server {
    /// What keeps a configuration's addresses, and the socket beside its store, from being listened on.
    static func listeningProblems(_ configuration: ServerConfiguration) -> [any Error] {
        var addresses: [IngressAddress] = []
        if configuration.store != nil {
            addresses.append(.port(host: configuration.listen.host, port: configuration.listen.port))
        }
        addresses.append(.port(host: configuration.console.host, port: configuration.console.port))
        if let signing = configuration.signing {
            addresses.append(signing.ingress)
        }
        // Where two are the same, the configuration says so itself.
        var tried: [IngressAddress] = []
        for address in addresses where address.port == 0 || !tried.contains(address) { tried.append(address) }
        var problems: [any Error] = Ingress.tryListening(at: tried)
        if let store = configuration.store, !PostgreSQLAddress.isAddress(store),
            let file = try? ResolvedPath(store).text
        {
            do {
                try ConsoleSocket.check(besideStore: file)
            } catch {
                problems.append(error)
            }
        }
        return problems
    }

    /// Warns of a private listener off loopback without TLS, which the operator asked for.
    static func warnOfPlainListeners(_ configuration: ServerConfiguration, _ logger: Logger) {
        if let signing = configuration.signing, !signing.isLocal, configuration.tlsCertificate == nil {
            logger.warning(
                "signing listens without TLS: tokens cross the network in the clear unless a proxy terminates TLS",
                metadata: ["address": "\(signing)"])
        }
        if !configuration.console.isLoopback, configuration.tlsCertificate == nil {
            logger.warning(
                "the console listens without TLS: tokens cross the network in the clear unless a proxy terminates TLS",
                metadata: ["address": "\(configuration.console)"])
        }
    }

    static func verifier(_ testKeys: [SignaturePublicKey], _ logger: Logger) throws -> PostbackVerifier {
        for key in testKeys {
            logger.notice(
                "test key trusted; postbacks it verifies are counted separately",
                metadata: ["curve": "\(key.curve.displayName)", "fingerprint": "SHA256:\(key.fingerprint)"])
        }
        let verifier = try PostbackVerifier(testKeys: testKeys)
        prepareTables("verifying", logger) { try verifier.prepareTables() }
        return verifier
    }

    /// A signer with tables that let it verify its own signatures in a third of the time, if they can be made.
    static func prepared(_ signer: NetworkSigner, _ logger: Logger) -> NetworkSigner {
        var signer = signer
        prepareTables("checking own signatures", logger) { try signer.prepareTables() }
        return signer
    }

    /// The tables only save time: without them everything is still verified.
    private static func prepareTables(_ purpose: String, _ logger: Logger, _ prepare: () throws -> Void) {
        do {
            try prepare()
        } catch {
            logger.error("\(purpose) with OpenSSL alone, many times slower", error: error)
        }
    }

    /// The public listener.
    static func ingress(
        _ configuration: ServerConfiguration,
        _ store: StoreLocation,
        _ ingestor: Ingestor,
        _ responder: WebAdResponder?,
        _ limits: IngressLimits,
        _ tls: IngressTLS?,
        _ trustedProxies: TrustedProxies,
        _ metrics: PrometheusMetrics,
        _ logger: Logger,
        _ onEvent: @escaping @Sendable (Event) -> Void
    ) -> Ingress {
        Ingress(
            address: .port(host: configuration.listen.host, port: configuration.listen.port),
            threads: configuration.threads,
            routes: PublicRoute.all,
            limits: limits,
            tls: tls,
            trustedProxies: trustedProxies,
            logger: logger,
            metricsFactory: metrics,
            now: { Date() },
            onListening: { bound in
                let address = ListenAddress(
                    host: configuration.listen.host, port: bound.port ?? configuration.listen.port)
                logger.notice(
                    "listening for postbacks",
                    metadata: [
                        "address": "\(address)", "scheme": "\(configuration.listenScheme)", "store": "\(store.name)",
                    ])
                onEvent(.listening(address))
            },
            makeHandler: { _ in handler(ingestor, responder, metrics) }
        )
    }

    /// Passes requests to the ingestor or the responder, and turns outcomes into answers.
    static func handler(
        _ ingestor: Ingestor, _ responder: WebAdResponder?, _ metrics: PrometheusMetrics
    ) -> IngressHandler {
        .callback { request, answer in
            let receivedAt = UnixMilliseconds(request.receivedAt)
            switch PublicRoute(request.route).purpose {
            case .delivery(let recipient):
                ingestor.submit(
                    request.body, recipient: recipient, client: request.client,
                    receivedAtMilliseconds: receivedAt.rawValue
                ) {
                    answer(IngressAnswer($0))
                }
            case .webAdTap:
                guard let responder else {
                    WebAdOutcome.count([.noSigningKeys], in: metrics)
                    return answer(IngressAnswer(WebAdOutcome.noSigningKeys))
                }
                responder.submit(request.body, receivedAt: receivedAt) {
                    answer(IngressAnswer($0))
                }
            }
        }
    }

    /// The routes of the console and of the socket beside the store.
    static func routes(
        _ configuration: ServerConfiguration,
        _ storage: ServerStorage?,
        _ explainer: PostbackExplainer?,
        _ maintenance: StoreMaintenance?,
        _ signer: CurrentSigner?,
        _ externalSigners: ExternalSigners,
        _ references: CurrentReferences?,
        _ metrics: MetricsRoutes,
        _ queue: JobQueue,
        _ logger: Logger
    ) -> [any ConsoleRoutes] {
        guard let storage, let explainer, let maintenance else {
            return [
                HealthRoutes(readiness: { signing(signer, externalSigners) }, remarks: { absences(externalSigners) }),
                APIDescriptionRoutes(), metrics,
            ]
        }
        let (ledger, reader, webAds) = (storage.ledger, storage.reader, storage.webAds)
        let reporter = Reporter(reader, programVersion: configuration.programVersion)
        return [
            HealthRoutes(
                readiness: { recording(ledger, webAds) }, remarks: { absences(externalSigners) }),
            APIDescriptionRoutes(),
            ReportRoutes(logger: logger, queue: queue) {
                try await reporter.report($0, limits: $1)
            } standardReport: {
                let reporter = Reporter(
                    reader, programVersion: configuration.programVersion,
                    references: references?.references ?? ReportReferences())
                return try await reporter.report($0, limits: $1, isRecording: ledger.health == .ready)
            },
            metrics,
            WebAdRoutes(issuer: webAds?.issuer, logger: logger),
            ExplainRoutes(postbacks: explainer, logger: logger),
            StoreRoutes(
                reader: reader, maintenance: maintenance, logger: logger),
        ]
    }

    /// Whether a server that does nothing but sign can sign at all: with one key that can be used, it is of use.
    private static func signing(_ signer: CurrentSigner?, _ externalSigners: ExternalSigners) -> StoreHealth {
        guard let signer = signer?.signer, !signer.hasOwnKey,
            externalSigners.presence.allSatisfy({ !$0.isPresent })
        else {
            return .ready
        }
        return .failing(
            reason: "no external signer answers, and there is no other key", hint: "start it; skan doctor says more")
    }

    /// What an operator should know of a server that is ready: the others must not lose it to a signer that is away.
    ///
    /// Only counts, because anyone may ask; the log and `skan doctor` name the sockets and keys.
    static func absences(_ externalSigners: ExternalSigners) -> [String] {
        let presence = externalSigners.presence
        let away = presence.count { !$0.isPresent }
        let verdicts = externalSigners.verdicts
        let unusable = verdicts.count { _, verdict in
            switch verdict {
            case .success, .failure(.away): false
            case .failure: true
            }
        }
        return [
            away == 0 ? nil : "\(away) of \(presence.count) external signers \(away == 1 ? "is" : "are") away",
            unusable == 0 ? nil : "\(unusable) of \(verdicts.count) keys of external signers cannot be used",
        ].compactMap(\.self)
    }

    /// The listener of signing requests, and the service that answers them.
    static func signing(
        _ configuration: ServerConfiguration,
        _ signer: CurrentSigner?,
        _ externalSigners: ExternalSigners,
        _ access: AccessControl?,
        _ counts: SignedCounts?,
        _ limits: IngressLimits,
        _ tls: IngressTLS?,
        _ trustedProxies: TrustedProxies,
        _ metrics: PrometheusMetrics,
        _ logger: Logger,
        _ onEvent: @escaping @Sendable (Event) -> Void
    ) -> (service: SigningService, listener: Ingress)? {
        guard let address = configuration.signing, let signer else {
            return nil
        }
        let isSocket = if case .socket = address { true } else { false }
        let service = SigningService(
            signer: signer, access: access, isSocket: isSocket, counts: counts,
            requestSignatures: { externalSigners.request($0, answer: $1) }, logger: logger, metricsFactory: metrics)
        let listener = Ingress(
            address: address.ingress,
            threads: configuration.signingThreads,
            routes: SigningService.routes,
            limits: limits,
            tls: configuration.signingScheme == "https" ? tls : nil,
            trustedProxies: trustedProxies,
            logger: logger,
            metricNames: .signing,
            metricsFactory: metrics,
            now: { Date() },
            onListening: { bound in
                var address = address
                if case .port(let given) = address, let port = bound.port {
                    address = .port(ListenAddress(host: given.host, port: port))
                }
                logger.notice(
                    "listening for signing",
                    metadata: ["address": "\(address)", "scheme": "\(configuration.signingScheme)"])
                onEvent(.signingListening(address))
            },
            makeHandler: { .callback(service.makeHandler(on: $0)) }
        )
        return (service, listener)
    }

    /// The access control of the console and of signing; nil without tokens, when everyone on this machine may use them.
    static func access(
        _ configuration: ServerConfiguration,
        _ tokens: AccessFile.Reading?,
        _ logger: Logger
    ) -> AccessControl? {
        guard let file = configuration.tokens, let tokens else {
            return nil
        }
        return AccessControl(
            file: AccessFile(file), reading: tokens, perSecond: configuration.tokenRate, logger: logger)
    }
}
