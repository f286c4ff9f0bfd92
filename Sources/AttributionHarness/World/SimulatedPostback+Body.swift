import Attribution
import AttributionSigning
import StrictJSON

extension SimulatedPostback {
    /// The body as a device sends it, signed by the stand-in.
    package func body(in scenario: Scenario, signedBy standIn: AppleStandIn) throws -> [UInt8] {
        let values = values(in: scenario)
        return version == .adAttributionKit
            ? try adAttributionKitBody(values, standIn) : try skAdNetworkBody(values, standIn)
    }

    private func skAdNetworkBody(_ values: Values, _ standIn: AppleStandIn) throws -> [UInt8] {
        var body = BodyText()
        let name = version.name
        if version > .v1_0 {
            body.sign("version", name)
        } else if flags.contains(.namesVersion) {
            body.add("version", name)
        }
        body.sign("ad-network-id", values.adNetworkID)
        if let campaignID = values.campaignID {
            body.sign("campaign-id", Int64(campaignID))
        } else if let sourceIdentifier = values.sourceIdentifier {
            body.sign("source-identifier", sourceIdentifier)
        }
        body.sign("app-id", values.appID)
        body.sign("transaction-id", id)
        if let redownload = values.redownload {
            version > .v1_0 ? body.sign("redownload", redownload) : body.add("redownload", redownload)
        }
        if let app = values.sourceApp {
            body.sign("source-app-id", app)
        } else if let domain = values.sourceDomain {
            body.sign("source-domain", domain)
        }
        if let fidelity = values.fidelity {
            body.sign("fidelity-type", Int64(fidelity))
        }
        if let didWin = values.didWin {
            body.sign("did-win", didWin)
        }
        if let index = values.sequenceIndex {
            body.sign("postback-sequence-index", Int64(index))
        }
        body.add(conversion)
        let curve: SignatureCurve = version < .v2_1 ? .p192 : .p256
        body.add("attribution-signature", Base64.encode(try standIn.signature(over: body.signed, curve)))
        return body.finish()
    }

    /// The header of every JWS, in base64url.
    private static let header = Base64URL.encode(
        Array("{\"kid\":\"\(PostbackKeyID.test.rawValue)\",\"alg\":\"ES256\"}".utf8))

    private func adAttributionKitBody(_ values: Values, _ standIn: AppleStandIn) throws -> [UInt8] {
        var payload = BodyText()
        payload.add("postback-identifier", id)
        payload.add("ad-network-identifier", values.adNetworkID)
        payload.add("advertised-item-identifier", values.appID)
        if let app = values.sourceApp {
            payload.add("publisher-item-identifier", app)
        }
        payload.add("source-identifier", values.sourceIdentifier ?? "")
        payload.add("conversion-type", values.conversionType ?? "")
        payload.add("impression-type", "app-impression")
        if let marketplace = values.marketplace {
            payload.add("marketplace-identifier", marketplace)
        }
        payload.add("did-win", values.didWin ?? false)
        payload.add("postback-sequence-index", Int64(values.sequenceIndex ?? 0))
        let signed = Self.header + "." + Base64URL.encode(payload.finish())
        var body = BodyText()
        body.add("jws-string", signed + "." + Base64URL.encode(try standIn.jwsSignature(over: Array(signed.utf8))))
        body.add("ad-interaction-type", values.interaction ?? "")
        body.add(conversion)
        if let country = values.country {
            body.add("country-code", country)
        }
        return body.finish()
    }
}

/// A JSON object in one line, and beside it the text that is signed: values joined by U+2063.
private struct BodyText {
    private var text: [UInt8] = []
    private(set) var signed: [UInt8] = []

    init() {
        text.reserveCapacity(704)
        signed.reserveCapacity(192)
        text.append(UInt8(ascii: "{"))
    }

    /// Ends the object, once.
    mutating func finish() -> [UInt8] {
        text.append(UInt8(ascii: "}"))
        return text
    }

    mutating func sign(_ name: String, _ value: String) {
        add(name, value)
        join(value)
    }

    /// Signs a number or a boolean.
    mutating func sign(_ name: String, _ value: some CustomStringConvertible) {
        add(name, value)
        join(value.description)
    }

    mutating func add(_ name: String, _ value: String) {
        begin(name)
        // Hardly any value has something to escape, and every postback has ten.
        let isPlain = value.utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        guard isPlain else {
            text.append(contentsOf: JSONText.string(value).line.utf8)
            return
        }
        text.append(UInt8(ascii: "\""))
        text.append(contentsOf: value.utf8)
        text.append(UInt8(ascii: "\""))
    }

    /// Adds a number or a boolean.
    mutating func add(_ name: String, _ value: some CustomStringConvertible) {
        begin(name)
        text.append(contentsOf: value.description.utf8)
    }

    mutating func add(_ conversion: SimulatedConversion) {
        switch conversion {
        case .absent: break
        case .fine(let value): add("conversion-value", Int64(value))
        case .coarse(let value): add("coarse-conversion-value", value.rawValue)
        }
    }

    private mutating func begin(_ name: String) {
        if text.count > 1 {
            text.append(UInt8(ascii: ","))
        }
        text.append(UInt8(ascii: "\""))
        text.append(contentsOf: name.utf8)
        text.append(contentsOf: "\":".utf8)
    }

    private mutating func join(_ value: String) {
        if !signed.isEmpty {
            signed.append(contentsOf: [0xE2, 0x81, 0xA3])
        }
        signed.append(contentsOf: value.utf8)
    }
}
