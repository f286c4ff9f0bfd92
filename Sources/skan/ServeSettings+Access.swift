import AttributionHTTP
import Logging

/// Who may use the console, and how it may listen.
extension ServeSettings {
    /// Many times what one ad server asks for, and less than would keep the others out.
    private static let standardSignRate = 5_000

    static func signRate(_ flag: Int?, _ text: String?) throws -> Int {
        guard let rate = flag ?? (text.map { Int($0) } ?? standardSignRate), (1...1_000_000).contains(rate) else {
            throw CommandFailure(
                "sign rate: found \(flag.map { String($0) } ?? text ?? ""), expected 1 to 1000000 requests a second")
        }
        return rate
    }

    /// Off loopback the console must know who asks, and a token must not cross a network in the clear unasked.
    func checkConsole(isPlainAllowed: Bool) throws {
        guard console.isLoopback || tokens != nil else {
            throw CommandFailure(
                "--console \(console): without tokens the console has no access control and listens on loopback only",
                hint: "give --tokens FILE (skan tokens create makes one), or use 127.0.0.1:PORT and a tunnel")
        }
        guard console.isLoopback || tlsCertificate != nil || isPlainAllowed else {
            throw CommandFailure(
                "--console \(console): without TLS, tokens and signatures would cross the network in the clear",
                hint: "give --tls-certificate and --tls-key, or --console-plain-http where a proxy does TLS")
        }
    }

    /// The access control of the console, or nil when it has no tokens and everybody on this machine may use it.
    func access(logger: Logger) throws -> AccessControl? {
        guard let tokens else {
            return nil
        }
        if !console.isLoopback, tlsCertificate == nil {
            logger.warning(
                "the console listens without TLS: tokens cross the network in the clear unless a proxy does TLS",
                metadata: ["address": "\(console)"])
        }
        return try AccessControl(file: AccessFile(tokens), perSecond: signRate, logger: logger)
    }
}
