import Attribution
import AttributionSigning
import StrictJSON

/// Reads the payload of a web ad like a device, and reports everything for which a device would drop it.
struct WebAdPayloadReader {
    /// How far the timestamp may be from the device's clock; Apple gives no figure.
    static let clockToleranceMilliseconds: Int64 = 5 * 60_000
    private static let names = [
        "version", "ad_network_id", "source_identifier", "itunes_item_id", "nonce", "source_domain", "timestamp",
        "signature",
    ]

    private let object: JSONObject
    private(set) var problems: [FieldProblem] = []

    /// Reads the JSON.
    init(_ body: [UInt8]) throws(JSONError) {
        object = try JSONObject(reading: body)
        for field in object.fields where !Self.names.contains(field.name) {
            problems.append(FieldProblem(field: field.name, found: "a field", expected: "no field with this name"))
        }
    }

    /// The impression that the device stores at `now`, in Unix milliseconds; nil if there are ``problems``.
    ///
    /// Checks every field against the link and the page, and the signature against the network's key.
    mutating func impression(
        _ link: WebAdPageLink, sourceDomain: String, key: SignaturePublicKey, now: Int64
    ) -> SKAdNetworkImpression? {
        expect("version", .string("4.0"))
        expect("source_domain", .string(sourceDomain))
        expect("itunes_item_id", .integer(link.itunesItemID))
        let nonce = Nonce(base64URL: link.attributionSourceNonce)
        expect("nonce", .string(nonce?.text ?? "the UUID of \(link.attributionSourceNonce)"))
        let network = text("ad_network_id")
        let identifier = integer("source_identifier")
        let timestamp = integer("timestamp")
        if let timestamp,
            !(now - Self.clockToleranceMilliseconds...now + Self.clockToleranceMilliseconds).contains(timestamp)
        {
            note("timestamp", "within five minutes of \(now)")
        }
        guard let signature = text("signature"), let network, let identifier, let timestamp, let nonce,
            problems.isEmpty
        else {
            return nil
        }
        let impression: SKAdNetworkImpression
        do {
            impression = try WebAdContent(
                adNetworkID: network, itunesItemID: link.itunesItemID, sourceIdentifier: identifier
            ).impression(
                nonce: nonce, sourceDomain: try .received(sourceDomain, field: "source_domain"),
                at: UnixMilliseconds(rawValue: timestamp))
        } catch {
            problems.append(error)
            return nil
        }
        guard let der = Base64.decode(signature), key.verifies(der, for: impression.signedText) else {
            note("signature", "one that verifies with the network's public key over \(impression.signedText)")
            return nil
        }
        return impression
    }

    private mutating func expect(_ name: String, _ value: JSONValue) {
        if object[name] != value {
            note(name, value.summary)
        }
    }

    private mutating func text(_ name: String) -> String? {
        guard case .string(let text) = object[name] else {
            note(name, "a string")
            return nil
        }
        return text
    }

    private mutating func integer(_ name: String) -> Int64? {
        guard case .integer(let number) = object[name] else {
            note(name, "a whole number")
            return nil
        }
        return number
    }

    private mutating func note(_ name: String, _ expected: String) {
        problems.append(FieldProblem(field: name, found: object[name]?.summary ?? "nothing", expected: expected))
    }
}
