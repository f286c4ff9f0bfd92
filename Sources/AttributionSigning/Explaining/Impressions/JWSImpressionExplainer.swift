import Attribution
import Hashing
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
            return judged(claim, problem: Self.problem(in: claim))
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
            (Self.problem(in: claim).map { "\($0); " } ?? "")
                + "the signature does not verify over the header and payload as received", claim,
            "check that the key is the one that signed, and that nothing changed the JWS on its way")
    }

    private func judged(_ claim: ClaimedJWS, problem: FieldProblem?) -> Explanation {
        guard let problem else {
            return explanation(.valid, .nothing, "verifies as an impression of AdAttributionKit", claim, nil)
        }
        return explanation(
            .invalid, Self.cause(of: problem), "the signature is over these values, but \(problem)", claim,
            "sign the value that Apple requires", field: problem.field)
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

    private static let number = "a whole number"
    private static let string = "a string"
    private static let flag = "true or false"
    private static let object = "one JSON object"
    private static let once = "each name once"
    private static let absence = "no such name in the header"

    /// What a value that Apple would refuse has been through.
    private static func cause(of problem: FieldProblem) -> ExplanationCause {
        switch problem.expected {
        case once: .duplicateName
        case object: .notJSON
        case absence: .fieldAdded
        case _ where problem.found == "nothing": .fieldRemoved
        case number, string, flag: .retyped
        default: .valueChanged
        }
    }

    /// Reads the header, and fails where header or payload is not one JSON object.
    private static func header(of claim: ClaimedJWS) throws(FieldProblem) -> JSONObject {
        var part = "header"
        do throws(JSONError) {
            let header = try JSONObject(reading: (claim.header ?? "").utf8)
            part = "payload"
            if let problem = claim.payloadProblem {
                throw problem
            }
            return header
        } catch {
            if case .duplicateName(let name) = error {
                throw FieldProblem(
                    field: name.shortened(to: 60), found: "the name twice in the \(part)", expected: once)
            }
            throw FieldProblem(field: part, found: "something else (\(error))", expected: object)
        }
    }

    /// The first value that Apple would refuse; nil if there is none.
    ///
    /// The case of `impression-identifier` is free: Apple's own example has capitals.
    private static func problem(in claim: ClaimedJWS) -> FieldProblem? {
        let payload = claim.payload
        do throws(FieldProblem) {
            let header = try header(of: claim)
            func value(_ name: String) -> JSONValue? {
                payload.first { $0.name == name }?.value
            }
            func text(_ name: String) throws(FieldProblem) -> String {
                guard case .string(let text) = value(name) else {
                    throw FieldProblem(field: name, found: value(name)?.summary ?? "nothing", expected: Self.string)
                }
                return text
            }
            func integer(_ name: String) throws(FieldProblem) -> Int64 {
                guard case .integer(let number) = value(name) else {
                    throw FieldProblem(field: name, found: value(name)?.summary ?? "nothing", expected: Self.number)
                }
                return number
            }
            // Apple's header has neither: one asks for rules that nobody may skip, the other names a key of its own.
            for name in ["crit", "jwk"] where header.has(name) {
                throw FieldProblem(field: name, found: header.summary(of: name), expected: Self.absence)
            }
            guard header.isString("alg", "ES256") else {
                throw FieldProblem(field: "alg", found: header.summary(of: "alg"), expected: "\"ES256\" in the header")
            }
            let network = try text("ad-network-identifier")
            guard header.isString("kid", network) else {
                throw FieldProblem(
                    field: "kid", found: header.summary(of: "kid"), expected: "the ad-network-identifier, in the header"
                )
            }
            guard try text("impression-type") == "app-impression" else {
                throw FieldProblem(
                    field: "impression-type", found: "\"\(try text("impression-type").shortened(to: 60))\"",
                    expected: "\"app-impression\"")
            }
            switch value("eligible-for-re-engagement") {
            case nil, .bool: break
            case let value?:
                throw FieldProblem(field: "eligible-for-re-engagement", found: value.summary, expected: Self.flag)
            }
            _ = try AdAttributionKitImpressionDraft(
                impressionIdentifier: try text("impression-identifier").lowercased(),
                publisherItemIdentifier: try integer("publisher-item-identifier"),
                advertisedItemIdentifier: try integer("advertised-item-identifier"), adNetworkIdentifier: network,
                sourceIdentifier: try integer("source-identifier"), timestampMilliseconds: try integer("timestamp")
            ).checked()
            return nil
        } catch {
            return error
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
