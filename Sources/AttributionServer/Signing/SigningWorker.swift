import Attribution
import AttributionConsole
import AttributionListener
import AttributionSigning
import Logging
import Platform
import StrictJSON

/// Signs requests on one event loop: reads all of them, signs what they ask for, verifies it together, and makes answers.
struct SigningWorker {
    /// How many orders of a batch are signed in one turn, and after how many signatures no other one is begun.
    private static let (ordersPerTurn, batchSignaturesPerTurn) = (32, 64)

    private let current: CurrentSigner
    private let access: AccessControl?
    private let counts: SignedCounts?
    private let signDigest: SignDigest
    private let logger: Logger
    private let failures: FailureLog
    private var metrics: SigningMetrics
    private var generator = SystemRandomNumberGenerator()

    init(
        current: CurrentSigner, access: AccessControl?, counts: SignedCounts?, signDigest: @escaping SignDigest,
        logger: Logger, metrics: SigningMetrics
    ) {
        self.current = current
        self.access = access
        self.counts = counts
        self.signDigest = signDigest
        self.logger = logger
        self.metrics = metrics
        failures = FailureLog("signing failed", logger: logger)
    }

    /// The outcome of one turn.
    struct Outcome {
        /// The answers, each with what sends it.
        var answered: [(send: @Sendable (IngressAnswer) -> Void, answer: IngressAnswer)] = []
        /// The batches that need another turn.
        var unfinished: [SigningRequest] = []
        /// The requests that need another turn once external signers have answered.
        var awaiting: [(request: SigningRequest, signatures: [SignatureRequest])] = []
    }

    /// Signs requests together.
    mutating func sign(_ requests: [SigningRequest]) -> Outcome {
        let newest = current.keys
        var outcome = Outcome()
        // Nearly always one.
        var turns: [Turn] = []
        for var request in requests {
            let keys = request.keys ?? newest
            request.keys = keys
            let index = turns.firstIndex { $0.keys === keys } ?? turns.count
            if index == turns.count { turns.append(Turn(keys: keys)) }
            plan(request, in: &turns[index], &outcome)
        }
        for turn in turns {
            let signed = turn.keys.signer.sign(turn.impressions, with: turn.external, signDigest: signDigest)
            for (request, parts) in turn.planned { finish(request, parts, signed, turn.keys, &outcome) }
        }
        return outcome
    }

    // MARK: Reading

    /// What is signed together, with one key list.
    private struct Turn {
        /// One thing that a request asks for: all of it, or an order of a batch.
        struct Part {
            /// The line of a batch.
            let line: Int
            let plan: Result<SigningPlan, any Error>
            /// The indices of its impressions.
            let range: Range<Int>
        }

        let keys: CurrentSigner.Keys
        /// The requests that were read.
        var planned: [(request: SigningRequest, parts: [Part])] = []
        var impressions: [Impression] = []
        /// What external signers answered to the requests.
        var external: ExternalSignatures = [:]

        mutating func add(_ plan: Result<SigningPlan, any Error>, line: Int = 0) -> Part {
            let start = impressions.count
            if case .success(let plan) = plan { impressions += plan.impressions }
            return Part(line: line, plan: plan, range: start..<impressions.count)
        }
    }

    private mutating func plan(_ request: SigningRequest, in turn: inout Turn, _ outcome: inout Outcome) {
        var request = request
        if let awaited = request.awaited {
            turn.external.merge(awaited.signatures) { former, _ in former }
            return turn.planned.append((request, awaited.parts.map { turn.add($0.plan, line: $0.line) }))
        }
        let signer = turn.keys.signer
        guard request.route == .batch else {
            let result: Result<SigningPlan, any Error>
            do { result = .success(try plan(request, signer)) } catch { result = .failure(error) }
            return turn.planned.append((request, [turn.add(result)]))
        }
        var progress: SigningRequest.BatchProgress
        do {
            progress =
                try request.progress
                ?? SigningRequest.BatchProgress(batch: ImpressionBatch(readingRequest: request.body))
        } catch {
            return outcome.answered.append((request.answer, answer(refusing: error, to: request)))
        }
        var parts: [Turn.Part] = []
        var signatures = 0
        for (line, order) in progress.batch.orders[progress.next...].prefix(Self.ordersPerTurn) {
            guard signatures < Self.batchSignaturesPerTurn else { break }
            progress.next += 1
            let result: Result<SigningPlan, any Error>
            do { result = .success(try plan(try order.get(), request, signer)) } catch { result = .failure(error) }
            parts.append(turn.add(result, line: line))
            signatures += parts.last?.range.count ?? 0
        }
        if let caller = request.caller {
            access?.charge(caller, signatures - parts.count, at: .now)
        }
        request.progress = progress
        turn.planned.append((request, parts))
    }

    private mutating func plan(_ request: SigningRequest, _ signer: NetworkSigner) throws -> SigningPlan {
        switch request.route {
        case .impressions, .batch:
            let order = try ImpressionOrder(reading: request.body, limit: SigningRequest.bodyLimit)
            return try plan(order, request, signer)
        case .openRTB:
            let bids = try BidRequest(reading: request.body, limit: SigningRequest.bodyLimit)
            try request.caller?.authorize(bids.networks)
            return try signer.plan(bids, at: request.receivedAt, using: &generator)
        }
    }

