import AttributionHTTP
import Configuration

/// What `skan serve` is told: a flag first, then the environment (`SKAN_LISTEN`, `SKAN_STORE`, …), then the default.
struct ServeSettings {
    let listen: ListenAddress
    let console: ListenAddress
    let tokens: String?
    let signRate: Int
    let store: String
    let networks: [String]
    let testKeys: [String]
    let signingKeys: String?
    let tlsCertificate: String?
    let tlsKey: String?
    let trustedProxies: [String]
    let forwardingField: ForwardingField
    let logLevel: String

    init(_ command: ServeCommand, environment: ConfigReader) throws {
        let settings = environment.scoped(to: "skan")
        func address(_ flag: ListenAddress?, _ name: String, _ standard: ListenAddress) throws -> ListenAddress {
            guard flag == nil, let text = settings.string(forKey: ConfigKey(name)) else {
                return flag ?? standard
            }
            guard let address = ListenAddress(argument: text) else {
                throw CommandFailure("SKAN_\(name.uppercased()): found \(text), expected HOST:PORT")
            }
            return address
        }
        listen = try address(command.listen, "listen", ListenAddress(host: "127.0.0.1", port: 8080))
        console = try address(command.console, "console", ListenAddress(host: "127.0.0.1", port: 8081))
        tokens = command.tokens ?? settings.string(forKey: "tokens")
        signRate = try Self.signRate(command.signRate, settings.string(forKey: "sign.rate"))
        guard let store = command.store ?? settings.string(forKey: "store"), !store.isEmpty else {
            throw CommandFailure("expected --store FILE", hint: "the file is made when it does not exist")
        }
        self.store = store
        func list(_ flags: [String], _ name: String) -> [String] {
            let listed = settings.string(forKey: ConfigKey(name)) ?? ""
            return flags.isEmpty ? listed.split(separator: ",").map { String($0) } : flags
        }
        networks = list(command.networks, "network")
        testKeys = list(command.testKeys.files, "trust.test.key")
        signingKeys = command.signingKeys ?? settings.string(forKey: "signing.keys")
        trustedProxies = list(command.trustedProxies, "trusted.proxy")
        let fieldName = settings.string(forKey: "forwarding.field")
        guard let field = command.forwardingField ?? ForwardingField(rawValue: fieldName ?? "x-forwarded-for") else {
            throw CommandFailure(
                "SKAN_FORWARDING_FIELD: found \(fieldName ?? ""), expected x-forwarded-for or forwarded")
        }
        forwardingField = field
        tlsCertificate = command.tlsCertificate ?? settings.string(forKey: "tls.certificate")
        tlsKey = command.tlsKey ?? settings.string(forKey: "tls.key")
        logLevel = command.logLevel ?? settings.string(forKey: "log.level") ?? "info"
        let isPlainAllowed = command.consolePlainHttp || settings.string(forKey: "console.plain.http") == "true"
        try checkConsole(isPlainAllowed: isPlainAllowed)
    }

    /// The TLS identity, or nil for plain HTTP.
    func tls() throws -> IngressTLS? {
        switch (tlsCertificate, tlsKey) {
        case (nil, nil): nil
        case (let certificate?, let key?): try IngressTLS(certificateFile: certificate, keyFile: key)
        default: throw CommandFailure("expected both --tls-certificate and --tls-key, or neither")
        }
    }
}
