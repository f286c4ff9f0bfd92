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

    package init(verifier: PostbackVerifier, networks: [String] = []) {
        self.verifier = verifier
        self.networks = networks + Self.documentedNetworks.filter { !networks.contains($0) }
    }

    /// Verifies a body and explains the verdict; without a time of first receipt, as received after every date.
    package func explain(_ body: [UInt8], receivedAt milliseconds: Int64 = .max) -> Explanation {
        explain(verifier.judge(body, receivedAt: milliseconds))
    }

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
            return explain(rejected, notAnObject: error, &search)
        }
        let claim = ClaimedPostback(object)
        guard claim.hasSignature else {
            return explainWithoutSignature(rejected, claim, &search)
        }
        // Whatever is wrong with its payload, header and payload can be verified as received.
        if rejected.rejection.code == .unknownKey, !rejected.namesUntrustedTestKey,
            let (cause, key) = claim.jws.flatMap({ otherKey(of: $0) })
        {
            return explanation(
                rejected, RepairSearch.Proof(conditions: [], keyName: key, text: nil), cause, field: "kid",
                advice: cause == .testKey ? Self.useKeyID : Self.addKey)
        }
        if let (cause, key) = rejected.postback.flatMap({ otherKey(of: $0) }) {
            return explanation(
                rejected, RepairSearch.Proof(conditions: [], keyName: key, text: nil), cause, field: nil)
        }
        if let text = claim.textWithSeparators,
            let key = verifier.anyKey(verifying: text.signature, .der, over: text.bytes)
        {
            return explanation(
                rejected, nil, .separatorInValue, field: text.field,
                evidence: "joined as they are, the values verify under \(key.name): "
                    + "they are those of another postback, with U+2063 inside \(text.field)")
        }
        if JSONBox.hold(claim.fields) {
            let boxed = search.postbacks(in: rejected.body).filter { $0.box != nil }
            if let explanation = wrapped(rejected, boxed, &search) {
                return explanation
            }
        }
        if let (repair, proof) = search.firstProof(of: claim) {
            return explanation(
                rejected, proof, repair.cause, field: repair.field,
                advice: proof.conditions.count > 1 ? repair.cause.adviceBesideOthers : nil)
        }
        // What is around a postback may have a signature of its own.
        let inner = search.postbacks(in: rejected.body).filter { !$0.path.isEmpty }
        if let explanation = wrapped(rejected, inner, &search) {
            return explanation
        }
        if let missing = claim.truncation {
            return explanation(
                rejected, nil, .signatureEncoding, field: missing.field.rawValue,
                evidence: "the signature is truncated: \(missing.evidence)",
                advice: "have whoever forwards it pass the signature on whole; columns are often too short for it")
        }
        return unexplained(rejected, search, field: nil)
    }

    /// Explains what is not one JSON object.
    private func explain(
        _ rejected: Rejected, notAnObject error: JSONError, _ search: inout RepairSearch
    ) -> Explanation {
        let inner = search.postbacks(in: rejected.body)
        if let explanation = wrapped(rejected, inner, &search) {
            return explanation
        }
        let python = PythonText.json(rejected.body).map { BodyRepair(condition: PythonText.condition, body: $0) }
        let repairs = BodyRepair.unwrapping(rejected.body) + (python.map { [$0] } ?? [])
        if let proof = search.firstProof(of: repairs) {
            return explanation(
                rejected, proof, .notJSON,
                advice: proof.conditions == [PythonText.condition] ? PythonText.advice : nil)
        }
        for repair in [python].compactMap(\.self) + repairs.prefix(1) {
            if let (_, proof) = search.firstProof(of: search.postbacks(in: repair.body), after: repair.condition) {
                return explanation(
                    rejected, proof, .notJSON, advice: python?.body == repair.body ? PythonText.advice : nil)
            }
        }
        // How long it is may not be known here: of an endless line only the beginning is kept.
        if case .tooLong = error {
            return explanation(rejected, nil, .notJSON, evidence: "longer than any postback that a device sends")
        }
        guard inner.isEmpty else {
            return unproven(rejected, inner[0], search)
        }
        return explanation(
            rejected, nil, .notJSON, evidence: python == nil ? nil : PythonText.finding,
            advice: python == nil ? nil : PythonText.advice)
    }

    /// Explains an object whose signature is not where Apple puts it, if there is one.
    private func explainWithoutSignature(
        _ rejected: Rejected, _ claim: ClaimedPostback, _ search: inout RepairSearch
    ) -> Explanation {
        // It may be there under another name, or within another object.
        let found = search.postbacks(in: rejected.body)
        if let explanation = wrapped(rejected, found, &search) {
            return explanation
        }
        if let first = found.first {
            return unproven(rejected, first, search)
        }
        let names = FieldNames(claim.fields.map(\.name)).indices
        let trace = SignatureTrace(in: rejected.body)
        let isAdAttributionKit =
            claim.isAdAttributionKit || PostbackField.ofAdAttributionKit.contains { names[$0] != nil }
            || trace?.isJWS ?? false && names[.adNetworkID] == nil
        let field = (isAdAttributionKit ? PostbackField.jwsString : .attributionSignature).rawValue
        if let trace {
            return explanation(
                rejected, nil, .fieldRemoved, field: field,
                evidence: "what may be the signature is at \(trace.place), in a form that is not read: "
                    + (isAdAttributionKit ? "\(field) is missing" : "\(rejected.rejection)".shortened(to: 400)),
                advice: (trace.encoding.map { "\($0) first; " } ?? "")
                    + "give the object that has it alone, with \(field) and the other fields under Apple's names, "
                    + "best the bytes as received; skan import takes the path to it in --body-field")
        }
        guard isAdAttributionKit, !claim.isAdAttributionKit else {
            return explanation(
                rejected, nil, .fieldRemoved, field: field,
                evidence: "no signature was found in \(field): \(rejected.rejection)".shortened(to: 600))
        }
        let isDecoded = names[.postbackIdentifier] != nil || names[.advertisedItemIdentifier] != nil
        return explanation(
            rejected, nil, .fieldRemoved, field: field,
            evidence: "no signature was found: \(field) is missing"
                + (isDecoded ? ", and only its payload is here, decoded" : ""),
            advice: "have whoever forwards it pass on \(field) as received: what is decoded from it proves nothing")
    }

    /// The explanation of a postback inside something else or under other names; nil if none verifies.
    private func wrapped(
        _ rejected: Rejected, _ postbacks: [WrappedPostback], _ search: inout RepairSearch
    ) -> Explanation? {
        search.firstProof(of: postbacks).map { postback, proof in
            let repair = postback.repair
            return explanation(
                rejected, proof, repair.cause, field: repair.field.isEmpty ? nil : repair.field,
                advice: postback.advice(proof))
        }
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
    private static let addKey = "Apple may have given its key another kid: update skan, or add it with --apple-keys"

    private func unexplained(_ rejected: Rejected, _ search: RepairSearch, field: String?) -> Explanation {
        explanation(
            rejected, nil, .unexplained, field: field,
            evidence: "\(rejected.rejection.description.shortened(to: 600)); \(search.outcome)")
    }

    /// What has a signature is not called unsigned, though nothing makes it verify.
    private func unproven(_ rejected: Rejected, _ postback: WrappedPostback, _ search: RepairSearch) -> Explanation {
        let place = postback.path.isEmpty ? "" : " in \(postback.path)"
        let signature = postback.claim.isAdAttributionKit ? PostbackField.jwsString : .attributionSignature
        let name = postback.renamed.first { $0.field == signature }?.name ?? signature.rawValue
        return explanation(
            rejected, nil, .unexplained,
            evidence: "there is a signature\(place) under \(name.shortened(to: 60)), but \(search.outcome)"
                + (postback.ambiguity.map { "; \($0)" } ?? ""))
    }

    private func explanation(
        _ rejected: Rejected, _ proof: RepairSearch.Proof?, _ cause: ExplanationCause, field: String? = nil,
        evidence: String? = nil, advice: String? = nil
    ) -> Explanation {
        let signer = rejected.postback?.signer
        let keys = signer.map { verifier.keys(of: $0).map(\.name) } ?? []
        return Explanation(
            verdict: rejected.verdict, cause: cause, field: field,
            evidence: evidence ?? proof?.evidence.shortened(to: 600)
                ?? rejected.rejection.description.shortened(to: 600),
            advice: advice
                ?? (rejected.namesUntrustedTestKey ? Self.trustTestKey : cause.advice(for: signer?.framework)),
            signedText: rejected.postback?.visibleSignedText, provenText: proof?.text,
            key: keys.isEmpty ? nil : keys.joined(separator: " or "),
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
        case .skAdNetwork(let version) where version.postbackCurve == .p192:
            "Apple signs 1.0 and 2.0 with its key on P-192"
        case .skAdNetwork: "Apple signs 2.1 and later with its key on P-256"
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

    /// Whether a rejected body may have its signature inside something else or under another name, which is looked for.
    package static func mayBeWrapped(_ body: [UInt8]) -> Bool {
        guard (minimumLength...maximumCheapLength).contains(body.count), let object = try? JSONObject(reading: body)
        else {
            return false
        }
        return !object.has(PostbackField.attributionSignature.rawValue) && !object.has(PostbackField.jwsString.rawValue)
            || body.count { $0 == UInt8(ascii: "{") } > 1 && JSONBox.hold(object.fields)
    }

    /// Whether a body that is no object may have a postback inside: an array, or JSON in a string, base64 or percent
    /// encoding.
    package static func mayWrap(_ body: [UInt8]) -> Bool {
        // In base64, an object begins with e and an array with W.
        (minimumLength...maximumCheapLength).contains(body.count)
            && body.first { $0 > 0x20 }.map { "[\"%eW".utf8.contains($0) } ?? false
    }

    /// No postback of any version is shorter.
    private static let minimumLength = 200

    /// Whether a verification takes microseconds; it does not until tables are prepared.
    package var isCheap: Bool { verifier.hasTables }

    /// Proves the causes that few verifications can prove, of bodies whose signature does not verify or is elsewhere.
    ///
    /// ``explain(_:)`` names the same causes. That this finds none says nothing about a body.
    package func cheapCauses(of bodies: [[UInt8]]) -> [ProvenCause?] {
        var causes: [ProvenCause?] = Array(repeating: nil, count: bodies.count)
        var candidates: [(index: Int, repair: Repair)] = []
        var postbacks: [ReceivedPostback] = []
        for (index, body) in bodies.enumerated() where body.count <= Self.maximumCheapLength {
            guard let object = try? JSONObject(reading: body), case let claim = ClaimedPostback(object),
                claim.hasSignature, !JSONBox.hold(claim.fields)
            else {
                for found in PostbackFinder.postbacks(in: body, .cheap).found {
                    if let postback = try? ReceivedPostback(reading: found.claim.body) {
                        candidates.append((index, found.repair))
                        postbacks.append(postback)
                    }
                }
                continue
            }
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
                // What is wrapped as a whole has no path.
                causes[index] = ProvenCause(cause: repair.cause, field: repair.field.isEmpty ? nil : repair.field)
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
