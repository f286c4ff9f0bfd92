import AttributionListener
import AttributionServer
import Configuration
import Foundation

/// What `skan serve` is told: a flag first, then the environment (`SKAN_LISTEN`, `SKAN_STORE`, …), then the default.
struct ServeSettings {
    var configuration: ServerConfiguration
    let logLevel: String

    init(_ command: ServeCommand, environment: ConfigReader) throws {
        let settings = environment.scoped(to: "skan")
        func text(_ flag: String?, _ name: String) -> String? {
            flag ?? settings.string(forKey: ConfigKey(name))
        }
        func list(_ flags: [String], _ name: String) -> [String] {
            let listed = settings.string(forKey: ConfigKey(name)) ?? ""
            return flags.isEmpty ? listed.split(separator: ",").map { String($0) } : flags
        }
        func address(_ flag: ListenAddress?, _ name: String, _ standard: ListenAddress) throws -> ListenAddress {
            guard flag == nil, let text = settings.string(forKey: ConfigKey(name)) else {
                return flag ?? standard
            }
            guard let address = ListenAddress(text) else {
                throw CommandFailure("SKAN_\(name.uppercased()): found \(text), expected HOST:PORT")
            }
            return address
        }
        guard let store = text(command.store, "store"), !store.isEmpty else {
            throw CommandFailure("expected --store FILE", hint: "the file is made when it does not exist")
        }
        var configuration = ServerConfiguration(store: store)
        configuration.listen = try address(command.listen, "listen", configuration.listen)
        configuration.console = try address(command.console, "console", configuration.console)
        configuration.tokens = text(command.tokens, "tokens")
        configuration.tokenRate = try Self.rate(
            command.signRate, settings.string(forKey: "sign.rate"), configuration.tokenRate)
        configuration.isConsolePlain =
            command.consolePlainHttp || settings.string(forKey: "console.plain.http") == "true"
        configuration.networks = list(command.networks, "network")
        configuration.testKeys = list(command.testKeys.files, "trust.test.key")
        configuration.signingKeys = text(command.signingKeys, "signing.keys")
        configuration.trustedProxies = list(command.trustedProxies, "trusted.proxy")
        configuration.forwardingField = try Self.field(
            command.forwardingField, settings.string(forKey: "forwarding.field"), configuration.forwardingField)
        configuration.tlsCertificate = text(command.tlsCertificate, "tls.certificate")
        configuration.tlsKey = text(command.tlsKey, "tls.key")
        configuration.threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        configuration.programVersion = Skan.version
        self.configuration = configuration
        logLevel = text(command.logLevel, "log.level") ?? "info"
    }

    private static func rate(_ flag: Int?, _ text: String?, _ standard: Int) throws -> Int {
        guard let rate = flag ?? (text.map { Int($0) } ?? standard) else {
            throw CommandFailure("sign rate: found \(text ?? ""), expected 1 to 1000000 requests a second")
        }
        return rate
    }

    private static func field(
        _ flag: ForwardingField?, _ text: String?, _ standard: ForwardingField
    ) throws -> ForwardingField {
        guard let field = flag ?? (text.map { ForwardingField(rawValue: $0) } ?? standard) else {
            throw CommandFailure(
                "SKAN_FORWARDING_FIELD: found \(text ?? ""), expected x-forwarded-for or forwarded")
        }
        return field
    }
}
