import Attribution
import AttributionSigning
import Platform
import StrictJSON

/// Says whether a compact JWS is an AdAttributionKit impression as Apple requires.
struct JWSImpressionExplainer {
    let key: SignaturePublicKey
    let otherKeys: [SignaturePublicKey]

    func explain(_ text: String) -> Explanation {
        guard let claim = ClaimedJWS(text) else {
            return explanation(
                .malformed, .fieldRemoved,
                "it does not have three parts separated by dots, the last of them a signature", nil,
                "give the compact JWS as the signer made it: header.payload.signature", field: "compact-jws")
        }
        let fixed = Self.repaired(claim)
        guard key.curve == .p256 else {
            return explanation(
                .invalid, .wrongKey, "a \(key.curve.displayName) key cannot sign for AdAttributionKit", claim,
                "register and use a P-256 key")
        }
        var violation: Violation?
        do throws(Violation) { try Self.check(claim) } catch { violation = error }
        let verdicts = ([key] + otherKeys).map { verdict(of: fixed.jws, under: $0) }
        if case .undecided(let reason) = verdicts[0] {
            return explanation(
                .undecided, .unexplained, "the signature could not be verified: \(reason)", claim,
                "check this machine with skan selftest")
        }
        if verdicts[0] == .valid {
            if let condition = fixed.condition {
                return explanation(
                    .invalid, .signatureEncoding, "would verify if \(condition)", claim,
                    "encode each part in base64url without padding, and the signature as r and s alone",
                    field: "compact-jws")
            }
            guard let violation else {
                return explanation(.valid, .nothing, "verifies as an impression of AdAttributionKit", claim, nil)
            }
            return explanation(
                .invalid, violation.cause, "the signature is over these values, but \(violation.problem)", claim,
                "sign the value that Apple requires", field: violation.problem.field)
        }
        if let index = verdicts.dropFirst().firstIndex(of: .valid) {
            return explanation(
                .invalid, .wrongKey, "verifies under another key, SHA256:\(otherKeys[index - 1].fingerprint)", claim,
                "sign with the key that is registered with Apple, SHA256:\(key.fingerprint)")
        }
        if let (cause, field, condition) = provenChange(fixed.jws) {
            return explanation(
                .invalid, cause, "would verify if \(condition)", claim,
                "pass on the JWS as the signer made it; the signer is right, and what carries it changed it",
                field: field)
        }
        return explanation(
            .invalid, .unexplained,
            (violation.map { "\($0.problem); " } ?? "")
                + "the signature does not verify over the header and payload as received", claim,
            "check that the key is the one that signed, and that nothing changed the JWS on its way")
    }

    // MARK: Signature

    private static func repaired(_ claim: ClaimedJWS) -> (jws: ClaimedJWS, condition: String?) {
        var jws = claim.respelled
        let respelling = jws.text == claim.text ? nil : "it were in base64url without padding"
        guard let bytes = jws.signature, bytes.count != 64, let raw = SignatureSpelling.concatenated(bytes, size: 32)
        else {
            return (jws, respelling)
        }
        jws.signature = raw
        return (jws, "the signature were r and s alone instead of DER")
    }

    private func verdict(of jws: ClaimedJWS, under key: SignaturePublicKey) -> SignatureVerdict {
        guard let signature = jws.signature else {
            return .invalid
        }
        let bytes = Array(jws.signed.utf8)
        return key.verdict(on: signature, .concatenated, digest: SHA256.digest(of: bytes).bytes)
    }

    /// A change of the payload that verifies once it is undone.
    private func provenChange(_ claim: ClaimedJWS) -> (ExplanationCause, field: String, condition: String)? {
        func verifies(_ name: String, _ value: JSONValue) -> Bool {
            var copy = claim
            copy.payload = claim.payload.map { $0.name == name ? JSONField(name: name, value: value) : $0 }
            return verdict(of: copy, under: key) == .valid
        }
        for field in claim.payload {
            guard case .string(let text) = field.value else {
                continue
            }
            for other in [text.lowercased(), text.uppercased()] where other != text {
                if verifies(field.name, .string(other)) {
                    return (.letterCase, field.name, "\(field.name) were \(JSONValue.string(other).summary)")
                }
            }
            if let number = Int64(text), verifies(field.name, .integer(number)) {
                return (.retyped, field.name, "\(field.name) were the number \(number)")
            }
        }
        return nil
    }

