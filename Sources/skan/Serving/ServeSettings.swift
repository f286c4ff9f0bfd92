import Attribution
import AttributionListener
import AttributionServer
import Foundation
import Logging
import Platform
import StrictJSON

/// The settings of `skan serve`: a flag first, then the environment (`SKAN_LISTEN`, `SKAN_STORE`, …), then the default.
struct ServeSettings {
    var configuration: ServerConfiguration
    private(set) var logLevel = Logger.Level.info
    private(set) var logFormat = LogFormat.text
    /// Invalid values, which are replaced by defaults.
    private(set) var problems: [CommandFailure] = []

    init(_ command: ServeCommand) {
        let environment = EnvironmentSettings()
        var problems: [CommandFailure] = []
        do {
            try ServeVariables.check(ProcessInfo.processInfo.environment)
        } catch {
            problems.append(CommandFailure(explaining: error, help: "skan help serve"))
        }
        /// The value of a flag or else a variable; invalid text is a problem of the one that it was given by.
        func value<Value>(
            _ flag: Value?, _ name: String, _ standard: Value, _ expected: String, flagText: String? = nil,
            among known: [String] = [],
            _ read: (String) -> Value?
        ) -> Value {
            guard flag == nil, let text = flagText ?? environment.text(name) else {
                return flag ?? standard
            }
            guard let value = read(text) else {
                let giver =
                    flagText == nil
                    ? EnvironmentSettings.variable(name) : "--" + name.replacing(".", with: "-")
                problems.append(
                    CommandFailure(
                        "\(giver): found \(text.shortened(to: 40)), expected \(expected)"
                            + known.suggestion(for: text)))
                return standard
            }
            return value
        }
        func flag(_ isGiven: Bool, _ name: String) -> Bool {
            do {
                let isSet = try environment.flag(name)
                return isGiven || isSet
            } catch {
                problems.append(error)
                return isGiven
            }
        }
        func list(_ flags: [String], _ name: String) -> [String] {
            flags.isEmpty ? environment.list(name) : flags
        }
        let store = command.store.flatMap { $0.isEmpty ? nil : $0 } ?? environment.text("store")
        var configuration = ServerConfiguration(store: store)
        if store == nil, let listen = command.listen {
            problems.append(
                CommandFailure(
                    "--listen \(listen): postbacks need a store to be recorded in", hint: "give --store FILE"))
        }
        configuration.listen = value(command.listen, "listen", configuration.listen, "HOST:PORT") { ListenAddress($0) }
        configuration.signing = command.signing
        if command.signing == nil, environment.text("signing") != nil {
            configuration.signing = value(nil, "signing", .port(configuration.console), "HOST:PORT or unix:PATH") {
                SigningAddress($0)
            }
        }
        configuration.counts = command.counts ?? environment.text("counts")
        configuration.isSigningPlain = flag(command.signingPlainHttp, "signing.plain.http")
        configuration.console = value(command.console, "console", configuration.console, "HOST:PORT") {
            ListenAddress($0)
        }
        configuration.tokens = command.tokens ?? environment.text("tokens")
        configuration.tokenRate = value(
            command.signRate, "sign.rate", configuration.tokenRate, "1 to 1000000 requests a second"
        ) { Int($0) }
        configuration.isConsolePlain = flag(command.consolePlainHttp, "console.plain.http")
        configuration.requiresSynchronous = flag(command.requireSynchronous, "require.synchronous")
        configuration.makesStore = !flag(command.noCreate, "no.create")
        do {
            configuration.networks = try Self.networks(command.networks, environment)
        } catch {
            problems.append(error)
        }
        configuration.testKeys = command.postbackKeys.testKeys
        configuration.appleKeys = command.postbackKeys.appleKeys.file
        configuration.signingKeys = command.signingKeys ?? environment.text("signing.keys")
        configuration.schemas = list(command.schemas, "schema")
        configuration.campaigns = list(command.campaigns, "campaigns")
        configuration.destinations = command.destinations ?? environment.text("destinations")
        configuration.postbackPaths = list(command.postbackPaths, "postback.path")
        configuration.trustedProxies = list(command.trustedProxies, "trusted.proxy")
        configuration.usesProxyProtocol = flag(command.proxyProtocol, "proxy.protocol")
        configuration.forwardingField = value(
            command.forwardingField, "forwarding.field", configuration.forwardingField, "x-forwarded-for or forwarded"
        ) { ForwardingField(rawValue: $0) }
        configuration.tlsCertificate = command.tlsCertificate ?? environment.text("tls.certificate")
        configuration.tlsKey = command.tlsKey ?? environment.text("tls.key")
        configuration.threads = max(1, ProcessorCount.available / 2)
        configuration.signingThreads = ProcessorCount.available
        configuration.programVersion = Skan.version
        let levels = Logger.Level.allCases.map(\.rawValue)
        logLevel = value(
            nil, "log.level", logLevel, "one of \(levels.joined(separator: ", "))", flagText: command.logLevel,
            among: levels
        ) { Logger.Level(rawValue: $0) }
        logFormat = value(
            nil, "log.format", logFormat, "text or json", flagText: command.logFormat
        ) { LogFormat(rawValue: $0) }
        self.configuration = configuration
        self.problems = problems
    }

