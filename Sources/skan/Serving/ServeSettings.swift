import AttributionListener
import AttributionServer
import BoundedLogging
import Foundation
import Logging

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
        /// The value of a flag or else a variable; invalid text is a problem.
        func value<Value>(
            _ flag: Value?, _ text: String?, _ name: String, _ standard: Value, _ expected: String,
            _ read: (String) -> Value?
        ) -> Value {
            guard flag == nil, let text else {
                return flag ?? standard
            }
            guard let value = read(text) else {
                problems.append(CommandFailure("\(name): found \(text), expected \(expected)"))
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
        let store = command.store ?? environment.text("store") ?? ""
        if store.isEmpty {
            problems.append(CommandFailure("expected --store FILE", hint: "the file is created if it does not exist"))
        }
        var configuration = ServerConfiguration(store: store)
        configuration.listen = value(
            command.listen, environment.text("listen"), "SKAN_LISTEN", configuration.listen, "HOST:PORT"
        ) { ListenAddress($0) }
        configuration.console = value(
            command.console, environment.text("console"), "SKAN_CONSOLE", configuration.console, "HOST:PORT"
        ) { ListenAddress($0) }
        configuration.tokens = command.tokens ?? environment.text("tokens")
        configuration.tokenRate = value(
            command.signRate, environment.text("sign.rate"), "sign rate", configuration.tokenRate,
            "1 to 1000000 requests a second"
        ) { Int($0) }
        configuration.isConsolePlain = flag(command.consolePlainHttp, "console.plain.http")
        configuration.requiresSynchronous = flag(command.requireSynchronous, "require.synchronous")
        configuration.networks = list(command.networks, "network")
        configuration.testKeys = command.testKeys.all
        configuration.signingKeys = command.signingKeys ?? environment.text("signing.keys")
        configuration.schemas = list(command.schemas, "schema")
        configuration.campaigns = list(command.campaigns, "campaigns")
        configuration.trustedProxies = list(command.trustedProxies, "trusted.proxy")
        configuration.forwardingField = value(
            command.forwardingField, environment.text("forwarding.field"), "SKAN_FORWARDING_FIELD",
            configuration.forwardingField, "x-forwarded-for or forwarded"
        ) { ForwardingField(rawValue: $0) }
        configuration.tlsCertificate = command.tlsCertificate ?? environment.text("tls.certificate")
        configuration.tlsKey = command.tlsKey ?? environment.text("tls.key")
        configuration.threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        configuration.programVersion = Skan.version
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        logLevel = value(
            nil, command.logLevel ?? environment.text("log.level"), "log level", logLevel, "one of \(levels)"
        ) { Logger.Level(rawValue: $0) }
        logFormat = value(
            nil, command.logFormat ?? environment.text("log.format"), "log format", logFormat, "text or json"
        ) { LogFormat(rawValue: $0) }
        self.configuration = configuration
        self.problems = problems
    }

    /// Refuses invalid values.
    ///
    /// - Throws: The first of ``problems``.
    func check() throws {
        if let problem = problems.first {
            throw problem
        }
    }
}
