import ArgumentParser
import Attribution
import AttributionSigning
import Foundation
import StrictJSON

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an ad impression.",
        discussion: """
            Every value is checked against the rules of the framework and version before signing, and the signature is \
            verified with the public key before it is printed. Two fidelities of one ad need two nonces: run it twice. \
            An AdAttributionKit impression serves both.

            EXAMPLES
              skan sign --version 4.0 --network example123.skadnetwork --source-identifier 5239 \\
                --advertised-app 525463029 --source-app 1234567891 --fidelity 1 --key key.pem
              skan sign --framework adattributionkit --network example123.adattributionkit --source-identifier 5239 \\
                --advertised-app 525463029 --source-app 1234567891 --key key.pem
            """
    )

    enum Framework: String, CaseIterable, ExpressibleByArgument {
        case skadnetwork, adattributionkit
    }

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json, storekit, impression, jws
    }

    @Option(help: "skadnetwork or adattributionkit.")
    var framework: Framework = .skadnetwork

    @Option(help: "SKAdNetwork version: 1.0, 2.0, 2.1, 2.2, 3.0 or 4.0.", completion: .versions)
    var version: String?

    @Option(help: "Ad network id, spelled as in the source app's Info.plist.")
    var network: String?

    @Option(name: .customLong("campaign"), help: "Campaign id, 1…100 (SKAdNetwork up to 3.0).")
    var campaign: Int64?

    @Option(help: "Source identifier, 0…9999 (SKAdNetwork 4.0, AdAttributionKit).")
    var sourceIdentifier: Int64?

    @Option(help: "App Store id of the advertised app.")
    var advertisedApp: Int64?

    @Option(help: "App Store id of the app that shows the ad, 0 in development (from SKAdNetwork 2.0).")
    var sourceApp: Int64?

    @Option(help: "Domain of the page that shows a web ad (SKAdNetwork 4.0).")
    var sourceDomain: String?

    @Option(help: "1 StoreKit-rendered or web ad, 0 view-through (from SKAdNetwork 2.2; default 1).")
    var fidelity: Int64?

    @Flag(help: "A click may lead to a re-engagement (AdAttributionKit, iOS 18).")
    var reEngagement = false

    @Option(help: "Version 4 UUID in lowercase (default: a random one).")
    var nonce: String?

    @Option(help: "When the ad is shown, Unix milliseconds (default: now).")
    var timestamp: Int64?

    @Option(help: "Private key file (PEM, mode 0600); - for standard input.", completion: .file())
    var key: String?

    @OptionGroup var keys: SigningKeysOption

    @Option(
        help: """
            json (Apple's field names), storekit (loadProduct dictionary), impression (SKAdImpression), jws (the \
            compact JWS alone).
            """)
    var format: Format = .json

    func run() throws {
        switch framework {
        case .skadnetwork: Terminal.write(try skAdNetworkOutput().pretty + "\n")
        case .adattributionkit:
            let signed = try adAttributionKitImpression()
            Terminal.write((format == .jws ? signed.compactJWS : signed.json.pretty) + "\n")
        }
    }

    private func skAdNetworkOutput() throws -> JSONText {
        try refuse([("re-engagement", reEngagement), ("format jws", format == .jws)])
        guard let version, let network, let advertisedApp, hasKey else {
            throw lacking([("--version VERSION", version == nil)])
        }
        let impression = try SKAdNetworkImpressionDraft(
            version: version,
            adNetworkID: network,
            campaignID: campaign,
            sourceIdentifier: sourceIdentifier,
            itunesItemID: advertisedApp,
            sourceAppID: sourceApp,
            sourceDomain: sourceDomain,
            fidelityType: fidelity,
            nonce: nonce ?? Self.freshNonce(),
            timestampMilliseconds: timestamp ?? Self.now()
        ).checked()
        let signed = try sign(with: { try $0.sign(impression) }, or: { try $0.sign(impression) })
        switch format {
        case .json, .jws: return signed.json
        case .storekit: return try signed.storeKitProductParameters()
        case .impression: return try signed.adImpressionProperties()
        }
    }

    private func adAttributionKitImpression() throws -> SignedAdAttributionKitImpression {
        try refuse([
            ("version", version != nil), ("campaign", campaign != nil), ("source-domain", sourceDomain != nil),
            ("fidelity", fidelity != nil), ("format \(format.rawValue)", format == .storekit || format == .impression),
        ])
        guard let network, let advertisedApp, hasKey else {
            throw lacking([])
        }
        let impression = try AdAttributionKitImpressionDraft(
            impressionIdentifier: nonce ?? Self.freshNonce(),
            publisherItemIdentifier: sourceApp,
            advertisedItemIdentifier: advertisedApp,
            adNetworkIdentifier: network,
            sourceIdentifier: sourceIdentifier,
            timestampMilliseconds: timestamp ?? Self.now(),
            isEligibleForReEngagement: reEngagement
        ).checked()
        return try sign(with: { try $0.sign(impression) }, or: { try $0.sign(impression) })
    }

    private var hasKey: Bool {
        key != nil || keys.file(besides: key) != nil
    }

    /// Names every missing option.
    private func lacking(_ more: [(form: String, isMissing: Bool)]) -> CommandFailure {
        let options =
            more + [
                ("--network ID", network == nil), ("--advertised-app ID", advertisedApp == nil),
                ("one of --key FILE and --keys LIST", !hasKey),
            ]
        let missing = options.filter(\.isMissing).map(\.form)
        let isKeyAlone = missing.count == 1 && !hasKey
        return CommandFailure(
            "expected \(missing.joined(separator: ", "))",
            hint: isKeyAlone ? "make a key with: skan keys generate key.pem" : "skan help sign")
    }

    /// Refuses options that the framework does not have, instead of silently ignoring them.
    private func refuse(_ options: [(name: String, isGiven: Bool)]) throws {
        for option in options where option.isGiven {
            let other = Framework.allCases.first { $0 != framework } ?? framework
            throw CommandFailure(
                "--\(option.name): found with --framework \(framework.rawValue), which does not have it",
                hint: "leave it out, or give --framework \(other.rawValue)")
        }
    }

    private func sign<Signed>(
        with one: (ImpressionSigner) throws -> Signed,
        or many: (NetworkSigner) throws -> Signed
    ) throws -> Signed {
        switch (key, keys.file(besides: key)) {
        case (let key?, nil): return try one(ImpressionSigner(try NetworkPrivateKey(argument: key)))
        case (nil, let keys?): return try many(NetworkSigner(try NetworkKeySet(file: keys)))
        default:
            throw CommandFailure("found --key and --keys, expected one of them", hint: "skan help sign")
        }
    }

    private static func freshNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Nonce(using: &generator).text
    }

    private static func now() -> Int64 {
        UnixMilliseconds(Date()).rawValue
    }
}
