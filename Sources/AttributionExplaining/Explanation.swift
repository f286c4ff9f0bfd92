package import Attribution
import AttributionSigning
package import StrictJSON

/// Why a postback or an impression is valid or not: words for people and programs, and nothing that could be counted.
package struct Explanation: Hashable, Sendable {
    /// The verdict without the explanation.
    package let verdict: VerdictWord
    /// The cause, named only if undoing it makes the signature verify.
    package let cause: ExplanationCause
    /// The field at fault.
    package internal(set) var field: String?
    /// What proves the cause, or what was found.
    package let evidence: String
    /// What to do, and who can.
    package let advice: String?
    /// The text that has to be signed, as received, with visible separators; nil if it cannot be put together.
    package internal(set) var signedText: String?
    /// The text that was signed, if undoing the cause changes it.
    package internal(set) var provenText: String?
    /// The key that verifies it, or those that were tried.
    package internal(set) var key: String?
    /// Why it is that key.
    package internal(set) var keyReason: String?
}

extension Explanation {
    /// The members of its JSON object, without the verdict.
    package var members: [(String, JSONText)] {
        func text(_ value: String?) -> JSONText {
            value.map(JSONText.string) ?? .null
        }
        return [
            ("cause", .string(cause.rawValue)), ("field", text(field)), ("evidence", .string(evidence)),
            ("advice", text(advice)), ("signed-text", text(signedText)), ("proven-text", text(provenText)),
            ("tried-key", text(key)), ("key-reason", text(keyReason)),
        ]
    }

    /// The whole as a JSON object.
    package var json: JSONText {
        .object([("verdict", .string(verdict.rawValue))] + members)
    }

    /// What there is to say for people: labels and texts, in order.
    package var lines: [(label: String, text: String)] {
        let lines: [(label: String, text: String?)] = [
            ("cause", cause.rawValue + (field.map { " (\($0))" } ?? "")), ("evidence", evidence), ("advice", advice),
            ("signed text", signedText), ("proven text", provenText), ("key", key), ("why this key", keyReason),
        ]
        return lines.compactMap { line in line.text.map { (line.label, $0) } }
    }
}

/// A verdict in one word; bytes that are not JSON are malformed, too.
package enum VerdictWord: String, CaseIterable, Hashable, Sendable {
    case valid, invalid, malformed
    case unknownVersion = "unknown-version"
    case unknownKey = "unknown-key"
    case notUnderstood = "not-understood"
    case undecided

    package init(_ judgement: Judgement) {
        self =
            switch judgement {
            case .verified: .valid
            case .rejected(.invalidSignature, _): .invalid
            case .rejected(.unknownVersion, _): .unknownVersion
            case .rejected(.unknownKey, _): .unknownKey
            case .rejected(.notUnderstood, _): .notUnderstood
            case .rejected(.malformed, _), .rejected(.notJSON, _): .malformed
            case .undecided: .undecided
            }
    }
}

/// Why a signature does not verify: a cause that one verification proved, and nothing that could be counted.
package struct ProvenCause: Hashable, Sendable {
    /// The cause, as an ``Explanation`` names it; neither ``ExplanationCause/nothing`` nor
    /// ``ExplanationCause/unexplained``.
    package let cause: ExplanationCause
    /// The field at fault, or several, comma-separated; nil if no field is.
    package let field: String?
}
