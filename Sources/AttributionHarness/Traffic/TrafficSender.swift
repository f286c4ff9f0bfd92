package import Attribution
import AttributionListener
package import NIOCore
import StrictJSON
import Synchronization

/// Posts deliveries to a server, a bounded number at a time, and compares each answer with the expected one.
package final class TrafficSender: Sendable {
    /// The answers to some deliveries.
    package struct Result: Sendable {
        /// Deliveries answered 200 by status.
        package var durable: [Recording.Status: Int] = [:]
        /// Deliveries answered 400.
        package var refused = 0
        /// Deliveries whose connection was cut on purpose.
        package var cut = 0
        /// Deliveries that got no answer, or one that neither accepts nor refuses.
        package var unanswered = 0
        /// Descriptions of the first few unexpected answers.
        package var unexpectedAnswers: [String] = []
        /// How many answers were unexpected.
        package var unexpectedCount = 0

        package init() {}

        package static func += (lhs: inout Self, rhs: Self) {
            lhs.durable.merge(rhs.durable, uniquingKeysWith: +)
            lhs.refused += rhs.refused
            lhs.cut += rhs.cut
            lhs.unanswered += rhs.unanswered
            lhs.unexpectedAnswers = Array((lhs.unexpectedAnswers + rhs.unexpectedAnswers).prefix(10))
            lhs.unexpectedCount += rhs.unexpectedCount
        }
    }

    package struct Answer: Sendable {
        package let delivery: PlannedDelivery
        /// The HTTP status; nil if the connection failed.
        package fileprivate(set) var status: Int?
        /// `status` of the JSON verdict.
        package fileprivate(set) var verdict: String?
        /// `reason` of the JSON verdict.
        package fileprivate(set) var reason: PostbackRejection.Code?
        /// `provenance` of the JSON verdict: whose key verified it.
        package fileprivate(set) var provenance: String?
        /// Where a redirect leads; nil for any other answer.
        package fileprivate(set) var redirect: String?
        /// Why there is no answer, for people.
        package fileprivate(set) var failure: String?
    }

    /// The server did not accept the first genuine postback as a test postback.
    package struct Distrust: Error {
        /// The first genuine postback and its answer.
        package let answer: Answer
        /// Where it was sent.
        package let url: String
    }

    private let target: DeliveryTarget
    private let concurrency: Int
    /// Whether the server has accepted a genuine postback as a test postback.
    private let isTrusted = Atomic(false)

    package init(target: DeliveryTarget, concurrency: Int) {
        self.target = target
        self.concurrency = max(1, concurrency)
    }

    /// Sends deliveries; those that depend on order wait for all others.
    ///
    /// The first genuine postback goes alone: unless the server answers that a test key verified it, nothing more is
    /// sent.
    package func send(_ deliveries: [PlannedDelivery], onAnswer: (Answer) -> Void) async throws -> Result {
        var result = Result()
        func take(_ answer: Answer) {
            result.count(answer)
            onAnswer(answer)
        }
        let client = HTTPClient()
        var remaining = deliveries
        if !isTrusted.load(ordering: .relaxed), let first = deliveries.firstIndex(where: \.isGenuine) {
            let delivery = remaining.remove(at: first)
            let answer = await post(delivery, client)
            take(answer)
            guard answer.status == 200, answer.provenance == Provenance.test.rawValue else {
                throw Distrust(answer: answer, url: target.url(for: delivery.recipient, delivery.framework))
            }
            isTrusted.store(true, ordering: .relaxed)
        }
        for wave in [remaining.filter { !$0.isSentLast }, remaining.filter(\.isSentLast)] {
            await withTaskGroup(of: Answer.self) { group in
                for (index, delivery) in wave.enumerated() {
                    if index >= concurrency, let answer = await group.next() {
                        take(answer)
                    }
                    group.addTask { [self] in await post(delivery, client) }
                }
                for await answer in group {
                    take(answer)
                }
            }
        }
        return result
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
                redirect: response.redirect)
        } catch {
            return Answer(delivery: delivery, failure: DeliveryClient.reason(error))
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

    /// Counts an answer and compares it with the expected one.
    ///
    /// - Parameters:
    ///   - status: The HTTP status, or the one it would have been; nil when the connection failed.
    ///   - verdict: What was recorded, for 200.
    ///   - reason: Why it is in quarantine; nil if unknown.
    ///   - delivery: What was sent.
    package mutating func note(
        status: Int?, _ verdict: Recording.Status?, _ reason: PostbackRejection.Code?, of delivery: PlannedDelivery
    ) {
        switch (status, verdict) {
        case (200, let verdict?):
            durable[verdict, default: 0] += 1
            guard case .durable(let planned, let plannedReason) = delivery.expectation else {
                addUnexpected("planned 400, answered \(verdict.rawValue)")
                return
            }
            if planned != verdict {
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

    private mutating func addUnexpected(_ text: String) {
        unexpectedCount += 1
        if unexpectedAnswers.count < 10 {
            unexpectedAnswers.append(text)
        }
    }
}

/// A body that is sent in pieces with a pause before each, or of which only the first half is sent.
package struct SlowBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    /// The sender disconnected.
    package struct WentAway: Error {}

    private let bytes: [UInt8]
    private let isCut: Bool
    private var sent = 0

    package init(_ bytes: [UInt8], isCut: Bool) {
        self.bytes = bytes
        self.isCut = isCut
    }

    package func makeAsyncIterator() -> SlowBody {
        self
    }

    package mutating func next() async throws -> ByteBuffer? {
        if isCut, sent * 2 >= bytes.count {
            throw WentAway()
        }
        guard sent < bytes.count else {
            return nil
        }
        try await Task.sleep(for: .milliseconds(50))
        // Four pieces.
        let end = Swift.min(bytes.count, sent + bytes.count / 4 + 1)
        defer { sent = end }
        return ByteBuffer(bytes: bytes[sent..<end])
    }
}
