import ArgumentParser
import Attribution
import AttributionServer
import AttributionSigning
import StrictJSON

struct RegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Print what Apple's form for ad networks asks for.",
        discussion: """
            One registration serves SKAdNetwork and AdAttributionKit: Apple gives the network an id, and takes a P-256 \
            public key and the URL for postbacks. A registered network that changes its key or URL names its id.

            EXAMPLE
              skan register --key key.pem --origin https://network.example
            """
    )

    /// Where Apple registers ad networks.
    private static let form = "https://developer.apple.com/contact/request/ad-network-id/"

    @Option(help: "The network's private key file, whose public half is shown.", completion: .file())
    var key: String?

    @Option(help: "The network's public key file.", completion: .file())
    var publicKey: String?

    @Option(help: ArgumentHelp("The network's id, if Apple has given it one.", valueName: "id"))
    var adNetworkID: String?

    @Option(help: ArgumentHelp("The origin at which devices reach the server, https://HOST.", valueName: "origin"))
    var origin: String?

    func validate() throws {
        guard (key == nil) != (publicKey == nil) else {
            throw ValidationError("expected one of --key FILE and --public-key FILE")
        }
    }

    func run() throws {
        let key =
            try self.key.map { try NetworkPrivateKey(argument: $0).publicKey() }
            ?? SignaturePublicKey(file: publicKey ?? "")
        guard key.curve == .p256 else {
            throw CommandFailure(
                "found a key on \(key.curve.displayName), expected one on P-256, the only curve Apple registers now",
                code: .unusableKey, hint: "name the network's P-256 key; keep this one for versions 1.0 and 2.0")
        }
        let id = try adNetworkID.map { try RegisteredNetworkID($0) }
        let origin = try origin.map(Self.origin)
        let pem = try key.pem()
        Terminal.write(
            """
            Form                 \(Self.form)
            Ad network ID        \(id?.text ?? "none yet: Apple assigns it, always in lower case")
            Postback URL         \(Self.url(.skAdNetworkPostback, origin))
                                 for SKAdNetwork and AdAttributionKit
            Public key           P-256 (prime256v1), SHA256:\(key.fingerprint)

            \(pem)
            """)
        Terminal.finish()
        Terminal.say(
            """
            skan: hint: devices also request web ads at \(Self.url(.webAdPayload, origin))
            skan: hint: with the id, skan publish skadnetworkids writes what app developers need
            """)
    }

    private static func url(_ route: PublicRoute, _ origin: AttributionDestination?) -> String {
        (origin?.origin ?? "https://HOST") + route.path
    }

    private static func origin(_ text: String) throws -> AttributionDestination {
        guard let origin = AttributionDestination(text) else {
            throw FieldProblem(
                field: "origin", found: "\"\(text.shortened(to: 80))\"",
                expected: "https://HOST or https://HOST:PORT, without a path")
        }
        return origin
    }
}
