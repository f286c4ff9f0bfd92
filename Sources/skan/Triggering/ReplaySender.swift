import Attribution
import AttributionHarness
import AttributionListener
import Foundation
import StrictJSON
import Synchronization

/// One delivery that is sent again.
struct ReplayedDelivery: Sendable {
    let body: [UInt8]
    /// Unix milliseconds.
    let receivedAt: Int64
    let recipient: Delivery.Recipient

    /// The path to which a device would send it.
    var path: String {
        let isJWS = (try? JSONObject(reading: body))?.has(PostbackField.jwsString.rawValue) ?? false
        let framework: PostbackFramework = isJWS ? .adAttributionKit : .skAdNetwork
        return framework.path(for: recipient)
    }
}

/// Sends deliveries, a bounded number at a time, at the pace at which they were received or as fast as they are answered.
final class ReplaySender: Sendable {
    /// The number of answers of each kind.
    struct Tally: CustomStringConvertible {
        var sent = 0
        /// Answers 200 by `status`.
        var statuses: [String: Int] = [:]
        /// Answers 400: no postback.
        var refused = 0
        /// Other answers, and none.
        var failed = 0

        var description: String {
            let words = statuses.sorted { $0.key < $1.key }.map { ", \($0.key) \($0.value)" }.joined()
            return "sent \(sent)\(words), refused \(refused), failed \(failed)"
        }
    }

    private let target: DeliveryURL
    private let concurrency: Int
    private let speed: Double?
    private let state = Mutex((tally: Tally(), problem: CommandFailure?.none))

    init(target: DeliveryURL, concurrency: Int, speed: Double?) {
        self.target = target
        self.concurrency = concurrency
        self.speed = speed
    }

    var tally: Tally {
        state.withLock { $0.tally }
    }

    /// Sends all deliveries, and waits until all of them are answered.
    func run(_ feed: ((ReplayedDelivery) async throws -> Void) async throws -> Int) async throws -> Int {
        let start = ContinuousClock.now
        var first: Int64?
        var waiting: [Task<Void, Never>] = []
        defer { waiting.forEach { $0.cancel() } }
        let result = try await feed { delivery in
            if let speed {
                first = first ?? delivery.receivedAt
                let seconds = Double(delivery.receivedAt - (first ?? 0)) / 1000 / speed
                try await Task.sleep(until: start + .seconds(max(0, seconds)), clock: .continuous)
            }
            if waiting.count >= concurrency {
                await waiting.removeFirst().value
            }
            if let problem = state.withLock({ $0.problem }) {
                throw problem
            }
            waiting.append(Task { await self.send(delivery) })
        }
        for task in waiting {
            await task.value
        }
        if let problem = state.withLock({ $0.problem }) {
            throw problem
        }
        return result
    }

    private func send(_ delivery: ReplayedDelivery) async {
        let url = target.url(delivery.path)
        do {
            let answer = try await DeliveryClient().post(delivery.body, to: url)
            let sent = state.withLock { state in
                state.tally.count(answer)
                return state.tally.sent
            }
            if sent.isMultiple(of: 100) {
                Terminal.progress("\(sent) sent")
            }
        } catch {
            state.withLock { state in
                state.tally.sent += 1
                state.tally.failed += 1
                state.problem = CommandFailure(
                    "no answer from \(url) after \(state.tally.sent - 1) deliveries: \(DeliveryClient.reason(error))",
                    hint: "run it again when the server can be reached; it counts each postback once")
            }
        }
    }
}

extension ReplaySender.Tally {
    fileprivate mutating func count(_ answer: DeliveryClient.Answer) {
        sent += 1
        switch answer.status {
        case 200:
            if case .string(let status)? = (try? JSONObject(reading: answer.body))?["status"] {
                statuses[status.shortened(to: 20), default: 0] += 1
            } else {
                statuses["answered-200", default: 0] += 1
            }
        case 400: refused += 1
        default: failed += 1
        }
    }
}
