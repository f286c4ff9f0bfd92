import Attribution
import AttributionSigning
import StrictJSON

/// A JWS as it claims to be, to be put right part by part; what is made of it proves nothing until it verifies.
struct ClaimedJWS {
    /// The three parts, as received or encoded again; the payload as it was before it was replaced.
    private var parts: [String]
    /// The JSON of the header; replacing it encodes it again.
    var header: String? {
        didSet { parts[0] = header.map { Base64URL.encode($0.utf8) } ?? parts[0] }
    }
    /// The fields of the payload; where they are replaced, it is encoded again, without white space as Apple does.
    var payload: [JSONField] {
        didSet { isPayloadReplaced = true }
    }
    /// Encoded only when it is needed: most repairs are never tried.
    private var isPayloadReplaced = false

    /// Why the payload has no fields: it is not one JSON object; nil if it is.
    let payloadProblem: JSONError?

    /// Splits a text; nil if it does not have three parts.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 3, parts[2] != "" else {
            return nil
        }
        self.parts = parts
        header = Self.decoded(parts[0]).map { String(decoding: $0, as: UTF8.self) }
        do throws(JSONError) {
            guard let bytes = Self.decoded(parts[1]) else {
                throw .syntax(offset: 0, expected: "base64url")
            }
            payload = try JSONObject(reading: bytes).fields
            payloadProblem = nil
        } catch {
            payload = []
            payloadProblem = error
        }
    }

    /// The whole text.
    var text: String { signed + "." + parts[2] }

    /// Header and payload, which are signed.
    var signed: String {
        parts[0] + "." + (isPayloadReplaced ? Base64URL.encode(Self.json(payload).utf8) : parts[1])
    }

    /// The JSON of header and payload, for people.
    var signedText: String? {
        guard let header, let payload = isPayloadReplaced ? Array(Self.json(payload).utf8) : Self.decoded(parts[1])
        else {
            return nil
        }
        return header + "." + String(decoding: payload, as: UTF8.self)
    }

    /// The last part; replacing it encodes it again.
    var signature: [UInt8]? {
        get { Self.decoded(parts[2]) }
        set { parts[2] = newValue.map { Base64URL.encode($0) } ?? parts[2] }
    }

    /// The same in base64url without padding, whatever alphabet and padding it had.
    var respelled: ClaimedJWS {
        var copy = self
        copy.parts = parts.map(Self.respelled)
        return copy
    }

    private static func json(_ payload: [JSONField]) -> String {
        JSONText.object(payload.map { ($0.name, $0.value.text) }).line
    }

    private static func decoded(_ part: String) -> [UInt8]? {
        Base64URL.decode(Array(part.utf8)) ?? Base64URL.decode(Array(respelled(part).utf8))
    }

    private static func respelled(_ part: String) -> String {
        let digits = SignatureSpelling.cleaned(part).filter { $0 != "=" }
        return String(digits.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
