import Attribution
import AttributionConsole
import AttributionIngest
import AttributionListener
import Foundation
import Logging
import Platform
import PostgreSQLStore

extension ServerParts {
    /// One second less than the whole stop may take: accepted postbacks must still be recorded and answered.
    private static let listenerStop = Duration.seconds(4)
    /// Signing takes milliseconds, and the public listener stops after it.
    private static let signingStop = Duration.seconds(1)

    func makePublicListener() -> Ingress? {
        guard let recording else { return nil }
        let stop = signing == nil ? Self.listenerStop : Self.listenerStop - Self.signingStop
        return Ingress(
            address: .port(host: configuration.listen.host, port: configuration.listen.port),
            threads: configuration.threads,
            routes: publicRoutes.routes,
            limits: budget.limits(stopDeadline: stop),
            tls: tls,
            trustedProxies: trustedProxies,
            demandsProxyHeader: configuration.usesProxyProtocol,
            logger: logger,
            metricsFactory: metrics,
            now: { Date() },
            onListening: { [configuration, logger, onEvent] bound in
                let address = configuration.listen.bound(to: bound)
                logger.notice(
                    "listening for postbacks",
                    metadata: [
                        "address": "\(address)", "scheme": "\(configuration.listenScheme)",
                        "store": "\(recording.storage.givenName)",
                    ])
                onEvent(.listening(address))
            },
            makeHandler: { _ in answer(recording) }
        )
    }

    /// Passes requests to the ingestor or the responder, and turns outcomes into answers.
    private func answer(_ recording: Recording) -> IngressHandler {
        .callback { [metrics, publicRoutes] request, answer in
            let receivedAt = UnixMilliseconds(request.receivedAt)
            switch publicRoutes.purpose(of: request.route) {
            case .delivery(let recipient):
                recording.ingestor.submit(
                    request.body, recipient: recipient, client: request.client,
                    receivedAtMilliseconds: receivedAt.rawValue
                ) {
                    answer(IngressAnswer($0))
                }
            case .liveness: answer(.alive)
            case .webAdTap:
                guard let responder = recording.storage.webAds?.responder else {
                    WebAdOutcome.count([.noSigningKeys], in: metrics)
                    return answer(IngressAnswer(WebAdOutcome.noSigningKeys))
                }
                responder.submit(request.body, receivedAt: receivedAt) { answer(IngressAnswer($0)) }
            }
        }
    }

    /// The listener of signing requests.
    func makeSigningListener() -> SigningListener? {
        guard let address = configuration.signing, let signing else { return nil }
        let listener = Ingress(
            address: address.ingress,
            threads: configuration.signingThreads,
            routes: SigningService.routes,
            limits: budget.signingLimits(stopDeadline: Self.signingStop),
            tls: configuration.signingScheme == "https" ? tls : nil,
            trustedProxies: trustedProxies,
            logger: logger,
            metricNames: .signing,
            metricsFactory: metrics,
            now: { Date() },
            onListening: { [configuration, logger, onEvent] bound in
                var address = address
                if case .port(let given) = address {
                    address = .port(given.bound(to: bound))
                }
                logger.notice(
                    "listening for signing",
                    metadata: ["address": "\(address)", "scheme": "\(configuration.signingScheme)"])
                onEvent(.signingListening(address))
            },
            makeHandler: { .callback(signing.makeHandler(on: $0)) }
        )
        return SigningListener(ingress: listener, counts: counts)
    }

    /// The listener of the console.
    func makeConsole(_ routes: [any ConsoleRoutes]) -> Console {
        Console(
            routes: routes + (recording.map { [makePages($0)] } ?? []),
            access: access,
            sessions: sessions,
            address: .port(host: configuration.console.host, port: configuration.console.port),
            tls: configuration.consoleScheme == "https" ? tls : nil,
            trustedProxies: trustedProxies,
            limits: budget.consoleLimits,
            logger: logger,
            metricsFactory: metrics,
            onListening: { [configuration, logger, onEvent] bound in
                let address = configuration.console.bound(to: bound)
                logger.notice(
                    "listening for the console",
                    metadata: ["address": "\(address)", "scheme": "\(configuration.consoleScheme)"])
                onEvent(.consoleListening(address))
            }
        )
    }

    /// The socket beside a store's file; commands on a database change it themselves.
    func makeConsoleSocket(_ routes: [any ConsoleRoutes]) -> ConsoleSocket? {
        guard case .file(let path)? = recording?.storage.location else { return nil }
        return ConsoleSocket(routes: routes, store: path, logger: logger, metricsFactory: metrics)
    }
}

extension ListenAddress {
    /// The address with the port that a listener was given, where any free one was asked for.
    fileprivate func bound(to address: IngressAddress) -> ListenAddress {
        ListenAddress(host: host, port: address.port ?? port)
    }
}

extension ServerConfiguration {
    /// What keeps its addresses, and the socket beside its store, from being listened on.
    var listeningProblems: [any Error] {
        var addresses = [IngressAddress.port(host: console.host, port: console.port)]
        if store != nil { addresses.insert(.port(host: listen.host, port: listen.port), at: 0) }
        if let signing { addresses.append(signing.ingress) }
        // Where two are the same, the configuration says so itself.
        var tried: [IngressAddress] = []
        for address in addresses where address.port == 0 || !tried.contains(address) { tried.append(address) }
        var problems: [any Error] = Ingress.tryListening(at: tried)
        if let store, !PostgreSQLAddress.isAddress(store), let file = try? ResolvedPath(store).text {
            do {
                try ConsoleSocket.check(besideStore: file)
            } catch {
                problems.append(error)
            }
        }
        return problems
    }

    /// Warns of a private listener off loopback without TLS, which the operator asked for.
    func warnOfPlainListeners(_ logger: Logger) {
        guard tlsCertificate == nil else { return }
        let danger = "without TLS: tokens cross the network in the clear unless a proxy terminates TLS"
        if let signing, !signing.isLocal {
            logger.warning("signing listens \(danger)", metadata: ["address": "\(signing)"])
        }
        if !console.isLoopback {
            logger.warning("the console listens \(danger)", metadata: ["address": "\(console)"])
        }
    }
}
