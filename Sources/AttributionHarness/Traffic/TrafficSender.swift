import AsyncHTTPClient
package import Attribution
import Foundation
import NIOCore
import NIOHTTP1
import StrictJSON
import Synchronization

/// Posts planned deliveries to a server, a bounded number at a time, and holds each answer against the plan.
package struct TrafficSender: Sendable {
    /// What came of sending.
    package struct Result: Sendable {
        /// Deliveries answered 200 by status.
        package var durable: [Recording.Status: Int] = [:]
        /// Deliveries answered 400.
        package var refused = 0
        /// Deliveries that got no answer, or one that neither accepts nor refuses.
        package var unanswered = 0
        /// Answers that are not the planned ones, the first few in words.
        package var surprises: [String] = []
        /// How many answers are not the planned ones.
        package var surpriseCount = 0
    }

    /// One answer, as it came.
    package struct Answer: Sendable {
        /// What was sent.
        package let delivery: PlannedDelivery
        /// The HTTP status; nil when the connection failed.
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
    ///   - concurrency: How many requests are under way at most.
    package init(url: String, concurrency: Int) {
        self.url = url
        self.concurrency = max(1, concurrency)
    }

    /// Sends a plan.
    ///
    /// - Parameters:
    ///   - deliveries: What to send; those that must be last wait for all others.
    ///   - onAnswer: Called with each answer, from any thread.
    /// - Returns: The answers counted and held against the plan.
    /// - Throws: When the client cannot be shut down; failed requests are counted, not thrown.
    package func send(
        _ deliveries: [PlannedDelivery],
        onAnswer: @escaping @Sendable (Answer) -> Void = { _ in }
    ) async throws -> Result {
        let books = Books()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = concurrency
        // A server that is gone is found out at once, not after each request's time-out.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(15))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        for wave in [deliveries.filter { !$0.isLast }, deliveries.filter(\.isLast)] {
            let queue = Queue()
            await withTaskGroup { group in
                for _ in 0..<min(concurrency, wave.count) {
                    group.addTask {
                        while let index = queue.next(below: wave.count) {
                            let answer = await post(wave[index], client)
                            books.result.withLock { $0.count(answer) }
                            onAnswer(answer)
                        }
                    }
                }
            }
        }
        try await client.shutdown()
        var finished = books.result.withLock { $0 }
        finished.judge(deliveries)
        return finished
    }

    /// The result while it is being counted by several tasks.
    private final class Books: Sendable {
        let result = Mutex(Result())
    }

    /// Hands each index to one task.
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
                surprise("200 without a verdict known here")
                return
            }
            durable[status, default: 0] += 1
            if case .durable(let planned, _) = answer.delivery.expectation {
                // A repeat may overtake the first copy; which of them is recorded first is nobody's promise.
                let isSwapped = Set([planned, status]) == [.recorded, .duplicate]
                if planned != status, !isSwapped {
                    surprise("planned \(planned.rawValue), answered \(status.rawValue)")
                }
            } else {
                surprise("planned 400, answered \(status.rawValue)")
            }
        case 400:
            refused += 1
            if answer.delivery.expectation != .refused {
                surprise("planned 200, answered 400")
            }
        case let status:
            unanswered += 1
            surprise(status.map { "answered \($0)" } ?? "no answer")
        }
    }

    /// Holds the sums against the plan: single answers may have been swapped, sums may not.
    fileprivate mutating func judge(_ deliveries: [PlannedDelivery]) {
        var planned: [Recording.Status: Int] = [:]
        for delivery in deliveries {
            if case .durable(let status, _) = delivery.expectation {
                planned[status, default: 0] += 1
            }
        }
        for status in Recording.Status.allCases where planned[status, default: 0] != durable[status, default: 0] {
            surprise(
                "planned \(planned[status, default: 0]) \(status.rawValue), "
                    + "answered \(durable[status, default: 0])")
        }
    }

    private mutating func surprise(_ text: String) {
        surpriseCount += 1
        if surprises.count < 10 {
            surprises.append(text)
        }
    }
}
