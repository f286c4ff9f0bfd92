import AsyncHTTPClient
package import Attribution
import Foundation
import NIOCore
import NIOHTTP1
import StrictJSON
import Synchronization

/// Posts planned deliveries to a server with limited concurrency, and compares each answer with the plan.
package struct TrafficSender: Sendable {
    /// The result of sending a plan.
    package struct Result: Sendable {
        /// Deliveries answered 200 by status.
        package var durable: [Recording.Status: Int] = [:]
        /// Deliveries answered 400.
        package var refused = 0
        /// Deliveries with no answer, or one other than 200 and 400.
        package var unanswered = 0
        /// Descriptions of the first few unexpected answers.
        package var unexpectedAnswers: [String] = []
        /// The number of unexpected answers.
        package var unexpectedCount = 0
    }

    /// An answer.
    package struct Answer: Sendable {
        /// The delivery.
        package let delivery: PlannedDelivery
        /// The HTTP status; nil if the connection failed.
        package let status: Int?
        /// `status` of the JSON verdict.
        package let verdict: String?
    }

    private let url: String
    private let concurrency: Int

    /// Makes a sender.
    ///
    /// - Parameters:
    ///   - url: Where postbacks are posted, for example `http://127.0.0.1:8080/skadnetwork/postbacks`.
    ///   - concurrency: The maximum number of requests in flight.
    package init(url: String, concurrency: Int) {
        self.url = url
        self.concurrency = max(1, concurrency)
    }

    /// Sends a plan.
    ///
    /// - Parameters:
    ///   - deliveries: The deliveries to send; those that must be last wait for all others.
    ///   - onAnswer: Called with each answer, from any thread.
    /// - Returns: The answers, counted and compared with the plan.
    /// - Throws: An error if the client cannot be shut down; failed requests are counted, not thrown.
    package func send(
        _ deliveries: [PlannedDelivery],
        onAnswer: @escaping @Sendable (Answer) -> Void = { _ in }
    ) async throws -> Result {
        let collector = Collector()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = concurrency
        // Detects a missing server at once, instead of after each request's timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(15))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        for wave in [deliveries.filter { !$0.isSentLast }, deliveries.filter(\.isSentLast)] {
            let queue = Queue()
            await withTaskGroup { group in
                for _ in 0..<min(concurrency, wave.count) {
                    group.addTask {
                        while let index = queue.next(below: wave.count) {
                            let answer = await post(wave[index], client)
                            collector.result.withLock { $0.count(answer) }
                            onAnswer(answer)
                        }
                    }
                }
            }
        }
        try await client.shutdown()
        var finished = collector.result.withLock { $0 }
        finished.compareSums(with: deliveries)
        return finished
    }

    /// The result, updated by several tasks.
    private final class Collector: Sendable {
        let result = Mutex(Result())
    }

    /// Gives each index to one task.
    private final class Queue: Sendable {
        private let index = Mutex(0)

        func next(below count: Int) -> Int? {
            index.withLock { index in
                guard index < count else {
                    return nil
                }
                index += 1
                return index - 1
            }
        }
    }

    private func post(_ delivery: PlannedDelivery, _ client: HTTPClient) async -> Answer {
        do {
            var request = HTTPClientRequest(url: url)
            request.post(json: ByteBuffer(bytes: delivery.body))
            let response = try await client.execute(request, timeout: .seconds(15))
            let body = try await response.body.collect(upTo: 64 << 10)
            let verdict: String? =
                if case .string(let text) = try? JSONObject(reading: body.readableBytesView)["status"] {
                    text
                } else {
                    nil
                }
            return Answer(delivery: delivery, status: Int(response.status.code), verdict: verdict)
        } catch {
            return Answer(delivery: delivery, status: nil, verdict: nil)
        }
    }
}

extension TrafficSender.Result {
    fileprivate mutating func count(_ answer: TrafficSender.Answer) {
        switch answer.status {
        case 200:
            guard let status = answer.verdict.flatMap(Recording.Status.init(rawValue:)) else {
                addUnexpected("200 with an unknown status")
                return
            }
            durable[status, default: 0] += 1
            if case .durable(let planned, _) = answer.delivery.expectation {
                // A repeat may overtake the first copy and be recorded first.
                let isSwapped = Set([planned, status]) == [.recorded, .duplicate]
                if planned != status, !isSwapped {
                    addUnexpected("planned \(planned.rawValue), answered \(status.rawValue)")
                }
            } else {
                addUnexpected("planned 400, answered \(status.rawValue)")
            }
        case 400:
            refused += 1
            if answer.delivery.expectation != .refused {
                addUnexpected("planned 200, answered 400")
            }
        case let status:
            unanswered += 1
            addUnexpected(status.map { "answered \($0)" } ?? "no answer")
        }
    }

    /// Compares the sums with the plan: single answers may be swapped, but sums must match.
    fileprivate mutating func compareSums(with deliveries: [PlannedDelivery]) {
        var planned: [Recording.Status: Int] = [:]
        for delivery in deliveries {
            if case .durable(let status, _) = delivery.expectation {
                planned[status, default: 0] += 1
            }
        }
        for status in Recording.Status.allCases where planned[status, default: 0] != durable[status, default: 0] {
            addUnexpected(
                "planned \(planned[status, default: 0]) \(status.rawValue), "
                    + "answered \(durable[status, default: 0])")
        }
    }

    private mutating func addUnexpected(_ text: String) {
        unexpectedCount += 1
        if unexpectedAnswers.count < 10 {
            unexpectedAnswers.append(text)
        }
    }
}
