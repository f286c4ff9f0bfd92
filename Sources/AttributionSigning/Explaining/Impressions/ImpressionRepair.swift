import Attribution
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
        return valueRepairs(text) + fidelityRepairs(text) + versionRepairs(version) + exchanges(text)
            + textRepairs(text)
    }

    /// That another version was signed than the one it says.
    private func otherVersion(_ version: SKAdNetworkVersion) -> ImpressionRepair {
        ImpressionRepair(
            .versionChanged, .version, .passedOn,
            "it was signed as version \(version.rawValue), and "
                + (values[.version].map { "says \($0.summary)" } ?? "names no version"),
            text(of: version).replacing(.version) { _ in version.rawValue })
    }

    /// That the values of two fields of one type are in each other's places.
    private func exchanges(_ text: ImpressionText) -> [ImpressionRepair] {
        let parts = text.parts.filter { $0.field != .version }
        return parts.enumerated().flatMap { index, first in
            parts[(index + 1)...].filter { $0.field.wireType == first.field.wireType && $0.text != first.text }
                .map { second in
                    ImpressionRepair(
                        .movedField, first.field, .either,
                        "the values of \(first.field.rawValue) and \(second.field.rawValue) are in each other's places",
                        text.replacing(first.field) { _ in second.text }.replacing(second.field) { _ in first.text })
                }
        }
    }

    private func valueRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        var repairs: [ImpressionRepair] = []
        let nonce = text.parts.first { $0.field == .nonce }?.text ?? ""
        if nonce != nonce.lowercased() {
            repairs.append(
                ImpressionRepair(
                    .letterCase, .nonce, .passedOn, "the nonce is in upper case, and was signed in lower case",
                    text.replacing(.nonce) { $0.lowercased() }))
        }
        repairs.append(
            ImpressionRepair(
                .letterCase, .nonce, .signed, "the nonce was signed in upper case; Apple requires lower case",
                text.replacing(.nonce) { $0.uppercased() }))
        if let time = text.parts.first(where: { $0.field == .timestamp }).flatMap({ Int64($0.text) }) {
            // Of a time that nobody can have meant in milliseconds, a thousandth is the milliseconds.
            if time > 1_000_000_000_000_000 {
                repairs.append(
                    ImpressionRepair(
                        .valueChanged, .timestamp, .passedOn,
                        "the timestamp is in microseconds instead of milliseconds",
                        text.replacing(.timestamp) { _ in String(time / 1000) }))
            }
            repairs.append(
                ImpressionRepair(
                    .valueChanged, .timestamp, .signed, "the timestamp was signed in seconds instead of milliseconds",
                    text.replacing(.timestamp) { _ in String(time / 1000) }))
        }
        for field in [ImpressionField.adNetworkID, .sourceDomain] {
            for (name, change) in [("lower", { $0.lowercased() }), ("upper", { $0.uppercased() })]
                as [(String, (String) -> String)]
            {
                repairs.append(
                    ImpressionRepair(
                        .letterCase, field, .passedOn, "\(field.rawValue) was signed in \(name) case",
                        text.replacing(field, change)))
            }
        }
        repairs.append(
            ImpressionRepair(
                .valueChanged, .sourceAppID, .passedOn, "source-app-id was signed as 0, as of a development-signed app",
                text.replacing(.sourceAppID) { _ in "0" }))
        return repairs
    }

    private func fidelityRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        guard let signed = text.parts.first(where: { $0.field == .fidelityType })?.text else {
            return []
        }
        return [
            ImpressionRepair(
                .fieldRemoved, .fidelityType, .signed,
                "fidelity-type was left out of the signed text; Apple adds it from 2.2, also where it is not passed on",
                text.without(.fidelityType))
        ]
            + ["0", "1"].filter { $0 != signed }.map { other in
                ImpressionRepair(
                    .valueChanged, .fidelityType, values[.fidelityType] == nil ? .signed : .passedOn,
                    "fidelity-type was signed as \(other) and is \(signed)"
                        + (form.map { " for a \($0.rawValue) ad" } ?? ""),
                    text.replacing(.fidelityType) { _ in other })
            }
    }

    private func versionRepairs(_ version: SKAdNetworkVersion) -> [ImpressionRepair] {
        var repairs: [ImpressionRepair] = []
        for other in SKAdNetworkVersion.allCases.reversed() where other != version {
            repairs.append(otherVersion(other))
            repairs.append(
                ImpressionRepair(
                    .versionChanged, .version, .signed,
                    "it was signed in the order of version \(other.rawValue), not in that of \(version.rawValue)",
                    text(of: other).replacing(.version) { _ in version.rawValue }))
        }
        repairs.append(
            ImpressionRepair(
                .versionChanged, .version, .signed, "version \(version.rawValue) was left out of the signed text",
                text(of: version).without(.version)))
        return repairs
    }

    private func textRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        var repairs: [ImpressionRepair] = []
        for index in text.parts.indices.dropLast() {
            var swapped = text
            swapped.parts.swapAt(index, index + 1)
            let (first, second) = (text.parts[index].field, text.parts[index + 1].field)
            repairs.append(
                ImpressionRepair(
                    .movedField, first, .signed,
                    "\(first.rawValue) was signed after \(second.rawValue); Apple wants it before", swapped))
        }
        for field in [ImpressionField.sourceAppID, .sourceDomain]
        where text.parts.contains(where: { $0.field == field }) {
            repairs.append(
                ImpressionRepair(
                    .fieldRemoved, field, .signed, "\(field.rawValue) was left out of the signed text",
                    text.without(field)))
        }
        for (name, separator) in [
            ("nothing", ""), ("|", "|"), ("a comma", ","), ("a space", " "), ("the six characters \\u2063", "\\u2063"),
            ("U+200B", "\u{200B}"), ("a line break", "\n"),
        ] {
            repairs.append(
                ImpressionRepair(
                    .separatorInValue, nil, .signed, "the values were joined by \(name) instead of U+2063", text,
                    bytes: text.bytes(separator: Array(separator.utf8))))
        }
        repairs.append(
            ImpressionRepair(
                .separatorInValue, nil, .signed, "U+2063 was put after the last value, too", text,
                bytes: text.bytes() + SignedTextSeparator.utf8))
        return repairs
    }
}
