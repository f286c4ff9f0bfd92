import Attribution
import AttributionSigning
import StrictJSON

/// An impression with one mistake undone: in the values that are passed on, or in the text that was signed.
struct ImpressionRepair {
    /// Where the mistake was made.
    enum Side {
        /// The text is right, and its values were passed on otherwise.
        case passedOn
        /// The values are right, and another text was signed.
        case signed
        /// Either of them: both mistakes make the same of it.
        case either
    }

    let cause: ExplanationCause
    let field: String?
    let side: Side
    /// What was found; the proof follows it.
    let finding: String
    /// The bytes that were signed if this is what happened.
    let bytes: [UInt8]
    /// The text, for people.
    let text: String

    init(
        _ cause: ExplanationCause, _ field: ImpressionField?, _ side: Side, _ finding: String, _ text: ImpressionText,
        bytes: [UInt8]? = nil
    ) {
        self.cause = cause
        self.field = field?.rawValue
        self.side = side
        self.finding = finding
        self.bytes = bytes ?? text.bytes()
        self.text = text.description
    }

    /// What to do, and who can.
    var advice: String {
        switch side {
        case .passedOn: "pass on exactly what was signed; the signer is right, and what carries the values changed them"
        case .signed: "sign the text that Apple puts together from the values; the signer built another one"
        case .either:
            "compare the values that were signed with those passed on: the signer took one for the other, or what carries "
                + "them exchanged them"
        }
    }
}

extension ClaimedImpression {
    /// Every mistake that can be undone, in order of likelihood; in a version that is unknown only the version.
    var repairs: [ImpressionRepair] {
        guard let version else {
            return SKAdNetworkVersion.allCases.reversed().map(otherVersion)
        }
        let text = text(of: version)
        return valueRepairs(text) + fidelityRepairs(text) + versionRepairs(version) + orderRepairs(text)
            + separatorRepairs(text)
    }

    /// That another version was signed than the one it says.
    private func otherVersion(_ version: SKAdNetworkVersion) -> ImpressionRepair {
        let said = values[.version].map { "says \($0.summary)" } ?? "names no version"
        return ImpressionRepair(
            .versionChanged, .version, .passedOn, "it was signed as version \(version.rawValue), and \(said)",
            text(of: version).replacing(.version, version.rawValue))
    }

    private func valueRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        let nonce = text[.nonce] ?? ""
        var repairs = [
            ImpressionRepair(
                .letterCase, .nonce, .signed, "the nonce was signed in upper case; Apple requires lower case",
                text.replacing(.nonce, nonce.uppercased()))
        ]
        if nonce != nonce.lowercased() {
            repairs = [
                ImpressionRepair(
                    .letterCase, .nonce, .passedOn, "the nonce is in upper case, and was signed in lower case",
                    text.replacing(.nonce, nonce.lowercased()))
            ]
        }
        if let time = text[.timestamp].flatMap({ Int64($0) }) {
            // Of a time that nobody can have meant in milliseconds, a thousandth is the milliseconds.
            let (side, finding): (ImpressionRepair.Side, String) =
                time > 1_000_000_000_000_000
                ? (.passedOn, "the timestamp is in microseconds instead of milliseconds")
                : (.signed, "the timestamp was signed in seconds instead of milliseconds")
            repairs.append(
                ImpressionRepair(
                    .valueChanged, .timestamp, side, finding, text.replacing(.timestamp, String(time / 1000))))
        }
        for field in [ImpressionField.adNetworkID, .sourceDomain] {
            let value = text[field] ?? ""
            for (name, other) in [("lower", value.lowercased()), ("upper", value.uppercased())] {
                repairs.append(
                    ImpressionRepair(
                        .letterCase, field, .passedOn, "\(field.rawValue) was signed in \(name) case",
                        text.replacing(field, other)))
            }
        }
        repairs.append(
            ImpressionRepair(
                .valueChanged, .sourceAppID, .passedOn, "source-app-id was signed as 0, as of a development-signed app",
                text.replacing(.sourceAppID, "0")))
        return repairs
    }

    private func fidelityRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        guard let signed = text[.fidelityType] else {
            return []
        }
        let form = form.map { " for a \($0.rawValue) ad" } ?? ""
        return [
            ImpressionRepair(
                .fieldRemoved, .fidelityType, .signed,
                "fidelity-type was left out of the signed text; Apple adds it from 2.2, also where it is not passed on",
                text.without(.fidelityType))
        ]
            + ["0", "1"].filter { $0 != signed }.map { other in
                ImpressionRepair(
                    .valueChanged, .fidelityType, values[.fidelityType] == nil ? .signed : .passedOn,
                    "fidelity-type was signed as \(other) and is \(signed)\(form)",
                    text.replacing(.fidelityType, other))
            }
    }

    private func versionRepairs(_ version: SKAdNetworkVersion) -> [ImpressionRepair] {
        let others = SKAdNetworkVersion.allCases.reversed().filter { $0 != version }
        let repairs = others.flatMap { other in
            [
                otherVersion(other),
                ImpressionRepair(
                    .versionChanged, .version, .signed,
                    "it was signed in the order of version \(other.rawValue), not in that of \(version.rawValue)",
                    text(of: other).replacing(.version, version.rawValue)),
            ]
        }
        return repairs + [
            ImpressionRepair(
                .versionChanged, .version, .signed, "version \(version.rawValue) was left out of the signed text",
                text(of: version).without(.version))
        ]
    }

    /// That values are in each other's places, or missing.
    private func orderRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        let parts = text.parts.filter { $0.field != .version }
        let exchanged = parts.enumerated().flatMap { index, first in
            parts[(index + 1)...].filter { $0.field.wireType == first.field.wireType && $0.text != first.text }
                .map { second in
                    ImpressionRepair(
                        .movedField, first.field, .either,
                        "the values of \(first.field.rawValue) and \(second.field.rawValue) are in each other's places",
                        text.replacing(first.field, second.text).replacing(second.field, first.text))
                }
        }
        let swapped = zip(text.parts, text.parts.dropFirst()).enumerated().map { index, pair in
            var swapped = text
            swapped.parts.swapAt(index, index + 1)
            return ImpressionRepair(
                .movedField, pair.0.field, .signed,
                "\(pair.0.field.rawValue) was signed after \(pair.1.field.rawValue); Apple wants it before", swapped)
        }
        let left = [ImpressionField.sourceAppID, .sourceDomain].filter { text[$0] != nil }.map { field in
            ImpressionRepair(
                .fieldRemoved, field, .signed, "\(field.rawValue) was left out of the signed text", text.without(field))
        }
        return exchanged + swapped + left
    }

    private func separatorRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        let separators = [
            ("nothing", ""), ("|", "|"), ("a comma", ","), ("a space", " "), ("the six characters \\u2063", "\\u2063"),
            ("U+200B", "\u{200B}"), ("a line break", "\n"),
        ]
        return separators.map { name, separator in
            ImpressionRepair(
                .separatorInValue, nil, .signed, "the values were joined by \(name) instead of U+2063", text,
                bytes: text.bytes(separator: Array(separator.utf8)))
        } + [
            ImpressionRepair(
                .separatorInValue, nil, .signed, "U+2063 was put after the last value, too", text,
                bytes: text.bytes() + SignedTextSeparator.utf8)
        ]
    }
}
