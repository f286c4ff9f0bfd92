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
    let field: ImpressionField?
    let side: Side
    /// What was found; the proof follows it.
    let finding: String
    /// The bytes that were signed if this is what happened.
    let bytes: [UInt8]
    /// The values in them.
    let text: ImpressionText

    init(
        _ cause: ExplanationCause, _ field: ImpressionField?, _ side: Side, _ finding: String, _ text: ImpressionText,
        bytes: [UInt8]? = nil
    ) {
        self.cause = cause
        self.field = field
        self.side = side
        self.finding = finding
        self.bytes = bytes ?? text.bytes()
        self.text = text
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
            return [otherVersion(meantVersion)]
                + SKAdNetworkVersion.allCases.reversed().filter { $0 != meantVersion }.map(otherVersion)
        }
        let text = text(of: version)
        return valueRepairs(text) + fidelityRepairs(text) + versionRepairs(version) + orderRepairs(text)
            + SignedForm.all.map { $0.repair(of: text) } + numberRepairs(text)
    }

    /// What is often done twice: of fields that signers get wrong, a second one or the form of the text.
    func secondRepairs(after first: ImpressionRepair) -> [ImpressionRepair] {
        guard let field = first.field, Self.doubtful.contains(field), first.bytes == first.text.bytes() else {
            return []
        }
        return (valueRepairs(first.text) + fidelityRepairs(first.text)).filter { second in
            second.field.map { $0 != field && Self.doubtful.contains($0) } ?? false
        } + SignedForm.common.map { $0.repair(of: first.text) }
    }

    private static let doubtful: Set<ImpressionField> = [.version, .nonce, .fidelityType, .sourceAppID, .timestamp]

    /// That another version was signed than the one it says.
    private func otherVersion(_ version: SKAdNetworkVersion) -> ImpressionRepair {
        let said = values[.version].map { "says \($0.summary)" } ?? "names no version"
        return ImpressionRepair(
            .versionChanged, .version, .passedOn, "it was signed as version \(version.rawValue), and \(said)",
            text(of: version).replacing(.version, version.rawValue))
    }

    private func valueRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        var repairs = nonceRepairs(text)
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
        for field in [ImpressionField.adNetworkID, .nonce, .sourceDomain] {
            // White space around a value, and the part of an id that is left out or added.
            let value = text[field] ?? ""
            let label = String(value.prefix { $0 != "." })
            let whole = ["", ".skadnetwork", ".adattributionkit"].map { label + $0 }
            for other in [value.trimmed] + (field == .adNetworkID ? whole : []) where other != value {
                repairs.append(
                    ImpressionRepair(
                        .valueChanged, field, value == other + ".skadnetwork" ? .signed : .passedOn,
                        "\(field.rawValue) was signed as \(other.shortened(to: 80))", text.replacing(field, other)))
            }
        }
        repairs.append(
            ImpressionRepair(
                .valueChanged, .sourceAppID, .passedOn, "source-app-id was signed as 0, as of a development-signed app",
                text.replacing(.sourceAppID, "0")))
        return repairs
    }

    /// The nonce in its other spellings, where it is a UUID.
    private func nonceRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        let given = text[.nonce] ?? ""
        let digits = given.filter(\.isHexDigit).lowercased()
        guard digits.count == 32, digits.utf8.count == 32 else {
            return given == given.lowercased()
                ? []
                : [
                    ImpressionRepair(
                        .letterCase, .nonce, .passedOn, "the nonce is in upper case, and was signed in lower case",
                        text.replacing(.nonce, given.lowercased()))
                ]
        }
        var dashed = digits
        for offset in [20, 16, 12, 8] {
            dashed.insert("-", at: dashed.index(dashed.startIndex, offsetBy: offset))
        }
        let spellings = [
            ("in lower case", dashed), ("in upper case", dashed.uppercased()), ("without dashes", digits),
            ("in upper case without dashes", digits.uppercased()), ("in braces", "{\(dashed)}"),
            ("in braces", "{\(dashed.uppercased())}"),
            ("in base64", Base64.encode(SignatureSpelling.hexadecimal(digits) ?? [])),
        ]
        return spellings.filter { $0.1 != given }.map { name, spelling in
            let cause: ExplanationCause = spelling.lowercased() == given.lowercased() ? .letterCase : .valueChanged
            if spelling == dashed {
                let found = given == dashed.uppercased() ? "in upper case" : "spelt \(given.shortened(to: 60))"
                return ImpressionRepair(
                    cause, .nonce, .passedOn, "the nonce is \(found), and was signed in lower case",
                    text.replacing(.nonce, spelling))
            }
            return ImpressionRepair(
                cause, .nonce, .signed, "the nonce was signed \(name); Apple requires lower case, with dashes",
                text.replacing(.nonce, spelling))
        }
    }

    /// Numbers as other programs write them, each alone and all together.
    private func numberRepairs(_ text: ImpressionText) -> [ImpressionRepair] {
        let numbers = text.parts.filter { $0.field.wireType == .integer && Int64($0.text) != nil }
        func repair(_ field: ImpressionField, _ other: String) -> ImpressionRepair {
            ImpressionRepair(
                .retyped, field, .signed, "\(field.rawValue) was signed as \(other.shortened(to: 60))",
                text.replacing(field, other))
        }
        var repairs = numbers.flatMap { part in
            [repair(part.field, part.text + ".0"), repair(part.field, "\"\(part.text)\"")]
        }
        for part in numbers where part.field == .sourceIdentifier || part.field == .campaignID {
            repairs += (2...4).filter { $0 > part.text.count }.map { width in
                repair(part.field, String(repeating: "0", count: width - part.text.count) + part.text)
            }
        }
        if let time = numbers.first(where: { $0.field == .timestamp })?.text, time.count > 3 {
            repairs.append(repair(.timestamp, time.dropLast(3) + "." + time.suffix(3)))
        }
        let all = ImpressionText(
            parts: text.parts.map { numbers.contains($0) ? .init(field: $0.field, text: $0.text + ".0") : $0 })
        return repairs + [
            ImpressionRepair(.retyped, nil, .signed, "the numbers were signed with a fraction, as 1.0", all)
        ]
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
        let name = version.rawValue
        let spellings = ["v" + name, name + ".0"] + (name.hasSuffix(".0") ? [String(name.prefix(1))] : [])
        return repairs
            + spellings.map { spelling in
                ImpressionRepair(
                    .versionChanged, .version, .signed, "version was signed as \(spelling) instead of \(name)",
                    text(of: version).replacing(.version, spelling))
            } + [
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
}
