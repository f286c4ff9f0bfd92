package import Attribution
import AttributionListener
import StrictJSON
import Synchronization

/// Posts planned deliveries to a server, a bounded number at a time, and holds each answer against the plan.
package final class TrafficSender: Sendable {
    /// What came of sending.
    package struct Result: Sendable {
        /// Deliveries answered 200 by status.
        package var durable: [Recording.Status: Int] = [:]
        /// Deliveries answered 400.
        package var refused = 0
        /// Deliveries whose connection was cut on purpose.
        package var cut = 0
        /// Deliveries that got no answer, or one that neither accepts nor refuses.
        package var unanswered = 0
        /// Answers that are not the planned ones, the first few in words.
        package var unexpectedAnswers: [String] = []
        /// How many answers are not the planned ones.
        package var unexpectedCount = 0

        /// Nothing was sent.
        package init() {}

        /// Adds the result of a further part.
        package static func += (lhs: inout Self, rhs: Self) {
            lhs.durable.merge(rhs.durable, uniquingKeysWith: +)
            lhs.refused += rhs.refused
            lhs.cut += rhs.cut
            lhs.unanswered += rhs.unanswered
            lhs.unexpectedAnswers = Array((lhs.unexpectedAnswers + rhs.unexpectedAnswers).prefix(10))
            lhs.unexpectedCount += rhs.unexpectedCount
        }
    }

    /// An answer.
    package struct Answer: Sendable {
        /// The delivery.
        package let delivery: PlannedDelivery
        /// The HTTP status; nil if the connection failed.
        package let status: Int?
        /// `status` of the JSON verdict.
        package let verdict: String?
        /// `reason` of the JSON verdict.
        package let reason: PostbackRejection.Code?
        /// `provenance` of the JSON verdict: whose key verified it.
        package let provenance: String?
        /// Where a redirect leads; nil for any other answer.
        package let redirect: String?
        /// Why nothing was answered, for a person; nil for an answer.
        package let failure: String?
    }

    /// A server that does not take the postbacks for what they are: nothing more is sent to it.
    package struct Distrust: Error {
        /// The first genuine postback and its answer.
        package let answer: Answer
        /// Where it was sent.
        package let url: String
    }

    private let target: DeliveryTarget
    private let concurrency: Int
    private let question = Mutex(Question.pending)

    /// The first genuine postback asks the server what it takes us for.
    private enum Question {
        case pending, answered
    }

    /// Makes a sender.
    ///
    /// - Parameters:
    ///   - target: Where postbacks are posted.
    ///   - concurrency: The maximum number of requests in flight.
    package init(target: DeliveryTarget, concurrency: Int) {
        self.target = target
        self.concurrency = max(1, concurrency)
    }

    /// Sends a plan, or the next part of one.
    ///
    /// The first genuine postback goes alone, as a question: unless the server answers that a test key verified it,
    /// nothing more is sent.
    ///
    /// - Parameters:
    ///   - deliveries: The deliveries to send; those that must be last wait for all others.
    ///   - onAnswer: Called with each answer, from any thread.
    /// - Returns: The answers counted and held against the plan.
    /// - Throws: ``Distrust``; failed requests are counted, not thrown.
    package func send(
        _ deliveries: [PlannedDelivery],
        onAnswer: @escaping @Sendable (Answer) -> Void = { _ in }
    ) async throws -> Result {
        let collector = Collector()
        let client = HTTPClient()
        var deliveries = deliveries
        let planned = deliveries
        if let first = firstGenuine(in: deliveries) {
            let answer = await post(deliveries.remove(at: first), client)
            collector.result.withLock { $0.count(answer) }
            onAnswer(answer)
            guard answer.status == 200, answer.provenance == Provenance.test.rawValue else {
                let delivery = answer.delivery
                throw Distrust(answer: answer, url: target.url(for: delivery.recipient, delivery.framework))
            }
            question.withLock { $0 = .answered }
        }
        for wave in [deliveries.filter { !$0.isSentLast }, deliveries.filter(\.isSentLast)] {
            let queue = Queue()
            await withTaskGroup { group in
                for _ in 0..<min(concurrency, wave.count) {
                    group.addTask { [self] in
                        while let index = queue.next(below: wave.count) {
                            let answer = await post(wave[index], client)
                            collector.result.withLock { $0.count(answer) }
                            onAnswer(answer)
                        }
                    }
                }
            }
        }
        var finished = collector.result.withLock { $0 }
        finished.compareSums(with: planned)
        return finished
    }

    /// The first delivery that has to be recorded as it is; nil when the question was answered.
    private func firstGenuine(in deliveries: [PlannedDelivery]) -> Int? {
        guard question.withLock({ $0 == .pending }) else {
            return nil
        }
        return deliveries.firstIndex { delivery in
            delivery.expectation == .durable(.recorded, nil) && !delivery.isSentLast && delivery.transport == .whole
        }
    }

    /// The result while it is being counted by several tasks.
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
            let request = try HTTPClient.Request(
                url: target.url(for: delivery.recipient, delivery.framework),
                json: delivery.transport == .whole
                    ? .whole(delivery.body)
                    : .pieces(
                        SlowBody(delivery.body, isCut: delivery.transport == .cut), count: delivery.body.count))
            let response = try await client.send(request, keeping: 64 << 10, within: .seconds(15))
            let body = try response.wholeBody()
            let verdict = try? JSONObject(reading: body)
            func text(_ name: String) -> String? {
                if case .string(let text) = verdict?[name] { text } else { nil }
            }
            return Answer(
                delivery: delivery, status: response.status, verdict: text("status"),
                reason: text("reason").flatMap(PostbackRejection.Code.init(rawValue:)), provenance: text("provenance"),
                redirect: response.redirect, failure: nil)
        } catch {
            return Answer(
                delivery: delivery, status: nil, verdict: nil, reason: nil, provenance: nil, redirect: nil,
                failure: DeliveryClient.reason(error))
        }
    }
}

