import ArgumentParser
import Attribution
import AttributionIngest
import AttributionStore
import Foundation

extension WebAdCommand {
    struct Issue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issue web ads, beside a running server or without one, and print their links.",
            discussion: """
                An ad is remembered beside the store, in FILE-web-ads, before its link is printed. Its nonce is \
                answered once, within its lifetime, and only on the given domains. Issue one for each impression.
                """
        )

        enum Format: String, CaseIterable, ExpressibleByArgument {
            case json, html
        }

        @Option(help: "The server's store.")
        var store: String

        @Option(help: "Ad network id, spelt as registered.")
        var network: String

        @Option(help: "App Store id of the advertised app.")
        var advertisedApp: Int64

        @Option(help: "Source identifier, 0…9999.")
        var sourceIdentifier: Int64

        @Option(
            name: .customLong("source-domain"), parsing: .singleValue,
            help: "Registrable domain (eTLD+1) of pages that may show it; may be repeated. Without it, any domain.")
        var sourceDomains: [String] = []

        @Option(help: "The origin devices ask, https://HOST.")
        var destination: String

        @Option(help: "What the link says.")
        var label = "Get the app"

        @Option(help: "How long it may be tapped, seconds; up to 30 days.")
        var lifetime = WebAdRequest.standardLifetimeSeconds

        @Option(help: "From when its lifetime runs, Unix milliseconds (default: now).")
        var issuedAt: Int64?

        @Option(help: "How many, each with a nonce of its own.")
        var count = 1

        @Option(help: "json (one object a line) or html (one link a line).")
        var format: Format = .json

        func validate() throws {
            guard (1...100_000).contains(count) else {
                throw ValidationError("expected --count 1…100000")
            }
        }

        func run() async throws {
            // A misspelt path would get a file of its own, and no server would know the ads in it.
            guard FileManager.default.fileExists(atPath: store) else {
                throw StoreError.missing(path: store)
            }
            let ledger = try SQLiteWebAdLedger(path: SQLiteWebAdLedger.path(besideStore: store))
            let request = WebAdRequest(
                adNetworkID: network,
                itunesItemID: advertisedApp,
                sourceIdentifier: sourceIdentifier,
                sourceDomains: sourceDomains,
                attributionDestination: destination,
                label: label,
                lifetimeSeconds: lifetime
            )
            let links = try await WebAdIssuer(ledger: ledger).issue(
                request, count: count, issuedAtMilliseconds: issuedAt,
                nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            try ledger.close()
            for link in links {
                Terminal.write((format == .json ? link.json.line : link.html) + "\n")
            }
        }
    }
}
