package import Attribution
package import AttributionSigning
import StrictJSON

/// Says why a postback verifies or not, and proves it by undoing what went wrong.
///
/// Nothing it returns can be counted: an ``Explanation`` has no postback, and the one that a proof verifies is dropped.
package struct PostbackExplainer: Sendable {
    let verifier: PostbackVerifier
    let networks: [String]

    /// Network ids in Apple's examples, which are often copied with another one.
    private static let documentedNetworks = ["example123.skadnetwork", "com.example"]

    /// Makes an explainer.
    package init(verifier: PostbackVerifier, networks: [String] = []) {
        self.verifier = verifier
        self.networks = networks + Self.documentedNetworks.filter { !networks.contains($0) }
    }

    /// Verifies a body and explains the verdict.
    package func explain(_ body: [UInt8]) -> Explanation {
        explain(verifier.judge(body))
    }

    /// Explains a judgement.
    package func explain(_ judgement: Judgement) -> Explanation {
        let verdict = VerdictWord(judgement)
        switch judgement {
        case .verified(let verified):
            return Explanation(
                verdict: verdict, cause: .nothing, evidence: "verifies under \(verified.keyName)", advice: nil,
                signedText: verified.postback.visibleSignedText, key: verified.keyName,
                keyReason: verified.postback.signer.reason)
        case .undecided(let reason, _):
            return Explanation(
                verdict: verdict, cause: .unexplained, evidence: "it could not be verified: \(reason)",
                advice: "check this machine with skan selftest; the postback is not the cause")
        case .rejected(let rejection, let body):
            var search = RepairSearch(verifier: verifier, networks: networks)
            return explain(Rejected(rejection, verdict, body), &search)
        }
    }

    /// A rejected body on its way to an explanation.
    private struct Rejected {
        let rejection: PostbackRejection
        let verdict: VerdictWord
        let body: [UInt8]
        let postback: ReceivedPostback?

        init(_ rejection: PostbackRejection, _ verdict: VerdictWord, _ body: [UInt8]) {
            self.rejection = rejection
            self.verdict = verdict
            self.body = body
            postback = try? ReceivedPostback(reading: body)
        }

        /// Whether it says that a test key signed it, and there is none.
        var namesUntrustedTestKey: Bool {
            rejection.code == .unknownKey && postback?.signer == .adAttributionKit(.test)
        }
    }

    private func explain(_ rejected: Rejected, _ search: inout RepairSearch) -> Explanation {
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(reading: rejected.body)
        } catch .duplicateName(let name) {
            return search.firstProof(of: BodyRepair.keepingOneOfEach(name, in: rejected.body)).map {
                explanation(rejected, $0, .duplicateName, field: name.shortened(to: 60))
            } ?? unexplained(rejected, search, field: name.shortened(to: 60))
        } catch {
            let proof = search.firstProof(of: BodyRepair.unwrapping(rejected.body))
            // How long it is may not be known here: of an endless line only the beginning is kept.
            guard case .tooLong = error, proof == nil else {
                return explanation(rejected, proof, .notJSON)
            }
            return explanation(
                rejected, nil, .notJSON, evidence: "longer than any postback that a device sends")
        }
        let claim = ClaimedPostback(object)
        guard claim.hasSignature else {
            // It may be there under another name, or within another object.
            if let (repair, proof) = search.firstProof(of: [.moved], on: claim) {
                return explanation(rejected, proof, repair.cause, field: repair.field)
            }
            let isAdAttributionKit = claim.isAdAttributionKit || claim.fields[.adInteractionType] != nil
            let field = isAdAttributionKit ? PostbackField.jwsString : .attributionSignature
            return explanation(
                rejected, nil, .fieldRemoved, field: field.rawValue,
                evidence: "there is no signature in \(field.rawValue): \(rejected.rejection)".shortened(to: 600))
        }
        if let (cause, key) = rejected.postback.flatMap({ otherKey(of: $0) }) {
            return explanation(
                rejected, RepairSearch.Proof(conditions: [], keyName: key, text: nil), cause, field: nil)
        }
        // No postback is made of a kid that is unknown, but its header and payload can be verified as received.
        if rejected.rejection.code == .unknownKey, rejected.postback == nil,
            let (cause, key) = claim.jws.flatMap({ otherKey(of: $0) })
        {
            return explanation(
                rejected, RepairSearch.Proof(conditions: [], keyName: key, text: nil), cause, field: "kid",
                advice: cause == .testKey ? Self.useKeyID : Self.update)
        }
        if let text = claim.textWithSeparators,
            let key = verifier.anyKey(verifying: text.signature, .der, over: text.bytes)
        {
            return explanation(
                rejected, nil, .separatorInValue, field: text.field,
                evidence: "joined as they are, the values verify under \(key.name): "
                    + "they are those of another postback, with U+2063 inside \(text.field)")
        }
        guard let (repair, proof) = search.firstProof(of: claim) else {
            if let missing = claim.truncation {
                return explanation(
                    rejected, nil, .signatureEncoding, field: missing.field.rawValue,
                    evidence: "the signature is truncated: \(missing.evidence)",
                    advice: "have whoever forwards it pass the signature on whole; columns are often too short for it")
            }
            return unexplained(rejected, search, field: nil)
        }
        return explanation(rejected, proof, repair.cause, field: repair.field)
    }

    /// The key that verifies a rejected postback as it is, though its version or `kid` requires another.
    func otherKey(of postback: ReceivedPostback) -> (cause: ExplanationCause, key: String)? {
        verifier.anyKey(verifying: postback.signature, postback.signatureEncoding, over: postback.signedBytes)
            .map { ($0.provenance.cause, $0.name) }
    }

    /// The key that verifies a JWS as it is.
    private func otherKey(of jws: ClaimedJWS) -> (cause: ExplanationCause, key: String)? {
        jws.signature.flatMap { verifier.anyKey(verifying: $0, .concatenated, over: Array(jws.signed.utf8)) }
            .map { ($0.provenance.cause, $0.name) }
    }

    // MARK: Words

    private static let trustTestKey =
        "it names a test key, and none is trusted here: name its public half with --trust-test-key (SKAN_TRUST_TEST_KEY)"

    private static let useKeyID = "the signer wrote this kid itself: sign with the kid that belongs to the key"
    private static let update = "Apple may have given its key another kid: update skan"

    private func unexplained(_ rejected: Rejected, _ search: RepairSearch, field: String?) -> Explanation {
        explanation(
            rejected, nil, .unexplained, field: field,
            evidence: "\(rejected.rejection.description.shortened(to: 600)); none of \(search.verifiedCount) repairs "
                + "verifies" + (search.isExhausted ? ", and there was time for no more" : ""))
    }

    private func explanation(
        _ rejected: Rejected, _ proof: RepairSearch.Proof?, _ cause: ExplanationCause, field: String? = nil,
        evidence: String? = nil, advice: String? = nil
    ) -> Explanation {
        let signer = rejected.postback?.signer
        return Explanation(
            verdict: rejected.verdict, cause: cause, field: field,
            evidence: evidence ?? proof?.evidence.shortened(to: 600)
                ?? rejected.rejection.description.shortened(to: 600),
            advice: advice ?? (rejected.namesUntrustedTestKey ? Self.trustTestKey : cause.advice),
            signedText: rejected.postback?.visibleSignedText, provenText: proof?.text,
            key: signer.map { verifier.keys(of: $0).map(\.name).joined(separator: " or ") },
            keyReason: signer?.reason)
    }
}

