import ArgumentParser
import AttributionListener
import AttributionServer
import Configuration

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
        var settings = try ServeSettings(self, environment: ConfigReader(provider: EnvironmentVariablesProvider()))
        let process = try ServerProcess(logLevel: settings.logLevel)
        defer { process.flush() }
        settings.configuration.descriptors = DescriptorLimit.raise()
        let server = try Server(settings.configuration, metrics: process.metrics, logger: process.logger)
        try await process.run(server)
    }
}
