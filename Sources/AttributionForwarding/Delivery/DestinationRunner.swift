import AttributionStore
import FoundationEssentials
import Logging
import Metrics
import Platform

/// Delivers to one destination, for as long as it is this process's, runs, and its description is the same.
struct DestinationRunner: Sendable {
    private enum Event: Sendable {
        case finished(DeliveryPlan.Item, DeliveryPlan.Outcome)
        case tick
    }

    let destination: Destination
    let stored: StoredDestination
    let reader: any LedgerReading
    let sender: DestinationSender
    let logger: Logger
    let counts: DestinationCounts
    /// Looks up what the store last said; nil when the destination is to be delivered to no longer.
    let current: @Sendable () -> StoredDestination?
    let save: @Sendable (DestinationProgress) async throws -> Bool

    /// How long at least between two commits, and two looks at what is due again.
    private static let pause: Int64 = 1_000
    /// Postbacks that are sent again, in memory at a time.
    private static let retriesRead = 64

    func run() async {
        var plan = DeliveryPlan(
            stored, concurrency: destination.concurrency, isOrdered: destination.isOrdered, rate: destination.rate)
        var (nextPage, nextRetries, nextSave): (Int64, Int64, Int64) = (0, 0, 0)
        // Then what the plan remembers must not be saved either: it goes on from what was not.
        var isInDoubt = false
        await withTaskGroup(of: Event.self) { group in
            var isTicking = false
            while !Task.isCancelled, let known = current(), known.state == .running {
                do {
                    if Self.now >= nextRetries {
                        nextRetries = Self.now + Self.pause
                        plan.waitingCount = known.waitingCount
                        if plan.wantsRetries {
                            try await readRetries(&plan)
                        }
                    }
                    if plan.wantsPage, Self.now >= nextPage {
                        let page = try await reader.feed(
                            after: plan.readTo, limit: DeliveryPlan.pageSize, bytes: DeliveryPlan.pageBytes)
                        let isFull = page.postbacks.count == DeliveryPlan.pageSize
                        nextPage = isFull ? 0 : Self.now + Self.pause / 4
                        plan.add(page, sender.read(page.postbacks.map(\.postback), for: destination))
                    }
                    for item in plan.next(at: Self.now) {
                        group.addTask { [sender, destination] in
                            .finished(item, await sender.send(item.postback, item.outgoing, to: destination))
                        }
                    }
                    if plan.hasChanged, Self.now >= nextSave {
                        nextSave = Self.now + Self.pause
                        isInDoubt = true
                        guard try await save(plan.takeProgress()) else { break }
                        isInDoubt = false
                    }
                } catch is CancellationError {
                    break
                } catch {
                    counts.storeFailures.note(error, metadata: ["destination": "\(destination.name)"])
                    // What is not saved is sent again, under the same ids.
                    break
                }
                if !isTicking {
                    isTicking = true
                    let time = plan.wakes(after: Self.now).map { min(Self.pause, $0 - Self.now) } ?? Self.pause
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(max(5, time)))
                        return .tick
                    }
                }
                switch await group.next() {
                case .finished(let item, let outcome)?: finish(item, outcome, &plan)
                case .tick, nil: isTicking = false
                }
            }
            group.cancelAll()
            for await case .finished(let item, .attempted(let result)) in group where result.isDelivered {
                finish(item, .attempted(result), &plan)
            }
        }
        if plan.hasChanged, !isInDoubt {
            _ = try? await save(plan.takeProgress())
        }
    }

    private static var now: Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000)
    }

    private func readRetries(_ plan: inout DeliveryPlan) async throws {
        let due = try await reader.failedForwardings(
            of: destination.name, due: plan.isDown ? .max : Self.now, limit: Self.retriesRead)
        for failed in due where !plan.knows(failed) {
            let query = PostbackQuery(after: failed.postback - 1, limit: 1)
            plan.add(failed, try await reader.postbacks(query).first { $0.id == failed.postback })
        }
    }

    private func finish(_ item: DeliveryPlan.Item, _ outcome: DeliveryPlan.Outcome, _ plan: inout DeliveryPlan) {
        var generator = SystemRandomNumberGenerator()
        let wasDown = plan.isDown
        plan.finish(item, outcome, at: Self.now, using: &generator)
        let name: Logger.Metadata = ["destination": "\(destination.name)"]
        switch outcome {
        case .passedOver: break
        case .unusable(let reason):
            counts.failed.increment()
            counts.unusable.note(reason, metadata: name.merging(["postback": "\(item.postback.id)"]) { $1 })
        case .attempted(let result):
            (result.isDelivered ? counts.delivered : counts.failed).increment()
            if plan.isGone {
                logger.error(
                    "a destination answered 410, and gets nothing more: skan destinations resume", metadata: name)
            } else if plan.isDown, !wasDown {
                logger.error(
                    "a destination takes nothing: it is probed every 10 seconds, and what it misses waits in the store",
                    metadata: name.merging(["reason": "\(plan.lastFailure)"]) { $1 })
            } else if wasDown, !plan.isDown {
                logger.notice("a destination takes postbacks again", metadata: name)
            }
        }
    }
}

/// What is counted and logged of a destination.
struct DestinationCounts: Sendable {
    let delivered: Counter
    let failed: Counter
    let storeFailures: FailureLog
    let unusable: FailureLog

    init(_ name: String, logger: Logger, factory: any MetricsFactory) {
        func counter(_ outcome: String) -> Counter {
            Counter(
                label: "skan_destination_attempts_total",
                dimensions: [("destination", name), ("outcome", outcome)], factory: factory)
        }
        (delivered, failed) = (counter("delivered"), counter("failed"))
        storeFailures = FailureLog("the store failed while postbacks were forwarded", logger: logger)
        unusable = FailureLog("a postback cannot be forwarded, and is parked", logger: logger)
    }
}