extension TrafficSender.Result {
    fileprivate mutating func count(_ answer: TrafficSender.Answer) {
        let verdict = answer.verdict.flatMap(Recording.Status.init(rawValue:))
        if answer.status == 200, verdict == nil {
            addUnexpected("200 without a verdict known here")
            return
        }
        note(status: answer.status, verdict, answer.reason, of: answer.delivery)
    }

    /// Counts an answer, and holds it against the one that was expected.
    ///
    /// - Parameters:
    ///   - status: The HTTP status, or the one it would have been; nil when the connection failed.
    ///   - verdict: What became of it, of an answer 200.
    ///   - reason: Why it is in quarantine; nil where that is not known.
    ///   - delivery: What was sent.
    package mutating func note(
        status: Int?,
        _ verdict: Recording.Status?,
        _ reason: PostbackRejection.Code?,
        of delivery: PlannedDelivery
    ) {
        switch (status, verdict) {
        case (200, let verdict?):
            durable[verdict, default: 0] += 1
            guard case .durable(let planned, let plannedReason) = delivery.expectation else {
                addUnexpected("planned 400, answered \(verdict.rawValue)")
                return
            }
            // A repeat may overtake the first copy; which of them is recorded first is nobody's promise.
            let isSwapped =
                planned == .recorded && verdict == .duplicate || planned == .duplicate && verdict == .recorded
            if planned != verdict, !isSwapped {
                addUnexpected("planned \(planned.rawValue), answered \(verdict.rawValue)")
            } else if let reason, reason != plannedReason {
                addUnexpected("planned \(plannedReason?.rawValue ?? "nothing"), answered \(reason.rawValue)")
            }
        case (400, _):
            refused += 1
            if delivery.expectation != .refused {
                addUnexpected("planned 200, answered 400")
            }
        case (nil, _) where delivery.expectation == .none:
            cut += 1
        default:
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
