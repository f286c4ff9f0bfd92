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
        let violations = Self.violations(of: claim)
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
            guard let first = violations.first else {
                return explanation(.valid, .nothing, "verifies as an impression of AdAttributionKit", claim, nil)
            }
            return explanation(
                .invalid, first.cause, "the signature is over these values, but \(Self.list(violations))", claim,
                "sign the value\(violations.count == 1 ? "" : "s") that Apple requires",
                field: violations.map(\.problem.field).joined(separator: ", "))
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
            (violations.isEmpty ? "" : Self.list(violations) + "; ")
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

    private static func list(_ violations: [Violation]) -> String {
        violations.map { "\($0.problem)" }.joined(separator: "; ")
    }

    /// Values that Apple accepts, to go on checking the others.
    private static let examples: [String: JSONValue] = [
        "impression-identifier": .string("68483ef6-0678-40df-859b-1b8f3f2d7b21"),
        "publisher-item-identifier": .integer(0), "impression-type": .string("app-impression"),
        "advertised-item-identifier": .integer(1), "ad-network-identifier": .string("example123.adattributionkit"),
        "source-identifier": .integer(1), "timestamp": .integer(1_676_057_605_705),
    ]

    /// Finds every value that Apple would refuse.
    ///
    /// The case of `impression-identifier` is free: Apple's own example has capitals.
    private static func violations(of claim: ClaimedJWS) -> [Violation] {
        let header: JSONObject
        do throws(Violation) {
            header = try Self.header(of: claim)
        } catch {
            return [error]
        }
        // Apple's header has neither: one asks for rules that nobody may skip, the other names a key of its own.
        var violations = ["crit", "jwk"].filter { header.has($0) }.map { name in
            Violation(.fieldAdded, name, found: header.summary(of: name), expected: "no such name in the header")
        }
        var values: [String: JSONValue] = [:]
        for field in claim.payload {
            values[field.name] = field.value
        }
        func note(_ name: String, _ expected: String) {
            let value = values[name]
            violations.append(
                Violation(
                    value == nil ? .fieldRemoved : .retyped, name, found: value?.summary ?? "nothing",
                    expected: expected))
            values[name] = examples[name]
        }
        func text(_ name: String) -> String {
            if case .string(let text) = values[name] { text } else { "" }
        }
        func integer(_ name: String) -> Int64 {
            if case .integer(let number) = values[name] { number } else { 0 }
        }
        let networkFound = values["ad-network-identifier"]
        for (name, example) in examples.sorted(by: { $0.key < $1.key }) {
            switch (example, values[name]) {
            case (.string, .string), (.integer, .integer): break
            case (.string, _): note(name, "a string")
            default: note(name, "a whole number")
            }
        }
        var headers = [("alg", "ES256", "\"ES256\" in the header")]
        if case .string(let network)? = networkFound {
            headers.append(("kid", network, "the ad-network-identifier, in the header"))
        }
        for (name, value, expected) in headers where !header.isString(name, value) {
            violations.append(
                Violation(
                    header.has(name) ? .valueChanged : .fieldRemoved, name, found: header.summary(of: name),
                    expected: expected))
        }
        let type = text("impression-type")
        if type != "app-impression" {
            violations.append(
                Violation(
                    .valueChanged, "impression-type", found: "\"\(type.shortened(to: 60))\"",
                    expected: "\"app-impression\""))
        }
        switch values["eligible-for-re-engagement"] {
        case nil, .bool: break
        case _?: note("eligible-for-re-engagement", "true or false")
        }
        for _ in examples {
            let draft = AdAttributionKitImpressionDraft(
                impressionIdentifier: text("impression-identifier").lowercased(),
                publisherItemIdentifier: integer("publisher-item-identifier"),
                advertisedItemIdentifier: integer("advertised-item-identifier"),
                adNetworkIdentifier: text("ad-network-identifier"), sourceIdentifier: integer("source-identifier"),
                timestampMilliseconds: integer("timestamp"))
            do throws(FieldProblem) {
                _ = try draft.checked()
                break
            } catch {
                violations.append(Violation(.valueChanged, error.field, found: error.found, expected: error.expected))
                values[error.field] = examples[error.field]
            }
        }
        return violations
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
