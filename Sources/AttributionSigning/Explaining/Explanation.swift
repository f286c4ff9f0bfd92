package import StrictJSON

/// Why a postback or an impression is valid or not: words for people and programs, and nothing that could be counted.
package struct Explanation: Hashable, Sendable {
    /// The verdict without the explanation.
    package let verdict: VerdictWord
    /// The cause, named only if undoing it makes the signature verify.
    package let cause: ExplanationCause
    /// The field at fault.
    package let field: String?
    /// What proves the cause, or what was found.
    package let evidence: String
    /// What to do, and who can.
    package let advice: String?
    /// The text that has to be signed, as received, with visible separators; nil if it cannot be put together.
    package let signedText: String?
    /// The text that was signed, if undoing the cause changes it.
    package let provenText: String?
    /// The key that verifies it, or those that were tried.
    package let key: String?
    /// Why it is that key.
    package let keyReason: String?

    init(
        verdict: VerdictWord,
        cause: ExplanationCause,
        field: String? = nil,
        evidence: String,
        advice: String?,
        signedText: String? = nil,
        provenText: String? = nil,
        key: String? = nil,
        keyReason: String? = nil
    ) {
        self.verdict = verdict
        self.cause = cause
        self.field = field
        self.evidence = evidence
        self.advice = advice
        self.signedText = signedText
        self.provenText = provenText
        self.key = key
        self.keyReason = keyReason
    }
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
