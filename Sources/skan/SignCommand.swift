import ArgumentParser
import Attribution
import AttributionSigning
import Foundation

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an ad impression.",
        discussion: """
            Every value is checked against the rules of the version before anything is signed, and the signature is \
            verified with the public half of the key before it is printed. Two fidelities of one ad need two nonces: \
            run it twice.

            EXAMPLE
              skan sign --version 4.0 --network example123.skadnetwork --source-identifier 5239 \\
                --advertised-app 525463029 --source-app 1234567891 --fidelity 1 --key key.pem
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json, storekit, impression
    }

    @Option(help: "SKAdNetwork version: 1.0, 2.0, 2.1, 2.2, 3.0 or 4.0.")
    var version: String

    @Option(help: "Ad network id, spelt as in the source app's Info.plist.")
    var network: String

    @Option(name: .customLong("campaign"), help: "Campaign id, 1…100 (up to 3.0).")
    var campaign: Int64?

    @Option(help: "Source identifier, 0…9999 (4.0).")
    var sourceIdentifier: Int64?

    @Option(help: "App Store id of the advertised app.")
    var advertisedApp: Int64

    @Option(help: "App Store id of the app that shows the ad, 0 in development (from 2.0).")
    var sourceApp: Int64?

    @Option(help: "Domain of the page that shows a web ad (4.0).")
    var sourceDomain: String?

    @Option(help: "1 StoreKit-rendered or web ad, 0 view-through (from 2.2; default 1).")
    var fidelity: Int64?

    @Option(help: "Version 4 UUID in lower case (default: a fresh one).")
    var nonce: String?

    @Option(help: "When the ad is shown, Unix milliseconds (default: now).")
    var timestamp: Int64?

    @Option(help: "Private key file (PEM, mode 0600).")
    var key: String?

    @Option(help: "List of keys (JSON), from which the active one for network and version is taken.")
    var keys: String?

    @Option(help: "json (Apple's field names), storekit (loadProduct dictionary), impression (SKAdImpression).")
    var format: Format = .json

    func run() throws {
        var generator = SystemRandomNumberGenerator()
        let impression = try ImpressionRequest(
            version: version,
            adNetworkID: network,
            campaignID: campaign,
            sourceIdentifier: sourceIdentifier,
            itunesItemID: advertisedApp,
            sourceAppID: sourceApp,
            sourceDomain: sourceDomain,
            fidelityType: fidelity,
            nonce: nonce ?? Nonce(using: &generator).text,
            timestampMilliseconds: timestamp ?? Int64(Date().timeIntervalSince1970 * 1000)
        ).checked()
        let signed = try sign(impression)
        let output =
            switch format {
            case .json: signed.json
            case .storekit: try signed.storeKitProductParameters()
            case .impression: try signed.adImpressionProperties()
            }
        Terminal.write(output.pretty + "\n")
    }

    private func sign(_ impression: Impression) throws -> SignedImpression {
        switch (key, keys) {
        case (let key?, nil):
            return try ImpressionSigner(try NetworkPrivateKey(file: key)).sign(impression)
        case (nil, let keys?):
            return try NetworkSigner(try NetworkKeySet(file: keys)).sign(impression)
        default:
            throw CommandFailure(
                "expected one of --key FILE and --keys LIST", hint: "make a key with: skan keys generate key.pem")
        }
    }
}
