package import Attribution
package import AttributionListener

package struct ServerConfiguration: Sendable {
    /// The address to which devices send postbacks.
    package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// More paths at which the network's postbacks arrive.
    package var postbackPaths: [String] = []
    /// The address of the console: health, reports and metrics.
    package var console = ListenAddress(host: "127.0.0.1", port: 8081)
    /// Where signing requests are taken; nil for a server that signs only for web ads.
    package var signing: SigningAddress?
    /// The file to which a server without a store appends how many ads it signed.
    package var counts: String?
    /// The file of the token list; without one, everyone who reaches the console may do everything, and sign.
    package var tokens: String?
    /// Requests a second each token may be used for, a batch counting as its signatures; one of ``tokenRates``.
    package var tokenRate = 50_000
    /// Whether the console may be off loopback without TLS.
    package var isConsolePlain = false
    /// Whether the signing listener may be off loopback without TLS.
    package var isSigningPlain = false
    /// The store's file, or its address; nil for a server that only signs.
    package var store: String?
    /// Whether a database is refused whose commits reach one server alone.
    package var requiresSynchronous = false
    /// Whether a store that does not exist is made.
    package var makesStore = true
    /// The networks that are ours; when empty, all are.
    package var networks: [String] = []
    /// PEM files of test keys.
    package var testKeys: [String] = []
    /// The file of the keys that are added to Apple's.
    package var appleKeys: String?
    /// The file of the networks' keys.
    package var signingKeys: String?
    /// The files that say what conversion values mean.
    package var schemas: [String] = []
    /// The files that say what campaigns and apps are called.
    package var campaigns: [String] = []
    /// The traffic of pages whose address names none: Apple's, but for a demonstration, which has test traffic alone.
    package var pageTraffic = Traffic.apple
    /// The file of the destinations that recorded postbacks are forwarded to.
    package var destinations: String?
    /// PEM files of the certificate chain and its key: both or neither.
    package var tlsCertificate: String?
    package var tlsKey: String?
    /// Addresses and networks of trusted proxies, and the field in which they name their clients.
    package var trustedProxies: [String] = []
    package var forwardingField = ForwardingField.xForwardedFor
    /// Whether the trusted proxies begin each connection to the public listener with a PROXY header.
    package var usesProxyProtocol = false
    /// The descriptors the process may have open.
    package var descriptors = 1_024
    /// Event loops of the public listener.
    package var threads = 1
    /// Event loops of the listener for signing, each of which signs.
    package var signingThreads = 1
    /// The version of skan, shown in reports.
    package var programVersion = ""

    /// The rates a token may have.
    package static let tokenRates = 1...1_000_000

    /// Makes the configuration of a server on loopback.
    ///
    /// - Parameter store: The store's file, or its address; nil for a server that only signs.
    package init(store: String?) {
        self.store = store
    }

    /// What keeps a server from starting, and how to fix it.
    package struct Problem: CodedError, Hashable {
        package var code: ErrorCode { .badConfiguration }
        package let message: String
        package let hint: String?

        package init(_ message: String, hint: String? = nil) {
            self.message = message
            self.hint = hint
        }
    }

    /// The scheme of the public listener: `https` with a certificate.
    package var listenScheme: String {
        tlsCertificate == nil ? "http" : "https"
    }

    /// The scheme of the console: on loopback it is always `http`.
    package var consoleScheme: String {
        console.isLoopback ? "http" : listenScheme
    }

    /// The scheme of the signing listener: on loopback it is always `http`.
    package var signingScheme: String {
        signing?.isLocal == false ? listenScheme : "http"
    }

    /// The contradictory settings.
    ///
    /// Off loopback the console needs tokens, and a token must not cross a network in the clear by accident.
    var problems: [Problem] {
        var problems: [Problem] = []
        func refuse(_ isContradiction: Bool, _ message: @autoclosure () -> String, hint: String? = nil) {
            if isContradiction { problems.append(Problem(message(), hint: hint)) }
        }
        refuse(
            !Self.tokenRates.contains(tokenRate),
            "sign rate: found \(tokenRate), expected 1 to 1000000 requests a second")
        refuse(
            (tlsCertificate == nil) != (tlsKey == nil), "expected both --tls-certificate and --tls-key, or neither",
            hint: tlsKey == nil
                ? "give --tls-key FILE, the private key of the certificate"
                : "give --tls-certificate FILE, the key's certificate followed by the intermediates")
        refuse(
            usesProxyProtocol && trustedProxies.isEmpty,
            "--proxy-protocol: without a trusted proxy nobody may send a PROXY header",
            hint: "give --trusted-proxy ADDRESS, where the proxy's connections come from")
        refuse(
            destinations != nil && store == nil, "--destinations: without a store nothing is recorded to be forwarded",
            hint: "give --store FILE")
        problems += sharedAddresses
        if let signing {
            refuse(
                signingKeys == nil, "--signing \(signing): there are no keys to sign with",
                hint: "give --signing-keys FILE")
            refuse(
                counts != nil && store != nil, "--counts: a file of counts is for a server without a store",
                hint: "leave out --counts")
            refuse(
                !signing.isLocal && tokens == nil, "--signing \(signing): without tokens anyone could have signatures",
                hint: "give --tokens FILE (skan tokens create makes one), or use 127.0.0.1:PORT or unix:PATH")
            refuse(
                !signing.isLocal && tlsCertificate == nil && !isSigningPlain,
                "--signing \(signing): without TLS, tokens and signatures would cross the network in the clear",
                hint: "give --tls-certificate and --tls-key, or --signing-plain-http where a proxy terminates TLS")
        } else {
            refuse(
                store == nil, "expected --store FILE",
                hint: "the file is created if it does not exist; only a server with --signing and "
                    + "--signing-keys needs none")
            refuse(counts != nil, "--counts: without --signing nothing is counted", hint: "give --signing too")
        }
        refuse(
            !console.isLoopback && tokens == nil,
            "--console \(console): without tokens the console has no access control and listens on loopback only",
            hint: "give --tokens FILE (skan tokens create makes one), or use 127.0.0.1:PORT and a tunnel")
        refuse(
            !console.isLoopback && tlsCertificate == nil && !isConsolePlain,
            "--console \(console): without TLS, tokens and signatures would cross the network in the clear",
            hint: "give --tls-certificate and --tls-key, or --console-plain-http where a proxy terminates TLS")
        return problems
    }

    private var sharedAddresses: [Problem] {
        var addresses = [("--console", console)]
        if store != nil { addresses.insert(("--listen", listen), at: 0) }
        if case .port(let address) = signing { addresses.append(("--signing", address)) }
        return addresses.enumerated().flatMap { index, named in
            addresses[(index + 1)...].filter { $0.1 == named.1 && $0.1.port != 0 }.map { other in
                Problem("\(named.0) and \(other.0) are both \(named.1)", hint: "give each a port of its own")
            }
        }
    }
}

/// `HOST:PORT`, with IPv6 addresses in brackets.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    /// The port; 0 for a free one.
    package let port: Int

    /// Reads `HOST:PORT`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else {
            return nil
        }
        self.host = String(host)
        self.port = port
    }

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        // By the address: a name such as 127.example.com can resolve to any machine.
        InternetAddress(host)?.isLoopback ?? (host == "localhost")
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
