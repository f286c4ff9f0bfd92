import Attribution
import StrictJSON

/// Something around a postback in a partner's export that no device sends.
enum Wrapping {
    /// An object with the postback under `postback`.
    case object([UInt8])
    /// The compact JWS of AdAttributionKit without the object around it.
    case jws(String)

    /// Recognizes what a record is wrapped in; nil for a postback and for anything else.
    init?(_ record: JSONObjectSplitter.Record) {
        switch record.bytes.first {
        case UInt8(ascii: "{"):
            guard let object = try? JSONObject(reading: record.bytes, limit: JSONObjectSplitter.longestRecord),
                case .nested(let text) = object["postback"], object["attribution-signature"] == nil,
                object["jws-string"] == nil
            else {
                return nil
            }
            self = .object(Array(text.utf8))
        case UInt8(ascii: "\""):
            // A string in an array.
            guard
                case .string(let text) = (try? JSONObject(reading: Array("{\"s\":".utf8) + record.bytes + [0x7D]))?["s"],
                Self.isCompactJWS(text.utf8)
            else {
                return nil
            }
            self = .jws(text)
        default:
            guard Self.isCompactJWS(record.bytes) else {
                return nil
            }
            self = .jws(String(decoding: record.bytes, as: UTF8.self))
        }
    }

    /// The postback as a device would send it.
    var body: [UInt8] {
        switch self {
        case .object(let body): body
        case .jws(let text): Array(JSONText.object([("jws-string", .string(text))]).line.utf8)
        }
    }

    /// What it is, and what to do.
    var explanation: String {
        switch self {
        case .object: "the postback is inside \"postback\"; --unwrap reads it"
        case .jws: "it is a compact JWS, which a device sends as \"jws-string\" in an object; --unwrap reads it"
        }
    }

    /// Three parts in base64url, joined by dots.
    private static func isCompactJWS(_ text: some Collection<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }
}