    /// The networks that are ours; with a wrong name among them, our own postbacks would count as those of others.
    static func networks(
        _ flags: [String], _ environment: EnvironmentSettings
    ) throws(CommandFailure) -> [String] {
        let text = environment.text("network")
        let isFlag = !flags.isEmpty || text == nil
        let names = isFlag ? flags : environment.list("network")
        do throws(FieldProblem) {
            // A variable of nothing but blanks and commas names no network, which would mean every one.
            for name in names.isEmpty ? [text].compactMap({ $0 }) : names {
                _ = try AdNetworkID.ofSetting(
                    name, field: isFlag ? "--network" : EnvironmentSettings.variable("network"))
            }
        } catch {
            throw CommandFailure(
                error.description,
                hint: isFlag
                    ? "give --network once for each network"
                    : "separate the ids of several networks with commas: export SKAN_NETWORK=ID,ID")
        }
        return names
    }
}

/// The environment of `skan serve`: a misspelled setting is an error, because it would otherwise be silently ignored.
enum ServeVariables {
    /// The settings, as ``ServeSettings`` reads them.
    private static let settings = [
        "SKAN_STORE", "SKAN_LISTEN", "SKAN_POSTBACK_PATH", "SKAN_PROXY_PROTOCOL", "SKAN_SIGNING",
        "SKAN_SIGNING_PLAIN_HTTP", "SKAN_COUNTS", "SKAN_CONSOLE",
        "SKAN_NETWORK", "SKAN_TRUST_TEST_KEY", "SKAN_APPLE_KEYS", "SKAN_SIGNING_KEYS", "SKAN_TOKENS", "SKAN_SIGN_RATE",
        "SKAN_SCHEMA", "SKAN_CAMPAIGNS", "SKAN_DESTINATIONS", "SKAN_CONSOLE_PLAIN_HTTP", "SKAN_TLS_CERTIFICATE",
        "SKAN_TLS_KEY",
        "SKAN_TRUSTED_PROXY", "SKAN_FORWARDING_FIELD", "SKAN_LOG_LEVEL", "SKAN_LOG_FORMAT", "SKAN_REQUIRE_SYNCHRONOUS",
        "SKAN_NO_CREATE",
    ]
    /// Variables that other commands, the samples and the tests read.
    private static let others = ["SKAN_TOKEN", "SKAN_SIGNER", "SKAN_FUZZ_CASES", "SKAN_FUZZ_SEED", "SKAN_SPEC"]

    /// Refuses unknown variables that begin with `SKAN_`, each with the nearest known name.
    static func check(_ environment: [String: String]) throws(CommandFailure) {
        let unknown = environment.keys.filter {
            $0.hasPrefix("SKAN_") && !(settings + others).contains($0) && !isOfKubernetes($0)
        }
        guard !unknown.isEmpty else {
            return
        }
        let names = unknown.sorted().map { $0 + settings.suggestion(for: $0) }
        throw CommandFailure(
            "unknown environment variable \(names.joined(separator: "; "))", hint: "skan help serve")
    }

    /// Whether Kubernetes sets it in every pod for a service whose name begins with `skan`, such as
    /// `SKAN_SERVICE_HOST`, `SKAN_PORT` and `SKAN_PORT_8080_TCP_ADDR`.
    ///
    /// - SeeAlso: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    private static func isOfKubernetes(_ name: String) -> Bool {
        name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.hasSuffix("_PORT")
            || name.contains("_PORT_")
    }
}

/// The environment variables that stand in for flags: `SKAN_STORE`, `SKAN_TOKENS`, `SKAN_SIGNING_KEYS` and so on.
struct EnvironmentSettings {
    private let variables = ProcessInfo.processInfo.environment

    /// The value of a variable, named in lowercase without the prefix and with dots for underscores.
    ///
    /// An empty one is treated as unset, because compose files and systemd units may leave variables empty.
    func text(_ name: String) -> String? {
        variables[Self.variable(name)].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variable that is named in lowercase without the prefix and with dots for underscores.
    static func variable(_ name: String) -> String {
        "SKAN_" + name.uppercased().replacing(".", with: "_")
    }

    /// Whether a variable says yes; unset, it says no, and any other word is refused.
    func flag(_ name: String) throws(CommandFailure) -> Bool {
        guard let text = text(name) else {
            return false
        }
        switch text.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default:
            throw CommandFailure(
                "\(Self.variable(name)): found \(text.shortened(to: 40)), expected true, yes or 1, or false, no or 0",
                hint: "skan help serve")
        }
    }

    /// The comma-separated values of a variable, without the blanks around them.
    func list(_ name: String) -> [String] {
        (text(name) ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            .filter { !$0.isEmpty }
    }
}