    private mutating func plan(
        _ order: ImpressionOrder, _ request: SigningRequest, _ signer: NetworkSigner
    ) throws -> SigningPlan {
        try request.caller?.authorize([order.adNetworkID.text])
        return try signer.plan(order, at: request.receivedAt, using: &generator)
    }

    // MARK: Answering

    private mutating func finish(
        _ request: SigningRequest, _ parts: [Turn.Part], _ signed: [Result<NetworkSigner.Signed, any Error>],
        _ keys: CurrentSigner.Keys, _ outcome: inout Outcome
    ) {
        if keys.signer.hasExternalKeys, request.awaited == nil {
            let needed = Self.needed(parts, signed)
            guard needed.isEmpty else {
                var request = request
                request.awaited = SigningRequest.Awaited(parts: parts.map { ($0.line, $0.plan) })
                return outcome.awaiting.append((request, needed))
            }
        }
        if request.route == .batch {
            finishBatch(request, parts, signed, keys, &outcome)
        } else {
            for part in parts {
                let answer: IngressAnswer
                do {
                    answer = self.answer(try self.answer(part, signed, keys, request), to: request)
                } catch {
                    answer = self.answer(refusing: error, to: request)
                }
                outcome.answered.append((request.answer, answer))
            }
        }
    }

    /// What external signers have to sign for parts; none of it was requested yet.
    ///
    /// The other impressions of such a request are signed again with its next turn: few need keys of both kinds.
    private static func needed(
        _ parts: [Turn.Part], _ signed: [Result<NetworkSigner.Signed, any Error>]
    ) -> [SignatureRequest] {
        parts.flatMap { signed[$0.range] }.compactMap { result in
            if case .failure(let error as ExternalSignatureNeeded) = result { error.request } else { nil }
        }
    }

    private mutating func finishBatch(
        _ request: SigningRequest, _ parts: [Turn.Part], _ signed: [Result<NetworkSigner.Signed, any Error>],
        _ keys: CurrentSigner.Keys, _ outcome: inout Outcome
    ) {
        guard var progress = request.progress else { return }
        var answers = ImpressionBatch.Answers()
        for part in parts {
            do {
                answers.add(part.line, try answer(part, signed, keys, request))
            } catch {
                answers.add(part.line, refusal(for: error))
            }
        }
        progress.answers.append(answers)
        var request = request
        request.awaited = nil
        request.progress = progress
        guard progress.next == progress.batch.count else {
            return outcome.unfinished.append(request)
        }
        let isWhole = progress.answers.allSatisfy(\.refusals.isEmpty)
        var answer = IngressAnswer(
            status: isWhole ? 200 : 207, body: progress.answers.flatMap(\.text),
            mediaType: IngressMediaType.ndjson.rawValue)
        answer.caller = request.caller?.name
        outcome.answered.append((request.answer, answer))
    }

    /// The answer to a part; of a part with a signature that was discarded, nothing leaves.
    private mutating func answer(
        _ part: Turn.Part, _ signed: [Result<NetworkSigner.Signed, any Error>], _ keys: CurrentSigner.Keys,
        _ request: SigningRequest
    ) throws -> SigningPlan.Answer {
        let plan = try part.plan.get()
        let answer = try plan.answer(try signed[part.range].map { try $0.get().impression })
        let uses = signed[part.range].compactMap { if case .success(let one) = $0 { one.use } else { nil } }
        for use in uses {
            metrics.countSignature(keys.signer.uses[use])
        }
        counts?.add(plan, at: request.receivedAt)
        if logger.logLevel <= .debug {
            let used = Set(uses.map { keys.signer.uses[$0] })
            logger.debug(
                "signed",
                metadata: [
                    "route": "\(request.route.path)", "token": "\(request.caller?.name ?? "none")",
                    "token-id": "\(request.caller?.id ?? "none")",
                    "networks": "\(used.map(\.network).sorted().joined(separator: ","))",
                    "keys": "\(used.map(\.key).sorted().joined(separator: ","))", "signatures": "\(uses.count)",
                ])
        }
        return answer
    }

    private func answer(_ signed: SigningPlan.Answer, to request: SigningRequest) -> IngressAnswer {
        let refusal = signed.refusal
        var answer = IngressAnswer(
            status: refusal?.code.httpStatus ?? (signed.isPartial ? 207 : 200),
            body: JSONWriter.lineBytes { $0.object(signed.writeMembers) },
            retryAfter: refusal?.retryAfter)
        answer.caller = request.caller?.name
        if let refused = signed.refusedExtensions {
            // Many bidders look at nothing but status and header.
            answer.set("Skan-Refused", refused)
        }
        return answer
    }

    private func answer(refusing error: any Error, to request: SigningRequest) -> IngressAnswer {
        var answer = IngressAnswer(refusing: refusal(for: error))
        answer.caller = request.caller?.name
        return answer
    }

    /// The refusal that a client gets for an error; those that an operator has to know of are logged and counted.
    private func refusal(for error: any Error) -> any CodedError {
        if let error = error as? any CodedError, error.code != .signingFailed {
            return error
        }
        metrics.countFault()
        failures.note(error)
        return error as? any CodedError
            ?? Refusal(.signingFailed, "no signature could be made; the server's log says why")
    }
}
