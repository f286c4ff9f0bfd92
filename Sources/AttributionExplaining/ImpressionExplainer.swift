import Attribution
package import AttributionSigning
import Platform
import StrictJSON

/// Says whether an impression is signed as Apple requires, and if not, why: proven by the text that was signed instead.
package struct ImpressionExplainer: Sendable {
    private let key: SignaturePublicKey
    private let otherKeys: [SignaturePublicKey]

    /// The largest impression to read, in bytes.
    package static let limit = 64 << 10
    /// How deep it may be inside arrays and objects.
    package static let depth = ImpressionFinder.depth

    package init(key: SignaturePublicKey, otherKeys: [SignaturePublicKey] = []) {
        self.key = key
        self.otherKeys = otherKeys
    }

    /// Judges an impression; of several, as of a bid response, the first that is not valid.
    ///
    /// - Returns: The verdict with its cause.
    package func explain(_ bytes: [UInt8], signedText: [UInt8]? = nil) -> Explanation {
        let (found, problem) = Self.impressions(in: bytes)
        var explanation = problem
        for impression in found {
            let next = explain(impression, signedText)
            if next.verdict != .valid {
                return next.at(impression.path)
            }
            explanation = explanation ?? next.at(impression.path, others: found.count - 1)
        }
        return explanation ?? Self.noImpression
    }

    /// Judges every impression, with the path of each where it is inside something else.
    package func explainAll(
        _ bytes: [UInt8], signedText: [UInt8]? = nil
    ) -> [(path: String, explanation: Explanation)] {
        let (found, problem) = Self.impressions(in: bytes)
        return found.isEmpty
            ? [("", problem ?? Self.noImpression)] : found.map { ($0.path, explain($0, signedText)) }
    }

    private static let noImpression = Explanation(
        verdict: .malformed, cause: .unexplained, evidence: "it has neither a nonce nor a signature",
        advice: "give the values that were signed with the signature, under Apple's names, StoreKit's or OpenRTB's")

    /// The impressions in bytes, or why there are none.
    private static func impressions(in bytes: [UInt8]) -> ([FoundImpression], Explanation?) {
        func notJSON(_ evidence: String) -> ([FoundImpression], Explanation?) {
            (
                [],
                Explanation(
                    verdict: .malformed, cause: .notJSON, evidence: evidence,
                    advice: "give one JSON object, or one compact JWS")
            )
        }
        let text = String(decoding: bytes.prefix(limit), as: UTF8.self).trimmed
        if let first = text.first, first != "{" {
            let quotes = text.count > 1 && first == "\"" && text.hasSuffix("\"") ? 1 : 0
            let bare = String(text.dropFirst(quotes).dropLast(quotes))
            // A list with a network id has dots, too.
            if bare.contains("."), !bare.contains(where: { $0.isWhitespace || "\"[]{}".contains($0) }) {
                return ([FoundImpression(path: "", form: .jws(bare))], nil)
            }
            let found =
                "[\"".contains(first)
                ? ImpressionFinder.impressions(in: text) : ImpressionFinder.impressions(inSwiftCode: text)
            return found.isEmpty
                ? notJSON("it is neither a JSON object nor a compact JWS, nor Swift code that has an impression")
                : (found, nil)
        }
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(reading: bytes, limit: limit, depth: ImpressionFinder.depth)
        } catch {
            return notJSON(error.description)
        }
        let found = ImpressionFinder.impressions(in: object)
        guard found.isEmpty, let claim = ClaimedImpression(object.fields) else {
            return (found, nil)
        }
        return ([FoundImpression(path: "", form: .fields(claim))], nil)
    }

    private func explain(_ impression: FoundImpression, _ signedText: [UInt8]?) -> Explanation {
        switch impression.form {
        case .jws(let text): return JWSImpressionExplainer(key: key, otherKeys: otherKeys).explain(text)
        case .fields(let claim):
            if let name = claim.contradiction {
                return Explanation(
                    verdict: .invalid, cause: .duplicateName, field: name.shortened(to: 60),
                    evidence: "\(name.shortened(to: 60)) is another name of a field that occurs before, with another "
                        + "value",
                    advice: "give each field once")
            }
            return explain(claim, signedText)
        }
    }

    private func explain(_ claim: ClaimedImpression, _ signedText: [UInt8]?) -> Explanation {
        let problems = claim.problems
        let version = claim.version ?? claim.meantVersion
        let readings = Self.readings(claim)
        guard let signature = claim.signature ?? readings.first?.der else {
            return withoutSignature(claim, problems)
        }
        guard key.curve == .p256 || version <= .v2_0 else {
            return explanation(
                .invalid, .wrongKey, "a \(key.curve.displayName) key cannot sign version \(version.rawValue)",
                "register and use a P-256 key", claim)
        }
        let texts = Self.candidates(claim)
        for text in texts where claim.signature != nil {
            switch key.verdict(on: signature, .der, digest: Self.digest(text.bytes())) {
            case .undecided(let reason):
                return explanation(
                    .undecided, .unexplained, "the signature could not be verified: \(reason)",
                    "check this machine with skan selftest", claim)
            case .invalid: continue
            case .valid: return verified(text, claim, problems, signedText)
            }
        }
        for (condition, der) in readings where texts.contains(where: { verifies(der, $0.bytes()) }) {
            return encoding(condition, claim, problems)
        }
        // A signature that cannot be read as it is may be over another text, too.
        let isReadable = claim.signature.map { SignatureSpelling.der($0) == $0 } ?? false
        let respelling = isReadable ? nil : readings.first
        if let explanation = repaired(claim, respelling?.der ?? signature, respelling?.condition, problems) {
            return explanation
        }
        return unproven(claim, problems, respelling?.der ?? signature, texts)
    }

    /// The signatures that the text may mean, however it was encoded; without the one that it is.
    private static func readings(_ claim: ClaimedImpression) -> [(condition: String, der: [UInt8])] {
        guard case .string(let text) = claim.values[.signature] else {
            return []
        }
        return SignatureSpelling.readings(of: text).compactMap { condition, bytes in
            SignatureSpelling.der(bytes).flatMap { der in
                der == claim.signature ? nil : (bytes == claim.signature ? "in strict DER" : condition, der)
            }
        }
    }

    /// The explanation by a mistake, or by two, after which a signature verifies.
    private func repaired(
        _ claim: ClaimedImpression, _ signature: [UInt8], _ respelling: String?, _ problems: [FieldProblem]
    ) -> Explanation? {
        let repairs = claim.repairs
        if let repair = repairs.first(where: { verifies(signature, $0.bytes) }) ?? secondsUndone(claim, signature) {
            return proven([repair], respelling, claim, problems)
        }
        for first in repairs {
            if let second = claim.secondRepairs(after: first).first(where: { verifies(signature, $0.bytes) }) {
                return proven([first, second], respelling, claim, problems)
            }
        }
        return nil
    }

    /// The texts that are right: one, or two for an impression that does not say its fidelity.
    private static func candidates(_ claim: ClaimedImpression) -> [ImpressionText] {
        let version = claim.version ?? claim.meantVersion
        let text = claim.text(of: version)
        return claim.fidelity == nil && version.hasFidelityType ? [text, text.replacing(.fidelityType, "0")] : [text]
    }

    // MARK: Signatures that verify

    private func verified(
        _ text: ImpressionText, _ claim: ClaimedImpression, _ problems: [FieldProblem], _ signedText: [UInt8]?
    ) -> Explanation {
        if let problem = problems.first {
            return explanation(
                .invalid, Self.cause(of: problem, claim), "the signature is over these values, but \(problems.list)",
                "sign and pass on the value\(problems.count == 1 ? "" : "s") that Apple requires", claim,
                field: problems.fields)
        }
        if let signedText, signedText != text.bytes() {
            let (cause, field, finding) = TextComparison(text, signedText).difference
            return explanation(
                .invalid, cause, "the signature is over Apple's text, and the text given is another: \(finding)",
                "build the text as Apple does: \(text.description)", claim, field: field?.rawValue,
                proven: text.description)
        }
        let form = claim.form?.rawValue ?? text[.sourceDomain].map { _ in "web" }
        return explanation(
            .valid, .nothing,
            "verifies as \(form.map { "a \($0) ad" } ?? "an impression") of version \(claim.version?.rawValue ?? "")",
            Self.capitalLetters(claim), claim, signed: text.description)
    }

    /// The advice for a network id with capital letters.
    private static func capitalLetters(_ claim: ClaimedImpression) -> String? {
        guard case .string(let network) = claim.values[.adNetworkID], network != network.lowercased() else {
            return nil
        }
        return
            "ad-network-id has capital letters, and Apple registers ids in lower case: devices accept it only if the "
            + "app's Info.plist spells it in the same way"
    }

    /// What a value that Apple refuses has been through.
    private static func cause(of problem: FieldProblem, _ claim: ClaimedImpression) -> ExplanationCause {
        guard let field = ImpressionField(rawValue: problem.field), let value = claim.values[field] else {
            return .fieldRemoved
        }
        guard field.wireType.admits(value) else {
            return .retyped
        }
        if field == .nonce, case .string(let text) = value, Nonce(text.lowercased()) != nil {
            return .letterCase
        }
        return field == .version ? .versionChanged : .valueChanged
    }

    // MARK: Signatures that do not

    private func withoutSignature(_ claim: ClaimedImpression, _ problems: [FieldProblem]) -> Explanation {
        let name = ImpressionField.signature.rawValue
        let others = problems.filter { $0.field != name }
        let fields = ([name] + others.map(\.field)).joined(separator: ", ")
        guard case .string(let text) = claim.values[.signature] else {
            return explanation(
                .malformed, .fieldRemoved, "there is no attribution-signature" + others.besides,
                "pass on the signature", claim, field: fields)
        }
        return explanation(
            .malformed, .unexplained,
            "attribution-signature: found \(JSONValue.string(text).summary), expected base64" + others.besides,
            "give the signature in standard base64 with padding", claim, field: fields)
    }

    private func encoding(_ condition: String, _ claim: ClaimedImpression, _ problems: [FieldProblem]) -> Explanation {
        explanation(
            .invalid, .signatureEncoding, "would verify if attribution-signature were \(condition)" + problems.besides,
            "encode the signature in DER, then in standard base64 with padding", claim,
            field: ([ImpressionField.signature.rawValue] + problems.map(\.field)).joined(separator: ", "))
    }

    private func unproven(
        _ claim: ClaimedImpression, _ problems: [FieldProblem], _ signature: [UInt8], _ texts: [ImpressionText]
    ) -> Explanation {
        for other in otherKeys {
            if texts.contains(where: { other.verdict(on: signature, .der, digest: Self.digest($0.bytes())) == .valid })
            {
                return explanation(
                    .invalid, .wrongKey, "verifies under another key, SHA256:\(other.fingerprint)" + problems.besides,
                    "sign with the key that is registered with Apple, SHA256:\(key.fingerprint)", claim)
            }
        }
        return explanation(
            .invalid, .unexplained,
            (problems.isEmpty ? "" : problems.list + "; ")
                + "the signature verifies neither over Apple's text nor over any of \(claim.repairs.count) others",
            "check that the key is the one that signed, and compare the text that was signed with the one shown here",
            claim, field: problems.fields)
    }

    /// The explanation by one mistake or two, with what else Apple refuses.
    private func proven(
        _ repairs: [ImpressionRepair], _ respelling: String?, _ claim: ClaimedImpression, _ problems: [FieldProblem]
    ) -> Explanation {
        let signature = respelling.map { "attribution-signature is not \($0)" }
        let findings = repairs.map(\.finding) + (signature.map { [$0] } ?? [])
        let repaired = repairs.compactMap { $0.field?.rawValue }
        // What is undone may put several values right, as of two that were exchanged.
        let (given, signed) = (claim.text(of: claim.version ?? claim.meantVersion), repairs[repairs.count - 1].text)
        let others = problems.filter { problem in
            let field = ImpressionField(rawValue: problem.field)
            return !repaired.contains(problem.field) && field.map { given[$0] == signed[$0] } ?? true
        }
        let fields = repaired + (signature == nil ? [] : [ImpressionField.signature.rawValue]) + others.map(\.field)
        var advice: [String] = []
        for text in repairs.map(\.advice) where !advice.contains(text) {
            advice.append(text)
        }
        let proof = repairs.count == 1 ? "the signature verifies over that text" : "only then the signature verifies"
        return explanation(
            .invalid, repairs[0].cause, "\(findings.joined(separator: ", and ")): \(proof)" + others.besides,
            advice.joined(separator: "; "), claim, field: fields.isEmpty ? nil : fields.joined(separator: ", "),
            proven: signed.description)
    }

    /// The milliseconds that were cut off a timestamp in seconds; all thousand are tried.
    private func secondsUndone(_ claim: ClaimedImpression, _ signature: [UInt8]) -> ImpressionRepair? {
        // From 2017 to 2099: anything else was not meant as seconds.
        guard let version = claim.version, case .integer(let seconds) = claim.values[.timestamp],
            (1_483_228_800...4_102_444_800).contains(seconds)
        else {
            return nil
        }
        let text = claim.text(of: version)
        for timestamp in seconds * 1_000..<(seconds + 1) * 1_000 {
            let candidate = text.replacing(.timestamp, String(timestamp))
            if verifies(signature, candidate.bytes()) {
                return ImpressionRepair(
                    .valueChanged, .timestamp, .passedOn,
                    "the timestamp is in seconds, and \(timestamp) milliseconds were signed", candidate)
            }
        }
        return nil
    }

    // MARK: Parts

    private func verifies(_ signature: [UInt8], _ bytes: [UInt8]) -> Bool {
        key.verdict(on: signature, .der, digest: Self.digest(bytes)) == .valid
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        SHA256.digest(of: bytes).bytes
    }

    private func explanation(
        _ verdict: VerdictWord, _ cause: ExplanationCause, _ evidence: String, _ advice: String?,
        _ claim: ClaimedImpression, field: String? = nil, proven: String? = nil, signed: String? = nil
    ) -> Explanation {
        Explanation(
            verdict: verdict, cause: cause, field: field, evidence: evidence.shortened(to: 600), advice: advice,
            signedText: signed ?? claim.version.map { claim.text(of: $0).description }, provenText: proven,
            key: "SHA256:\(key.fingerprint)", keyReason: "it was named as the one registered with Apple")
    }
}

extension [FieldProblem] {
    /// All of them, in one line.
    fileprivate var list: String { map(\.description).joined(separator: "; ") }

    /// The fields, comma-separated; nil if there is none.
    fileprivate var fields: String? { isEmpty ? nil : map(\.field).joined(separator: ", ") }

    /// What follows a finding about something else.
    fileprivate var besides: String { isEmpty ? "" : "; besides, " + list }
}

extension Explanation {
    /// The same of an impression inside something else, in which others are valid, too.
    fileprivate func at(_ path: String, others: Int = 0) -> Explanation {
        let place = path.isEmpty ? "" : "\(path.shortened(to: 200)): "
        let also = others == 0 ? "" : ", as \(others == 1 ? "does the other" : "do the \(others) others")"
        return Explanation(
            verdict: verdict, cause: cause, field: field, evidence: place + evidence + also, advice: advice,
            signedText: signedText, provenText: provenText, key: key, keyReason: keyReason)
    }
}
