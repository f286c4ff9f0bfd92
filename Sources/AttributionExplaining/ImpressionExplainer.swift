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

    package init(key: SignaturePublicKey, otherKeys: [SignaturePublicKey] = []) {
        self.key = key
        self.otherKeys = otherKeys
    }

    /// Judges an impression.
    ///
    /// - Returns: The verdict with its cause.
    package func explain(_ bytes: [UInt8], signedText: [UInt8]? = nil) -> Explanation {
        let text = String(decoding: bytes.prefix(Self.limit), as: UTF8.self).trimmed
        if let first = text.first, first != "{" {
            let quotes = text.count > 1 && first == "\"" && text.hasSuffix("\"") ? 1 : 0
            let bare = String(text.dropFirst(quotes).dropLast(quotes))
            // A list with a network id has dots, too.
            guard bare.contains("."), !bare.contains(where: { $0.isWhitespace || "\"[]{}".contains($0) }) else {
                return Explanation(
                    verdict: .malformed, cause: .notJSON, evidence: "it is neither a JSON object nor a compact JWS",
                    advice: "give one JSON object, or one compact JWS")
            }
            return JWSImpressionExplainer(key: key, otherKeys: otherKeys).explain(bare)
        }
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(reading: bytes, limit: Self.limit)
        } catch {
            return Explanation(
                verdict: .malformed, cause: .notJSON, evidence: error.description,
                advice: "give one JSON object, or one compact JWS")
        }
        return explain(object, signedText)
    }

    private func explain(_ object: JSONObject, _ signedText: [UInt8]?) -> Explanation {
        for name in ["compact-jws", "compactJWS", "jws"] {
            if case .string(let text) = object[name] {
                return JWSImpressionExplainer(key: key, otherKeys: otherKeys).explain(text)
            }
        }
        if case .nested(let text) = object["impression"], let inner = try? JSONObject(reading: text.utf8) {
            return explain(inner, signedText)
        }
        guard let claim = ClaimedImpression(object) else {
            return Explanation(
                verdict: .malformed, cause: .unexplained, evidence: "it has neither a nonce nor a signature",
                advice: "give the values that were signed with the signature, under Apple's names or StoreKit's")
        }
        if let name = claim.contradiction {
            return Explanation(
                verdict: .invalid, cause: .duplicateName, field: name.shortened(to: 60),
                evidence: "\(name.shortened(to: 60)) is another name of a field that occurs before, with another value",
                advice: "give each field once")
        }
        return explain(claim, signedText)
    }

    private func explain(_ claim: ClaimedImpression, _ signedText: [UInt8]?) -> Explanation {
        let checked = Result { () throws(FieldProblem) in try claim.checked() }
        let version = claim.version ?? .v4_0
        guard let signature = claim.signature else {
            return withoutSignature(claim)
        }
        guard key.curve == .p256 || version <= .v2_0 else {
            return explanation(
                .invalid, .wrongKey, "a \(key.curve.displayName) key cannot sign version \(version.rawValue)",
                "register and use a P-256 key", claim)
        }
        let texts = Self.candidates(claim, checked)
        for text in texts {
            switch key.verdict(on: signature, .der, digest: Self.digest(text.bytes())) {
            case .undecided(let reason):
                return explanation(
                    .undecided, .unexplained, "the signature could not be verified: \(reason)",
                    "check this machine with skan selftest", claim)
            case .invalid: continue
            case .valid: return verified(text, claim, checked, signedText)
            }
        }
        let repairs = claim.repairs
        if let repair = repairs.first(where: { verifies(signature, $0.bytes) }) {
            return proven(repair, claim)
        }
        if let repair = secondsUndone(claim, signature) {
            return proven(repair, claim)
        }
        return unproven(claim, checked, signature, texts)
    }

    /// The texts that are right: one, or two for an impression that does not say its fidelity.
    private static func candidates(
        _ claim: ClaimedImpression, _ checked: Result<SKAdNetworkImpression, FieldProblem>
    ) -> [ImpressionText] {
        let text = claim.text(of: claim.version ?? .v4_0)
        guard claim.fidelity == nil, claim.version?.hasFidelityType == true else {
            return [text]
        }
        return [text, text.replacing(.fidelityType, "0")]
    }

    // MARK: Signatures that verify

    private func verified(
        _ text: ImpressionText, _ claim: ClaimedImpression, _ checked: Result<SKAdNetworkImpression, FieldProblem>,
        _ signedText: [UInt8]?
    ) -> Explanation {
        if case .failure(let problem) = checked {
            return explanation(
                .invalid, Self.cause(of: problem, claim), "the signature is over these values, but \(problem)",
                "sign and pass on the value that Apple requires", claim, field: problem.field)
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

    private func withoutSignature(_ claim: ClaimedImpression) -> Explanation {
        guard case .string(let text) = claim.values[.signature] else {
            return explanation(
                .malformed, .fieldRemoved, "there is no attribution-signature", "pass on the signature", claim,
                field: ImpressionField.signature.rawValue)
        }
        for (condition, bytes) in SignatureSpelling.readings(of: text) {
            if let der = SignatureSpelling.der(bytes),
                verifies(der, claim.text(of: claim.version ?? .v4_0).bytes())
            {
                return encoding(condition, claim)
            }
        }
        return explanation(
            .malformed, .unexplained, "attribution-signature: found \(JSONValue.string(text).summary), expected base64",
            "give the signature in standard base64 with padding", claim, field: ImpressionField.signature.rawValue)
    }

    private func encoding(_ condition: String, _ claim: ClaimedImpression) -> Explanation {
        explanation(
            .invalid, .signatureEncoding, "would verify if attribution-signature were \(condition)",
            "encode the signature in DER, then in standard base64 with padding", claim,
            field: ImpressionField.signature.rawValue)
    }

    private func unproven(
        _ claim: ClaimedImpression, _ checked: Result<SKAdNetworkImpression, FieldProblem>, _ signature: [UInt8],
        _ texts: [ImpressionText]
    ) -> Explanation {
        if let der = SignatureSpelling.der(signature), der != signature,
            texts.contains(where: { verifies(der, $0.bytes()) })
        {
            return encoding("in strict DER", claim)
        }
        let hashed = texts.contains { verifies(signature, Self.digest($0.bytes())) }
        if hashed {
            return explanation(
                .invalid, .signatureEncoding,
                "the text was hashed twice: the signature is over the SHA-256 of its SHA-256",
                "let the library hash the text, or sign the digest as it is", claim)
        }
        for other in otherKeys {
            if texts.contains(where: { other.verdict(on: signature, .der, digest: Self.digest($0.bytes())) == .valid })
            {
                return explanation(
                    .invalid, .wrongKey, "verifies under another key, SHA256:\(other.fingerprint)",
                    "sign with the key that is registered with Apple, SHA256:\(key.fingerprint)", claim)
            }
        }
        let problem = if case .failure(let problem) = checked { "\(problem); " } else { "" }
        return explanation(
            .invalid, .unexplained,
            problem + "the signature verifies neither over Apple's text nor over any of \(claim.repairs.count) others",
            "check that the key is the one that signed, and compare the text that was signed with the one shown here",
            claim)
    }

    private func proven(_ repair: ImpressionRepair, _ claim: ClaimedImpression) -> Explanation {
        explanation(
            .invalid, repair.cause, "\(repair.finding): the signature verifies over that text", repair.advice, claim,
            field: repair.field, proven: repair.text)
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
