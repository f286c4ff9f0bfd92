package import Attribution
import StrictJSON

/// A change to a signed field or the signature of a genuine postback, after which it must not verify.
package struct Tampering: Sendable, CustomStringConvertible {
    /// The field that was changed.
    package let field: PostbackField
    /// A description of the change.
    package let change: String
    /// The changed body with the original signature.
    package let body: [UInt8]

    /// The field and the change.
    package var description: String {
        "\(field.rawValue) \(change)"
    }

    /// Whether the verifier detected the change.
    package func isDetected(by judgement: Judgement) -> Bool {
        if case .rejected(let rejection, _) = judgement { rejection.code == .invalidSignature } else { false }
    }

    /// Every change to every signed field and to the signature.
    package static func changes(of postback: ReceivedPostback) -> [Tampering] {
        let draft = postback.draft
        let fields: [PostbackField] =
            switch postback {
            case .skAdNetwork(let postback): PostbackField.signed(in: postback.version).filter { $0 != .version }
            case .adAttributionKit: PostbackField.allCases
            }
        let changes = fields.flatMap { field in
            values(for: field, of: draft).map { change, value in
                Tampering(
                    field: field, change: change,
                    body: draft.replacing(field, with: value).body(signature: postback.signature))
            }
        }
        return changes + signatures(of: postback, draft)
    }

    private static func signatures(of postback: ReceivedPostback, _ draft: any SignableDraft) -> [Tampering] {
        var flipped = postback.signature
        flipped[flipped.count - 1] ^= 1
        guard case .adAttributionKit(let postback) = postback else {
            return [
                Tampering(
                    field: .attributionSignature, change: "with one bit flipped", body: draft.body(signature: flipped))
            ]
        }
        // A signature must not contain the number 0.
        let zeros = [UInt8](repeating: 0, count: 64)
        return [("with one bit flipped", flipped), ("all zeros", zeros)].map { change, signature in
            let jws = String(decoding: postback.jws.signedBytes, as: UTF8.self) + "." + Base64URL.encode(signature)
            let field = JSONField(name: PostbackField.jwsString.rawValue, value: .string(jws))
            return Tampering(field: .jwsString, change: change, body: ([field] + postback.unprovenFields).body)
        }
    }

    /// Other values for a field.
    private static func values(for field: PostbackField, of draft: any SignableDraft) -> [(String, JSONValue?)] {
        let value = draft[field]
        switch value {
        case .string where field == .conversionType:
            let other = ConversionType.allCases.first { .string($0.rawValue) != value }
            return [("changed", .string(other?.rawValue ?? ""))]
        case .string(let text):
            var changes: [(String, JSONValue?)] = [
                ("with its end changed", .string(text.dropLast() + (text.last == "1" ? "2" : "1")))
            ]
            if !text.allSatisfy(\.isNumber) {
                let other = text == text.uppercased() ? text.lowercased() : text.uppercased()
                changes.append(("in other letter case", .string(other)))
            }
            if field == .sourceDomain || field == .marketplaceIdentifier {
                changes.append(("removed", nil))
            }
            return changes
        case .integer(let number):
            // Stays within the range of a sequence index, so that the signature decides.
            let other = field == .sequenceIndex ? (number + 1) % 3 : number ^ 1
            let isOptional = field == .sourceAppID || field == .publisherItemIdentifier
            return [("changed", .integer(other))] + (isOptional ? [("removed", nil)] : [])
        case .bool(let isTrue):
            return [("inverted", .bool(!isTrue))]
        case nil where field == .sourceAppID && draft[.version] != nil && draft[.sourceDomain] == nil,
            nil where field == .publisherItemIdentifier && draft[.postbackIdentifier] != nil:
            // Like a forwarder that replaces absent numbers with zeros.
            return [("filled in with 0", .integer(0))]
        default:
            return []
        }
    }
}
