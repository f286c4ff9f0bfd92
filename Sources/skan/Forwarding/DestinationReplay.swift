import Attribution
import AttributionForwarding
import AttributionSigning
import AttributionStore
import Foundation
import StrictJSON

/// Sends a destination what was recorded again, beside the server that forwards to it: under the same ids, and without a
/// trace in the store.
struct DestinationReplay {
    /// What became of the postbacks.
    struct Tally: CustomStringConvertible {
        var delivered = 0
        var failed = 0
        var passedOver = 0
        /// Why it was stopped before the end.
        var problem: CommandFailure?

        var description: String {
            "delivered \(delivered), failed \(failed), not wanted \(passedOver)"
        }
    }

    let destination: Destination
    let reader: any LedgerReading
    let sender: DestinationSender

    /// Attempts for each postback, and failed postbacks in a row after which it stops.
    private static let attempts = 5
    private static let longestRun = 5
    private static let problemsListed = 20

    /// Sends all that match, a bounded number at a time.
    func run(_ query: PostbackQuery) async throws -> Tally {
        var (query, tally, run) = (query, Tally(), 0)
        query.limit = DeliveryPlan.pageSize
        query.traffic = destination.filters.provenance
        let interval = destination.rate.map { Duration.seconds(1) / $0 }
        var slot = ContinuousClock.now
        while tally.problem == nil {
            let page = try await reader.postbacks(query)
            let read = sender.read(page, for: destination)
            await withTaskGroup(of: (RecordedPostback, DeliveryPlan.Outcome).self) { group in
                var underWay = 0
                func take() async {
                    guard let (postback, outcome) = await group.next() else { return }
                    underWay -= 1
                    note(outcome, of: postback, &tally, &run)
                }
                for (postback, outgoing) in zip(page, read) {
                    guard tally.problem == nil else { break }
                    guard let outgoing else {
                        tally.passedOver += 1
                        continue
                    }
                    if underWay >= (destination.isOrdered ? 1 : destination.concurrency) { await take() }
                    if let interval {
                        try? await Task.sleep(until: slot, clock: .continuous)
                        slot = max(slot, .now) + interval
                    }
                    underWay += 1
                    group.addTask { (postback, await send(postback, outgoing)) }
                }
                while underWay > 0 { await take() }
            }
            guard let last = page.last, page.count == query.limit else { break }
            query.after = last.id
            Terminal.progress("\(tally)")
        }
        return tally
    }

    /// Sends a postback until it is taken or refused for good, some times at most.
    private func send(
        _ postback: RecordedPostback, _ outgoing: Result<OutgoingPostback, OutgoingProblem>
    ) async -> DeliveryPlan.Outcome {
        var pause = Duration.seconds(1)
        for attempt in 1... {
            let outcome = await sender.send(postback, outgoing, to: destination)
            guard attempt < Self.attempts, case .attempted(let result) = outcome, result.isTransient else {
                return outcome
            }
            var wait = pause
            if case .answered(let answer) = result, let retryAfter = answer.retryAfter {
                wait = min(retryAfter, .seconds(60))
            }
            try? await Task.sleep(for: wait)
            pause *= 2
        }
        return .passedOver
    }

    private func note(
        _ outcome: DeliveryPlan.Outcome, of postback: RecordedPostback, _ tally: inout Tally, _ run: inout Int
    ) {
        var reason: String
        switch outcome {
        case .passedOver:
            tally.passedOver += 1
            return
        case .attempted(let result) where result.isDelivered:
            tally.delivered += 1
            run = 0
            return
        case .attempted(.answered(let answer)): reason = "answered \(answer.status): \(answer.excerpt)"
        case .attempted(.failed(let text)), .unusable(let text): reason = text
        }
        reason = reason.shortened(to: 200)
        tally.failed += 1
        run += 1
        if tally.failed <= Self.problemsListed {
            Terminal.say("skan: warning: postback \(postback.id): \(reason)")
        }
        guard run >= Self.longestRun, tally.problem == nil else { return }
        let day = CalendarDay(containing: postback.receivedAtMilliseconds, in: .gmt)
        tally.problem = CommandFailure(
            "\(destination.name) takes nothing: \(run) postbacks in a row failed, the last one \(postback.id)",
            code: .unanswered,
            hint: "when it takes postbacks again, go on with --from \(day): what it has comes under the same webhook-id"
        )
    }
}
