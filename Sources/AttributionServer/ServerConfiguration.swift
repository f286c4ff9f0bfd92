package import AttributionListener
package import CodedErrors

/// What a server is told.
package struct ServerConfiguration: Sendable {
    /// Where devices send postbacks.
    package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Where health, reports and signing are asked for.
    package var console = ListenAddress(host: "127.0.0.1", port: 8081)
    /// The list of tokens; without one whoever reaches the console may do everything.
    package var tokens: String?
    /// Requests a second each token may be used for, one of ``tokenRates``.
    package var tokenRate = 5_000
    /// Whether the console may do without TLS off loopback.
    package var isConsolePlain = false
    /// The store's file, or its address.
    package var store: String
    /// Whether a database is refused whose commits reach one server alone.
    package var requiresSynchronous = false
    /// The networks that are ours; when empty, all are.
    package var networks: [String] = []
    /// PEM files of test keys.
    package var testKeys: [String] = []
    /// The list of the networks' keys.
    package var signingKeys: String?
    /// PEM file with the certificate chain, and one with its key: both or neither.
    package var tlsCertificate: String?
    package var tlsKey: String?
    /// Addresses and networks of proxies that name their clients, and the field in which they do.
    package var trustedProxies: [String] = []
    package var forwardingField = ForwardingField.xForwardedFor
    /// The descriptors the process may have open.
    package var descriptors = 1_024
    /// Event loops of the public listener.
    package var threads = 1
    /// Named in reports.
    package var programVersion = ""

    /// The rates a token may have.
    package static let tokenRates = 1...1_000_000

    /// Makes the configuration of a server on loopback.
    package init(store: String) {
        self.store = store
    }

    /// What keeps a server from being started, and how to mend it.
    package struct Problem: CodedError, Hashable {
        package var code: ErrorCode { .badConfiguration }
        package let message: String
        package let hint: String?

        package init(_ message: String, hint: String? = nil) {
            self.message = message
            self.hint = hint
        }
    }

    /// What devices speak: `https` with a certificate.
    package var listenScheme: String {
        tlsCertificate == nil ? "http" : "https"
    }

    /// What the console's clients speak: on loopback the console stays plain.
    package var consoleScheme: String {
        console.isLoopback ? "http" : listenScheme
    }

    /// Refuses what does not go together.
    ///
    /// - Throws: The first of ``problems``.
    func check() throws(Problem) {
        if let problem = problems.first {
            throw problem
        }
    }

    /// What does not go together.
    ///
    /// Off loopback the console must know who asks, and a token must not cross a network in the clear unasked.
    var problems: [Problem] {
        var problems: [Problem] = []
        if !Self.tokenRates.contains(tokenRate) {
            problems.append(Problem("sign rate: found \(tokenRate), expected 1 to 1000000 requests a second"))
        }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            problems.append(Problem("expected both --tls-certificate and --tls-key, or neither"))
        }
        if !console.isLoopback, tokens == nil {
            problems.append(
                Problem(
                    "--console \(console): without tokens the console has no access control "
                        + "and listens on loopback only",
                    hint: "give --tokens FILE (skan tokens create makes one), or use 127.0.0.1:PORT and a tunnel"))
        }
        if !console.isLoopback, tlsCertificate == nil, !isConsolePlain {
            problems.append(
                Problem(
                    "--console \(console): without TLS, tokens and signatures would cross the network in the clear",
                    hint: "give --tls-certificate and --tls-key, or --console-plain-http where a proxy does TLS"))
        }
        return problems
    }
}