extension ReceivedPostback {
    /// The text that is signed, with visible separators, or the header and payload that are.
    var visibleSignedText: String {
        switch self {
        case .skAdNetwork(let postback): postback.signedText.description.shortened(to: 2_000)
        case .adAttributionKit(let postback):
            (ClaimedJWS(String(decoding: postback.jws.signedBytes, as: UTF8.self) + ".-")?.signedText ?? "")
                .shortened(to: 4_000)
        }
    }
}

extension Provenance {
    /// The cause when a key of this provenance verifies a postback that names another key.
    fileprivate var cause: ExplanationCause {
        switch self {
        case .apple: .wrongKey
        case .development: .developmentKey
        case .test: .testKey
        }
    }
}

extension PostbackSigner {
    /// Why its postbacks need their key.
    fileprivate var reason: String {
        switch self {
        case .skAdNetwork(.p192): "Apple signs 1.0 and 2.0 with its key on P-192"
        case .skAdNetwork(.p256): "Apple signs 2.1 and later with its key on P-256"
        case .adAttributionKit(let keyID): "the header names it: kid \(keyID.rawValue)"
        }
    }
}

/// Causes for the answers to deliveries, which must not cost much more than the deliveries themselves.
extension PostbackExplainer {
    /// The longest body that is looked at; genuine ones take half of it at most.
    package static let maximumCheapLength = 2_048
    /// The most repairs of a body that are read and verified.
    private static let maximumCheapRepairs = 6

    /// Whether a verification takes microseconds; it does not until tables are prepared.
    package var isCheap: Bool { verifier.hasTables }

    /// Proves the causes that few verifications can prove, of bodies whose signature does not verify.
    ///
    /// ``explain(_:)`` names the same causes. That this finds none says nothing about a body.
    package func cheapCauses(of bodies: [[UInt8]]) -> [ProvenCause?] {
        var causes: [ProvenCause?] = Array(repeating: nil, count: bodies.count)
        var candidates: [(index: Int, repair: Repair)] = []
        var postbacks: [ReceivedPostback] = []
        for (index, body) in bodies.enumerated() where body.count <= Self.maximumCheapLength {
            guard let object = try? JSONObject(reading: body) else {
                continue
            }
            let claim = ClaimedPostback(object)
            // A key of SKAdNetwork signs for another version only if the version was changed, which is a repair.
            if claim.isAdAttributionKit, let postback = try? ReceivedPostback(reading: body),
                let (cause, _) = otherKey(of: postback)
            {
                causes[index] = ProvenCause(cause: cause, field: nil)
                continue
            }
            for (repair, postback) in cheapRepairs(of: claim) {
                candidates.append((index, repair))
                postbacks.append(postback)
            }
        }
        for ((index, repair), judgement) in zip(candidates, verifier.verify(postbacks)) where causes[index] == nil {
            if case .verified = judgement {
                causes[index] = ProvenCause(cause: repair.cause, field: repair.field)
            }
        }
        return causes
    }

    private func cheapRepairs(of claim: ClaimedPostback) -> [(repair: Repair, postback: ReceivedPostback)] {
        var candidates: [(repair: Repair, postback: ReceivedPostback)] = []
        var rest = Self.maximumCheapRepairs
        for mishap in Mishap.cheap where rest > 0 {
            for repair in mishap.cheapRepairs(of: claim, networks: networks).prefix(rest) {
                rest -= 1
                // Some make no postback of it, and some the same one.
                if let postback = try? ReceivedPostback(reading: repair.claim.body),
                    !candidates.contains(where: { $0.postback.body == postback.body })
                {
                    candidates.append((repair, postback))
                }
            }
        }
        return candidates
    }
}