    // MARK: Rules

    /// A value that Apple would refuse, and what it has been through.
    private struct Violation: Error {
        let cause: ExplanationCause
        let problem: FieldProblem

        init(_ cause: ExplanationCause, _ field: String, found: String, expected: String) {
            self.cause = cause
            problem = FieldProblem(field: field, found: found, expected: expected)
        }
    }

    /// Reads the header, and fails where header or payload is not one JSON object.
    private static func header(of claim: ClaimedJWS) throws(Violation) -> JSONObject {
        var part = "header"
        do throws(JSONError) {
            let header = try JSONObject(reading: (claim.header ?? "").utf8)
            part = "payload"
            if let problem = claim.payloadProblem {
                throw problem
            }
            return header
        } catch .duplicateName(let name) {
            throw Violation(
                .duplicateName, name.shortened(to: 60), found: "the name twice in the \(part)",
                expected: "each name once")
        } catch {
            throw Violation(.notJSON, part, found: "something else (\(error))", expected: "one JSON object")
        }
    }

    /// Finds the first value that Apple would refuse.
    ///
    /// The case of `impression-identifier` is free: Apple's own example has capitals.
    private static func check(_ claim: ClaimedJWS) throws(Violation) {
        let header = try header(of: claim)
        func wrong(_ name: String, _ expected: String) -> Violation {
            let value = claim.payload.first { $0.name == name }?.value
            return Violation(
                value == nil ? .fieldRemoved : .retyped, name, found: value?.summary ?? "nothing", expected: expected)
        }
        func text(_ name: String) throws(Violation) -> String {
            guard case .string(let text) = claim.payload.first(where: { $0.name == name })?.value else {
                throw wrong(name, "a string")
            }
            return text
        }
        func integer(_ name: String) throws(Violation) -> Int64 {
            guard case .integer(let number) = claim.payload.first(where: { $0.name == name })?.value else {
                throw wrong(name, "a whole number")
            }
            return number
        }
        // Apple's header has neither: one asks for rules that nobody may skip, the other names a key of its own.
        for name in ["crit", "jwk"] where header.has(name) {
            throw Violation(
                .fieldAdded, name, found: header.summary(of: name), expected: "no such name in the header")
        }
        let network = try text("ad-network-identifier")
        for (name, value, expected) in [
            ("alg", "ES256", "\"ES256\" in the header"), ("kid", network, "the ad-network-identifier, in the header"),
        ] where !header.isString(name, value) {
            throw Violation(
                header.has(name) ? .valueChanged : .fieldRemoved, name, found: header.summary(of: name),
                expected: expected)
        }
        let type = try text("impression-type")
        guard type == "app-impression" else {
            throw Violation(
                .valueChanged, "impression-type", found: "\"\(type.shortened(to: 60))\"",
                expected: "\"app-impression\"")
        }
        switch claim.payload.first(where: { $0.name == "eligible-for-re-engagement" })?.value {
        case nil, .bool: break
        case _?: throw wrong("eligible-for-re-engagement", "true or false")
        }
        let draft = AdAttributionKitImpressionDraft(
            impressionIdentifier: try text("impression-identifier").lowercased(),
            publisherItemIdentifier: try integer("publisher-item-identifier"),
            advertisedItemIdentifier: try integer("advertised-item-identifier"), adNetworkIdentifier: network,
            sourceIdentifier: try integer("source-identifier"), timestampMilliseconds: try integer("timestamp"))
        do throws(FieldProblem) {
            _ = try draft.checked()
        } catch {
            throw Violation(.valueChanged, error.field, found: error.found, expected: error.expected)
        }
    }

    private func explanation(
        _ verdict: VerdictWord, _ cause: ExplanationCause, _ evidence: String, _ claim: ClaimedJWS?, _ advice: String?,
        field: String? = nil
    ) -> Explanation {
        Explanation(
            verdict: verdict, cause: cause, field: field, evidence: evidence.shortened(to: 600), advice: advice,
            signedText: claim?.signedText?.shortened(to: 4_000), key: "SHA256:\(key.fingerprint)",
            keyReason: "it was named as the one registered with Apple")
    }
}
