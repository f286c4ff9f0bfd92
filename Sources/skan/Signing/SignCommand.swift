import ArgumentParser
package import Attribution
import AttributionServer
import AttributionSigning
import Foundation
import StrictJSON

struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an ad impression, or a file of orders.",
        discussion: """
            Every value is checked against the rules of the framework and version before signing, and the signature is \
            verified with the public key before it is printed. Two fidelities of one ad need two nonces: run it twice. \
            An AdAttributionKit impression serves both.

            --batch signs orders as POST /v1/impressions takes them, one per line, on all cores. The answers have the \
            order of the lines, and their numbers; a line that is refused refuses no other. Exits with status 0 if all \
            were signed, otherwise 1.

            EXAMPLES
              skan sign --version 4.0 --network example123.skadnetwork --source-identifier 5239 \\
                --advertised-app 525463029 --source-app 1234567891 --fidelity 1 --key key.pem
              skan sign --framework adattributionkit --network example123.adattributionkit --source-identifier 5239 \\
                --advertised-app 525463029 --source-app 1234567891 --key key.pem
              skan sign --batch orders.ndjson --keys networks.json > impressions.ndjson
            """
    )

    enum Framework: String, CaseIterable, ExpressibleByArgument {
        case skadnetwork, adattributionkit
    }

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json, storekit, impression, jws, swift
    }

    @Option(help: "skadnetwork or adattributionkit.")
    var framework: Framework = .skadnetwork

    @Option(help: "SKAdNetwork version.")
    var version: SKAdNetworkVersion?

    @Option(help: ArgumentHelp("Ad network id, spelled as in the source app's Info.plist.", valueName: "id"))
    var network: String?

    @Option(help: ArgumentHelp("Campaign id, 1…100 (SKAdNetwork up to 3.0).", valueName: "n"))
    var campaign: Int64?

    @Option(help: ArgumentHelp("Source identifier, 0…9999 (SKAdNetwork 4.0, AdAttributionKit).", valueName: "n"))
    var sourceIdentifier: Int64?

    @Option(help: ArgumentHelp("App Store id of the advertised app.", valueName: "id"))
    var advertisedApp: Int64?

    @Option(
        help: ArgumentHelp(
            "App Store id of the app that shows the ad, 0 in development (from SKAdNetwork 2.0).", valueName: "id"))
    var sourceApp: Int64?

    @Option(
        help: ArgumentHelp(
            "Domain of the page that shows a web ad, in lower case (SKAdNetwork 4.0).", valueName: "domain"))
    var sourceDomain: String?

    @Option(
        help: "1 StoreKit-rendered or web ad, 0 view-through (from SKAdNetwork 2.2; default 1).",
        completion: .list(["0", "1"]))
    var fidelity: Int64?

    @Flag(help: "A click may lead to a re-engagement (AdAttributionKit, iOS 18).")
    var reEngagement = false

    @Option(help: "Version 4 UUID in lowercase (default: a random one).")
    var nonce: String?

    @Option(help: "When the ad is shown, Unix milliseconds (default: now).")
    var timestamp: Int64?

    @Option(help: "Private key file (PEM) that others cannot read; - for standard input.", completion: .file())
    var key: String?

    @OptionGroup var keys: SigningKeysOption

    @Option(
        help: """
            json (Apple's field names), storekit (loadProduct dictionary), impression (SKAdImpression), jws (the \
            compact JWS alone), swift (code to paste into the app).
            """)
    var format: Format = .json

    @Option(
        help: ArgumentHelp("Sign the orders in a file, one per line; - for standard input.", valueName: "file"),
        completion: .file())
    var batch: String?

    func run() async throws {
        if let batch {
            try refuseOptionsOfOne()
            guard batch != "-" || key != "-" else {
                throw CommandFailure(
                    "found --batch - and --key -, but standard input can be only one of them", hint: "skan help sign")
            }
            return try await SignBatch(keys: signingKeys(), time: timestamp).run(batch)
        }
        try refuseOptions()
        guard let network, let advertisedApp, missingOptions.isEmpty else {
            throw lackingOptions
        }
        let impression = try impression(network, advertisedApp: advertisedApp)
        Terminal.write(try output(of: try await sign(impression)) + "\n")
    }

    private func impression(_ network: String, advertisedApp: Int64) throws -> Impression {
        let id = try AdNetworkID.ofSetting(network, field: "network")
        if let warning = id.caseWarning {
            Terminal.say("skan: warning: --network: \(warning)")
        }
        var generator = SystemRandomNumberGenerator()
        let nonce = nonce ?? Nonce(using: &generator).text
        let time = timestamp ?? UnixMilliseconds(Date()).rawValue
        switch framework {
        case .skadnetwork:
            guard let version else {
                throw lackingOptions
            }
            return .skAdNetwork(
                try SKAdNetworkImpressionDraft(
                    version: version.rawValue, adNetworkID: network, campaignID: campaign,
                    sourceIdentifier: sourceIdentifier, itunesItemID: advertisedApp, sourceAppID: sourceApp,
                    sourceDomain: try sourceDomain.map { try SourceDomain.given($0, field: "source-domain").text },
                    fidelityType: fidelity, nonce: nonce, timestampMilliseconds: time
                ).checked())
        case .adattributionkit:
            return .adAttributionKit(
                try AdAttributionKitImpressionDraft(
                    impressionIdentifier: nonce, publisherItemIdentifier: sourceApp,
                    advertisedItemIdentifier: advertisedApp, adNetworkIdentifier: network,
                    sourceIdentifier: sourceIdentifier, timestampMilliseconds: time,
                    isEligibleForReEngagement: reEngagement
                ).checked())
        }
    }

    private func output(of signed: SignedImpression) throws -> String {
        switch (signed, format) {
        case (.skAdNetwork(let signed), .json), (.skAdNetwork(let signed), .jws): JSONWriter.pretty(signed.write)
        case (.skAdNetwork(let signed), .storekit): try JSONWriter.pretty(signed.writeStoreKitProductParameters)
        case (.skAdNetwork(let signed), .impression): try JSONWriter.pretty(signed.writeAdImpressionProperties)
        case (.skAdNetwork(let signed), .swift): try signed.swiftCode()
        case (.adAttributionKit(let signed), .jws): signed.compactJWS
        case (.adAttributionKit(let signed), .swift): signed.swiftCode
        case (.adAttributionKit(let signed), _): JSONWriter.pretty(signed.write)
        }
    }

    private func sign(_ impression: Impression) async throws -> SignedImpression {
        let keys = try signingKeys()
        let signer = try keys.signer(for: impression)
        do {
            return try signer.sign(impression)
        } catch let needed as ExternalSignatureNeeded {
            let signatures = await keys.externalSigners().signatures(for: [needed.request])
            return try signer.sign(impression, with: signatures)
        }
    }

    /// The signer with the key or the keys that were given.
    private func signingKeys() throws -> SignBatch.Keys {
        switch (key, keys.file(besides: key)) {
        case (let key?, nil): return .one(try ImpressionSigner(try NetworkPrivateKey(argument: key)))
        case (nil, let keys?): return .many(try NetworkSigner(try NetworkKeySet(file: keys)))
        case (_?, _?): throw CommandFailure("found --key and --keys, expected one of them", hint: "skan help sign")
        case (nil, nil): throw CommandFailure("expected one of --key FILE and --keys LIST", hint: "skan help sign")
        }
    }
}

extension SKAdNetworkVersion: ExpressibleByArgument {}
