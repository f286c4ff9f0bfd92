public import Attribution

/// One change to one signed field, after which a signature must no longer verify.
public struct Tampering: Sendable, CustomStringConvertible {
    /// The field that was changed.
    public let field: PostbackField
    /// What was done to it.
    public let change: String
    /// The body with the change and the signature as it was.
    public let body: [UInt8]

    /// Names field and change.
    public var description: String {
        "\(field.rawValue) \(change)"
    }

    /// Every change to every field the postback's version signs, and to the signature itself.
    public static func all(of postback: ReceivedPostback) -> [Tampering] {
        let draft = PostbackDraft(postback)
        var result: [Tampering] = []
        for field in PostbackField.signed(in: postback.version) where field != .version {
            for (change, value) in changes(of: field, from: draft[field], in: draft) {
                var changed = draft
                changed[field] = value
                result.append(
                    Tampering(
                        field: field, change: change, body: changed.body(signature: postback.attributionSignature)))
            }
        }
        var signature = postback.attributionSignature
        signature[signature.count - 1] ^= 1
        result.append(
            Tampering(
                field: .attributionSignature, change: "with one bit flipped", body: draft.body(signature: signature)))
        return result
    }

    private static func changes(
        of field: PostbackField,
        from value: JSONValue?,
        in draft: PostbackDraft
    ) -> [(String, JSONValue?)] {
        switch value {
        case .string(let text):
            let isDigits = text.allSatisfy(\.isNumber)
            let other = text.last == "1" ? "2" : "1"
            var changes: [(String, JSONValue?)] = [("with its end changed", .string(text.dropLast() + other))]
            if !isDigits {
                changes.append(
                    ("in other letter case", .string(text == text.uppercased() ? text.lowercased() : text.uppercased()))
                )
            }
            if field == .sourceDomain {
                changes.append(("removed", nil))
            }
            return changes
        case .integer(let number):
            // A sequence index has a range of its own; stay inside it, so that the signature decides.
            let other = field == .sequenceIndex ? (number + 1) % 3 : number ^ 1
            return [("changed", .integer(other))] + (field == .sourceAppID ? [("removed", nil)] : [])
        case .bool(let isTrue):
            return [("turned around", .bool(!isTrue))]
        case nil where field == .sourceAppID && draft[.sourceDomain] == nil:
            // What a pipeline does that fills absent numbers with zeros.
            return [("filled in with 0", .integer(0))]
        default:
            return []
        }
    }
}
