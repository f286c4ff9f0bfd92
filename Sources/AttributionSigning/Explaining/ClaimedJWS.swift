import Attribution
import StrictJSON

/// A JWS as it claims to be, to be put right part by part; what is made of it proves nothing until it verifies.
struct ClaimedJWS {
    /// The three parts, as received or encoded again.
    private(set) var parts: [String]
    /// The JSON of the header; replacing it encodes it again.
    var header: String? {
        didSet { parts[0] = header.map { Base64URL.encode($0.utf8) } ?? parts[0] }
    }
    /// The fields of the payload; replacing them encodes it again, without white space as Apple does.
    var payload: [JSONField] {
        didSet { parts[1] = Base64URL.encode(JSONText.object(payload.map { ($0.name, $0.value.text) }).line.utf8) }
    }

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
    var text: String {
        parts.joined(separator: ".")
    }

    /// The JSON of header and payload, for people.
    var signedText: String? {
        guard let header, let payload = Self.decoded(parts[1]) else {
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

    private static func decoded(_ part: String) -> [UInt8]? {
        Base64URL.decode(Array(respelled(part).utf8))
    }

    private static func respelled(_ part: String) -> String {
        String(SignatureSpelling.cleaned(part).filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
