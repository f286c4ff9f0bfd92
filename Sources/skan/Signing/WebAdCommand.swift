import ArgumentParser
import Attribution
import AttributionConsole
import AttributionIngest
import AttributionServer
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import SQLiteStore
import StrictJSON

struct WebAdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web-ad",
        abstract: "Issue links of web ads (4.0, Safari), and tap them as a device does.",
        discussion: """
            A server started with --signing-keys answers each issued nonce once, at \
            /.well-known/skadnetwork/get-signed-payload.

            EXAMPLE
              skan web-ad issue --store skan.sqlite --network example123.skadnetwork --source-identifier 3120 \\
                --advertised-app 525463029 --source-domain example.com --destination https://network.example \\
              | skan web-ad tap --source-domain example.com --network-key key.pem --url http://127.0.0.1:8080
            """,
        subcommands: [Issue.self, Tap.self]
    )
}

extension WebAdCommand {
    struct Issue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issue web ads, with or without a running server, and print their links.",
            discussion: """
                An ad is stored beside the store, in FILE-web-ads, before its link is printed. Its nonce is answered \
                once, within its lifetime, and only on the given domains. Issue one for each impression.

                The network must have a key, or no tap could be answered. If a server owns the store, it issues the \
                ads with its own list of keys; otherwise --keys (or SKAN_SIGNING_KEYS) names the list of the server \
                that will answer the taps.
                """
        )

        enum Format: String, CaseIterable, ExpressibleByArgument {
            case json, html
        }

        @OptionGroup var store: StoreOption

        @OptionGroup var keys: SigningKeysOption

        @Option(help: ArgumentHelp("Ad network id, spelled as registered.", valueName: "id"))
        var network: String

        @Option(help: ArgumentHelp("App Store id of the advertised app.", valueName: "id"))
        var advertisedApp: Int64

        @Option(help: ArgumentHelp("Source identifier, 0…9999.", valueName: "n"))
        var sourceIdentifier: Int64

        @Option(
            name: .customLong("source-domain"), parsing: .singleValue,
            help: "Registrable domain (eTLD+1) of pages that may show it; may be repeated. Without it, any domain.")
        var sourceDomains: [String] = []

        @Option(help: ArgumentHelp("The origin that devices request, https://HOST.", valueName: "origin"))
        var destination: String

        @Option(help: "The link's text.")
        var label = "Get the app"

        @Option(help: "Lifetime in seconds; up to 30 days.")
        var lifetime = WebAdRequest.standardLifetimeSeconds

        @Option(help: "Start of its lifetime, Unix milliseconds (default: now).")
        var issuedAt: Int64?

        @Option(help: "Number of ads, each with its own nonce.")
        var count = 1

        @Option(help: "json (one object per line) or html (one link per line).")
        var format: Format = .json

        func validate() throws {
            guard (1...100_000).contains(count) else {
                throw ValidationError("expected --count 1…100000")
            }
        }

        func run() async throws {
            let request = WebAdRequest(
                adNetworkID: network, itunesItemID: advertisedApp, sourceIdentifier: sourceIdentifier,
                sourceDomains: sourceDomains, attributionDestination: destination, label: label,
                lifetimeSeconds: lifetime)
            // Refuses invalid values before using the store or its owner.
            let now = UnixMilliseconds(Date())
            let time = issuedAt.map(UnixMilliseconds.init)
            var generator = SystemRandomNumberGenerator()
            let expiry = try request.checked(nonce: Nonce(using: &generator), issuedAt: time ?? now).ad.expiresAt
            let ownership = try StoreOwnership(try store.location)
            let links = try await ownership.change {
                func issue(in ledger: any WebAdWriting, _ signer: CurrentSigner) async throws -> [String] {
                    defer { _ = try? ledger.close() }
                    return try await WebAdIssuer(ledger: ledger, signer: signer).issue(
                        request, count: count, issuedAt: time, now: now
                    ).map { format == .json ? $0.json.line : $0.html }
                }
                if case .database(let address) = ownership.location {
                    return try await issue(in: PostgreSQLWebAdLedger(address), try signer())
                }
                // The owner of the store answers the taps, whatever the name under which it opened the store.
                let hold = try StoreLease(owning: ownership.store)
                defer { hold.release() }
                // Only now: a running server has its own keys.
                let signer = try signer()
                let path = SQLiteWebAdLedger.path(besideStore: ownership.store)
                return try await issue(in: SQLiteWebAdLedger(path: path, onEvent: StoreOwnership.say), signer)
            } owner: { owner in
                try await owner.issue(request, count: count, issuedAtMilliseconds: issuedAt).map { line in
                    try format == .json ? line : Self.html(of: line)
                }
            }
            for link in links {
                Terminal.write(link + "\n")
            }
            if expiry <= now {
                let end = Date(timeIntervalSince1970: Double(expiry.rawValue) / 1_000).ISO8601Format()
                Terminal.say("skan: warning: these ads expired at \(end): taps on them are answered nonce-expired")
            }
        }

        /// What could answer the taps.
        private func signer() throws -> CurrentSigner {
            guard let file = keys.file(besides: nil) else {
                throw CommandFailure(
                    "expected --keys LIST: without a key for the network no tap could be answered",
                    code: .noSigningKeys, hint: "give the list of the server that answers: --keys networks.json")
            }
            return CurrentSigner(try NetworkSigner(try NetworkKeySet(file: file)))
        }

        private static func html(of line: String) throws -> String {
            struct Link: Decodable {
                let html: String
            }
            return try JSONDecoder().decode(Link.self, from: Data(line.utf8)).html
        }
    }
}
