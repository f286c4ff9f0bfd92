import ArgumentParser
import Attribution
import AttributionListener
import AttributionServer
import AttributionStore
import Foundation
import Platform

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Receive postbacks over HTTP and record them.",
        discussion: """
            Answers 200 only after the postback is on disk. With --signing it also signs impressions and bids, and \
            then it needs no store. Settings come from flags, otherwise from SKAN_LISTEN, SKAN_POSTBACK_PATH, SKAN_SIGNING, SKAN_COUNTS, \
            SKAN_SIGNING_PLAIN_HTTP, SKAN_CONSOLE, SKAN_STORE, SKAN_SIGNING_KEYS, SKAN_NETWORK, SKAN_TRUST_TEST_KEY, \
            SKAN_APPLE_KEYS, SKAN_DESTINATIONS, SKAN_SCHEMA, SKAN_CAMPAIGNS and SKAN_TRUSTED_PROXY \
            (comma-separated), SKAN_PROXY_PROTOCOL (yes or no), SKAN_FORWARDING_FIELD, SKAN_TLS_CERTIFICATE, SKAN_TLS_KEY, SKAN_LOG_LEVEL, \
            SKAN_LOG_FORMAT, SKAN_NO_CREATE and SKAN_REQUIRE_SYNCHRONOUS; those of the console also from SKAN_TOKENS, SKAN_SIGN_RATE and SKAN_CONSOLE_PLAIN_HTTP \
            (yes or no). --check shows what a server would start with. On SIGTERM, SIGINT or SIGQUIT the server finishes accepted \
            requests and stops within 5 seconds; if that takes longer, it exits with status 2, and nothing answered \
            is lost. SIGHUP reloads certificate, tokens, added keys of Apple's, signing keys, schemas, campaigns \
            and destinations, all of them or none.
            """
    )

    @Option(help: "HOST:PORT for devices (default 127.0.0.1:8080; port 0 picks a free one).")
    var listen: ListenAddress?

    @Option(
        name: .customLong("postback-path"), parsing: .singleValue,
        help: "Further path at which the network's postbacks arrive (/PATH); may be repeated.")
    var postbackPaths: [String] = []

    @Option(help: "HOST:PORT or unix:PATH for requests to sign (default: none); other hosts need --tokens.")
    var signing: SigningAddress?

    @Option(
        help: "File to which a server without a store appends how many ads it signed.",
        completion: .file())
    var counts: String?

    @Flag(help: "Allow --signing without TLS off loopback, behind a proxy that terminates TLS.")
    var signingPlainHttp = false

    @Option(help: "HOST:PORT for health and reports (default 127.0.0.1:8081); other hosts need --tokens.")
    var console: ListenAddress?

    @Option(
        help:
            "Token list (skan tokens create): signing needs one, and every console path but /healthz, /readyz, /openapi.yaml.",
        completion: .file())
    var tokens: String?

    @Option(help: "Requests a second of each token, where a batch counts as its signatures (default 50000).")
    var signRate: Int?

    @Flag(help: "Allow the console without TLS off loopback, behind a proxy that terminates TLS.")
    var consolePlainHttp = false

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store: a file, made when it does not exist, or postgresql://HOST/DATABASE (or SKAN_STORE).",
        completion: .file())
    var store: String?

    @Flag(help: "Refuse a store that does not exist, as a unit should after its first start.")
    var noCreate = false

    @Flag(help: "Refuse a database whose commits reach one server alone.")
    var requireSynchronous = false

    @Option(
        name: .customLong("network"), parsing: .singleValue,
        help: "Our ad network id; may be repeated. Postbacks of others are counted separately (report --foreign).")
    var networks: [String] = []

    @OptionGroup var postbackKeys: PostbackKeyOptions

    @Option(
        help: "Key list of the networks (JSON), to sign impressions and web ads.", completion: .file())
    var signingKeys: String?

    @Option(
        name: .customLong("schema"), parsing: .singleValue,
        help: "Conversion schemas (skan schema), for the report revenue; may be repeated. Reloaded on SIGHUP.",
        completion: .file(extensions: ["json"]))
    var schemas: [String] = []

    @Option(
        parsing: .singleValue,
        help: "Names of campaigns and apps (skan campaigns), for reports; may be repeated. Reloaded on SIGHUP.",
        completion: .file(extensions: ["json"]))
    var campaigns: [String] = []

    @Option(
        help: "Destinations that recorded postbacks are forwarded to (JSON; skan destinations). Reloaded on SIGHUP.",
        completion: .file(extensions: ["json"]))
    var destinations: String?

    @Option(
        help: "PEM file with the TLS certificate chain; reloaded on SIGHUP. Without it, plain HTTP.",
        completion: .file())
    var tlsCertificate: String?

    @Option(help: "PEM file with the certificate's private key, which others cannot read.", completion: .file())
    var tlsKey: String?

    @Option(
        name: .customLong("trusted-proxy"), parsing: .singleValue,
        help: "Address or network (10.0.0.0/8) of a proxy that names its clients; may be repeated.")
    var trustedProxies: [String] = []

    @Flag(
        help:
            "Trusted proxies begin every connection to --listen with a header of the PROXY protocol (version 1 or 2).")
    var proxyProtocol = false

    @Option(help: "The header field in which proxies name clients: x-forwarded-for or forwarded.")
    var forwardingField: ForwardingField?

    @Option(
        help: "trace, debug (one line per request), info, notice, warning, error or critical.",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?

    @Option(help: "text, or json (one object per line).", completion: .list(["text", "json"]))
    var logFormat: String?

    @Flag(
        help:
            "Check every setting, file, store and port without starting: status 0, or 2 with everything that is wrong.")
    var check = false

    func run() async throws {
        var settings = ServeSettings(self)
        if check {
            return try report(await ServerCheck(settings.configuration, at: Date()), settings.problems)
        }
        let process = ServerProcess(logLevel: settings.logLevel, logFormat: settings.logFormat)
        defer { process.flush() }
        do {
            if let problem = settings.problems.first {
                throw problem
            }
            settings.configuration.descriptors = DescriptorLimit.raise()
            let server = try Server(settings.configuration, metrics: process.metrics, logger: process.logger)
            try await process.run(server)
        } catch  where settings.logFormat == .json {
            // Whoever asked for objects reads nothing else from standard error.
            let failure = CommandFailure(explaining: error, help: "skan help serve")
            process.log(failure)
            throw ExitStatus(rawValue: failure.code.exitStatus) ?? .undecided
        }
    }

    private func report(_ check: ServerCheck, _ problems: [CommandFailure]) throws {
        Terminal.write("skan \(Skan.version)\n")
        for (name, finding) in check.findings {
            Terminal.write("\(name): \(finding)\n".withoutSecrets)
        }
        let failures =
            problems + check.problems.map { CommandFailure(explaining: $0, help: "skan help serve") }
        for failure in failures {
            failure.say()
        }
        if let failure = failures.first {
            throw ExitStatus(rawValue: failure.code.exitStatus) ?? .undecided
        }
        Terminal.write("ok: a server can start with these settings\n")
    }
}

extension ForwardingField: ExpressibleByArgument {}

extension ListenAddress: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}

extension SigningAddress: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}
