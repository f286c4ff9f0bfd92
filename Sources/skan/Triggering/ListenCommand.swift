import ArgumentParser
import Attribution
import AttributionHarness
import AttributionIngest
import AttributionListener
import AttributionServer
import AttributionSigning
import Foundation
import Logging
import ServiceLifecycle
import StrictJSON
import UnixSignals

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Receive deliveries and print each with its verdict, without storing any.",
        discussion: """
            It has the paths of skan serve and answers as a server would, but without a store: devices never repeat what \
            it answers 200, so do not register its address with Apple. With --forward, each delivery is forwarded to \
            another server byte for byte, the answer of that server is passed back, and its verdict is printed, too.

            EXAMPLES
              skan listen --trust-test-key skan-test-keys/test-p256.public.pem
              skan listen --listen 127.0.0.1:9000 --forward http://127.0.0.1:8080
            """
    )

    @Option(help: "HOST:PORT (port 0 picks a free one).")
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)

    @Option(help: "Forward each delivery to this server; without a path, the delivery's own is added.")
    var forward: String?

    @Option(help: "text, or json: one object per line.")
    var format: VerifyCommand.Format = .text

    @OptionGroup var postbackKeys: PostbackKeyOptions

    func run() async throws {
        Terminal.exitAtClosedPipe()
        let printer = DeliveryPrinter(
            verifier: try postbackKeys.verifier(), format: format,
            target: try forward.map { try DeliveryURL($0, option: "--forward") })
        let address = listen
        let paths = PublicRoute.allCases.map(\.path)
        let ingress = Ingress(
            address: .port(host: address.host, port: address.port), routes: IngressRoutes(paths),
            logger: Logger(label: "skan") { _ in SwiftLogNoOpLogHandler() },
            now: { Date() },
            onListening: { bound in
                let bound = ListenAddress(host: address.host, port: bound.port ?? address.port)
                Terminal.say("skan: listening on http://\(bound)")
            },
            makeHandler: { _ in
                .callback { request, answer in printer.take(request, path: paths[request.route.index], answer) }
            })
        try await ServiceGroup(
            services: [ingress], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "skan") { _ in SwiftLogNoOpLogHandler() }
        ).run()
    }
}
