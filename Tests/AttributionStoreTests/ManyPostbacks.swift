import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Synchronization
import Testing

/// Enough postbacks of every kind for several blocks of columns, and the expected reports, counted here from
/// the postbacks themselves.
struct ManyPostbacks {
    let deliveries: [Delivery]

    /// The postbacks of a block.
    static let block = 4_096

    /// Signed once for all tests.
    private static let all = Result { try Made() }

    private struct Made {
        let postbacks: Postbacks
        let deliveries: [Delivery]
        let others: [Delivery]

        /// Genuine postbacks received over 400 days in no order, a few by clocks that went wrong.
        init() throws {
            let postbacks = try Postbacks()
            try postbacks.verifier.prepareTables()
            var generator = Generator(state: 42)
            var world = World(try .plain(days: 30, scale: 4), start: CalendarDay(number: 20_728), seed: 5)
            var bodies: [[UInt8]] = []
            while bodies.count < 3 * ManyPostbacks.block + 3, let hour = world.nextHour() {
                bodies += try hour.map { try $0.body(in: world.scenario, signedBy: postbacks.standIn) }
            }
            bodies.removeSubrange((3 * ManyPostbacks.block + 3)...)
            deliveries = bodies.enumerated().map { index, body in
                let time: Int64 =
                    switch index {
                    case 1_000: 0
                    case 2_000: -2_177_452_800_000  // 1901
                    default:
                        Postbacks.noon - Int64(generator.next() % 400) * 86_400_000
                            + Int64(generator.next() % 86_400_000)
                    }
                return Delivery(
                    judgement: postbacks.verifier.judge(body),
                    recipient: index % 5 == 0 ? .developer : .network, receivedAtMilliseconds: time)
            }
            others = try (0..<(ManyPostbacks.block + 10)).map { number in
                try postbacks.delivery(postbacks.draft(id: "other \(number)"))
            }
            self.postbacks = postbacks
        }
    }

    /// The first of them.
    init(_ count: Int = 2 * block + 300) throws {
        deliveries = Array(try Self.all.get().deliveries.prefix(count))
    }

    /// More than a block of other postbacks.
    static func others() throws -> [Delivery] {
        try all.get().others
    }

    /// The keys that sign and verify them.
    static func postbacks() throws -> Postbacks {
        try all.get().postbacks
    }

    /// The rows of an answer, counted one by one, and cached for all tests.
    func rows(_ question: LedgerQuestion) -> [[String]: Counts] {
        let zone = question.calendar.label(.day, question.calendar.period(.day, 1))
        let key =
            "\(deliveries.count) \(question.dimensions) \(question.conditions) "
            + "\(String(describing: question.received)) \(zone)"
        if let rows = Self.counted.withLock({ $0[key] }) {
            return rows
        }
        let rows = count(question)
        Self.counted.withLock { $0[key] = rows }
        return rows
    }

    private static let counted = Mutex<[String: [[String]: Counts]]>([:])

    private func count(_ question: LedgerQuestion) -> [[String]: Counts] {
        // Without dimensions there is always one row, even if nothing was counted.
        var rows: [[String]: Counts] = question.dimensions.isEmpty ? [[]: Counts()] : [:]
        for delivery in deliveries {
            guard case .verified(let verified) = delivery.judgement else {
                continue
            }
            let postback = verified.postback
            let quarter = Int64((Double(delivery.receivedAtMilliseconds) / 900_000).rounded(.down))
            func value(_ dimension: ReportDimension) -> String {
                switch dimension {
                case .recipient: delivery.recipient.rawValue
                case .hour, .day, .week, .month:
                    question.calendar.label(dimension, question.calendar.period(dimension, quarter))
                case .installDays, .installDayEstimate:
                    Self.installDays(dimension, postback, quarter, question.calendar)
                default: dimension.value(of: postback)
                }
            }
            let isMeant =
                question.received.map { $0.contains(delivery.receivedAtMilliseconds) } ?? true
                && question.conditions.allSatisfy { $0.values.contains(value($0.dimension)) != $0.isExcluded }
            if isMeant {
                rows[question.dimensions.map(value), default: Counts()].count(CountedTraits(postback))
            }
        }
        return rows
    }

    /// The days of the install by the table of `Reports.md`; nothing for a re-engagement.
    private static func installDays(
        _ dimension: ReportDimension, _ postback: ReceivedPostback, _ quarter: Int64, _ calendar: LedgerCalendar
    ) -> String {
        let index = ReportDimension.sequenceIndex.value(of: postback)
        let version = ReportDimension.version.value(of: postback)
        guard ReportDimension.conversionType.value(of: postback) != "re-engagement" else {
            return ""
        }
        let days: (least: Int64, most: Int64, estimatedHours: Int64) =
            switch (version, index) {
            case ("", "0"), ("4.0", "0"): (1, 4, 84)
            case ("", "1"), ("4.0", "1"): (3, 13, 252)
            case ("", "2"), ("4.0", "2"): (8, 41, 924)
            default: (1, 65, 36)
            }
        func day(_ hoursBefore: Int64) -> String {
            calendar.label(.day, calendar.period(.day, quarter - hoursBefore * 4))
        }
        return dimension == .installDayEstimate
            ? day(days.estimatedHours) : "\(day(days.most * 24))/\(day(days.least * 24))"
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11
        }
    }
}

/// Days and hours of UTC, counted from 1970.
let utcDays = LedgerCalendar { dimension, quarter in
    let hours = Int64((Double(quarter) / 4).rounded(.down))
    return dimension == .hour ? hours : Int64((Double(hours) / 24).rounded(.down))
} label: { dimension, period in
    "\(dimension.rawValue) \(period)"
}

extension LedgerReading {
    /// Answers a question as counting one by one does.
    func expectExact(
        _ many: ManyPostbacks,
        _ question: LedgerQuestion,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var question = question
        question.traffic = .test
        let answer = try await self.answer(question)
        let expected = many.rows(question)
        let found = Dictionary(answer.rows.map { ($0.values, $0.counts) }) { first, _ in first }
        #expect(found.count == answer.rows.count, "a row occurs twice", sourceLocation: sourceLocation)
        let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
        #expect(wrong.count == 0, "\(question.dimensions): \(wrong.prefix(3))", sourceLocation: sourceLocation)
        let isSum = answer.totals == expected.values.reduce(into: Counts()) { $0 += $1 }
        #expect(isSum, sourceLocation: sourceLocation)
    }
}
