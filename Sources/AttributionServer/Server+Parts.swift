import Attribution
import AttributionAccess
import AttributionConsole
import AttributionIngest
import AttributionListener
import AttributionPages
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import PostgreSQLStore

/// The parts of a server, each made from its configuration.
extension Server {
    /// What keeps a configuration's addresses, and the socket beside its store, from being listened on.
    static func listeningProblems(_ configuration: ServerConfiguration) -> [any Error] {
        let (listen, console) = (configuration.listen, configuration.console)
        // Where both are the same, the configuration says so itself.
        let addresses = listen == console ? [listen] : [listen, console]
        var problems: [any Error] = Ingress.tryListening(at: addresses.map { ($0.host, $0.port) })
        if !PostgreSQLAddress.isAddress(configuration.store) {
            let store = URL(fileURLWithPath: configuration.store).resolvingSymlinksInPath().path
            do {
                try ConsoleSocket.check(besideStore: store)
            } catch {
                problems.append(error)
            }
        }
        return problems
    }

    /// Warns of a console off loopback without TLS, which the operator asked for.
    static func warnOfPlainConsole(_ configuration: ServerConfiguration, _ logger: Logger) {
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

    /// Passes requests to the ingestor or the responder, and turns outcomes into answers.
    static func handler(
        _ ingestor: Ingestor, _ responder: WebAdResponder?, _ metrics: PrometheusMetrics
    ) -> IngressHandler {
        { request, answer in
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
                    WebAdOutcome.noSigningKeys.count(in: metrics)
                    return answer(IngressAnswer(WebAdOutcome.noSigningKeys))
                }
                responder.submit(request.body, receivedAt: receivedAt) {
                    answer(IngressAnswer($0))
                }
            }
        }
    }

    /// The console's routes.
    static func routes(
        _ configuration: ServerConfiguration,
        _ ledger: any LedgerWriting,
        _ reader: any LedgerReading,
        _ verifier: PostbackVerifier,
        _ maintenance: StoreMaintenance,
        _ signer: CurrentSigner?,
        _ webAds: WebAds?,
        _ metrics: MetricsRoutes,
        _ queue: ReportQueue,
        _ logger: Logger
    ) -> [any ConsoleRoutes] {
        let reporter = Reporter(reader, programVersion: configuration.programVersion)
        return [
            HealthRoutes(readiness: { recording(ledger, webAds) }),
            APIDescriptionRoutes(),
            ReportRoutes(logger: logger, queue: queue) {
                try await reporter.report($0, limits: $1)
            } standardReport: {
                try await reporter.report($0, limits: $1, isRecording: ledger.health == .ready)
            },
            metrics,
            WebAdRoutes(issuer: webAds?.issuer, logger: logger),
            SigningRoutes(signer: signer, logger: logger),
            ExplainRoutes(
                postbacks: PostbackExplainer(
                    verifier: verifier, networks: signer?.signer.networks.map(\.adNetworkID.text) ?? []),
                logger: logger),
            StoreRoutes(
                reader: reader, maintenance: maintenance, logger: logger),
        ]
    }

    /// What the console's pages are made from.
    static func pageSources(
        _ configuration: ServerConfiguration,
        _ reader: any LedgerReading,
        _ maintenance: StoreMaintenance,
        health: @escaping @Sendable () -> ServerHealth,
        keys: @escaping @Sendable () -> [KeysPage.Key]
    ) -> PageSources {
        let reporter = Reporter(reader, programVersion: configuration.programVersion)
        return PageSources(
            reader: reader, requeue: { try await maintenance.requeue($0) }, health: health, keys: keys,
            report: { try await reporter.report($0, limits: $1) },
            standardReport: { try await reporter.report($0, limits: $1, isRecording: health().recording == .ready) },
            version: configuration.programVersion)
    }

    /// The access control of the console; nil when it has no tokens and everyone on this machine may use it.
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
