import Attribution
import AttributionStore

/// What the conditions of a question allow, by code.
struct QuestionConditions {
    /// Conditions on columns of codes.
    private(set) var columns: [(column: String, codes: [Int32], isExcluded: Bool)] = []
    /// Conditions on whose copy came first.
    private(set) var recipients: [(words: [String], isExcluded: Bool)] = []
    /// Values that no postback has.
    private(set) var unseen: [LedgerAnswer.UnseenValue] = []

    init(_ question: LedgerQuestion, _ traits: TraitsCodes, _ snapshot: LedgerSnapshot) throws {
        for condition in question.conditions {
            let dimension = condition.dimension
            if dimension == .recipient {
                recipients.append((condition.values.sorted(), condition.isExcluded))
                note(condition.values.filter { Delivery.Recipient(rawValue: $0) == nil }, dimension)
            } else if let kind = dimension.kind {
                let known = try Self.codes(kind, condition.values, snapshot.connection)
                let codes = known.map(\.value) + (condition.values.contains("") ? [0] : [])
                columns.append((kind.column, codes, condition.isExcluded))
                note(condition.values.filter { known[$0] == nil }, dimension)
            } else {
                let values = traits.byCode.compactMapValues { $0.value(dimension) }
                let codes = values.filter { condition.values.contains($0.value) != condition.isExcluded }.map(\.key)
                columns.append((CodedValue.Kind.traits.column, codes, false))
                note(condition.values.subtracting(values.values), dimension)
            }
        }
    }

    private static func codes(
        _ kind: CodedValue.Kind, _ values: Set<String>, _ connection: PostgreSQLConnection
    ) throws -> [String: Int32] {
        let result = try connection.run(
            "SELECT value, code FROM skan.value WHERE kind = $1 AND value = ANY ($2::text[])",
            [.text(kind.rawValue), .texts(Array(values))])
        var codes: [String: Int32] = [:]
        for row in 0..<result.count {
            codes[try result.text(row, 0)] = Int32(truncatingIfNeeded: try result.integer(row, 1))
        }
        return codes
    }

    private mutating func note(_ values: some Sequence<String>, _ dimension: ReportDimension) {
        unseen += values.filter { !$0.isEmpty }.sorted().map { .init(dimension: dimension, value: $0) }
    }
}

/// All traits there are, of which there are hundreds.
struct TraitsCodes {
    private(set) var byCode: [Int32: PostbackTraits] = [:]

    init(_ connection: PostgreSQLConnection) throws {
        let result = try connection.run(
            "SELECT code, value FROM skan.value WHERE kind = $1", [.text(CodedValue.Kind.traits.rawValue)])
        for row in 0..<result.count {
            // A later release may write what this one cannot read; whoever counts such a postback finds out.
            if let traits = PostbackTraits(try result.text(row, 1)) {
                byCode[Int32(truncatingIfNeeded: try result.integer(row, 0))] = traits
            }
        }
    }
}

/// The periods that the quarters of an hour fall into, for the dimensions of time in a question.
struct PeriodCodes {
    /// One dimension: for each quarter from the first the code of its period, and the periods by code.
    struct Table {
        let firstQuarter: Int64
        let codes: [Int32]
        let periods: [Int64]
    }

    private var tables: [ReportDimension: Table] = [:]

    init(_ question: LedgerQuestion, _ snapshot: LedgerSnapshot) throws {
        let times = question.dimensions.filter(\.isTime)
        guard !times.isEmpty else {
            return
        }
        let quarters = try Self.quarters(question.received?.quarters, snapshot.connection)
        guard let first = quarters.first, let last = quarters.last else {
            for dimension in times {
                tables[dimension] = Table(firstQuarter: 0, codes: [], periods: [])
            }
            return
        }
        // A century of quarters, or a clock went wrong by thousands of years.
        guard last - first < 16_000_000 else {
            throw LedgerQuestionError.tooManyCombinations
        }
        for dimension in times {
            var codes = [Int32](repeating: 0, count: Int(last - first) + 1)
            var codeByPeriod: [Int64: Int32] = [:]
            var periods: [Int64] = []
            for quarter in quarters {
                let period = question.calendar.period(dimension, quarter)
                let code = codeByPeriod[period] ?? Int32(periods.count)
                if Int(code) == periods.count {
                    codeByPeriod[period] = code
                    periods.append(period)
                }
                codes[Int(quarter - first)] = code
            }
            tables[dimension] = Table(firstQuarter: first, codes: codes, periods: periods)
        }
    }

    /// The quarters in which postbacks were received, ascending: each was counted as a delivery.
    private static func quarters(_ range: Range<Int64>?, _ connection: PostgreSQLConnection) throws -> [Int64] {
        let result = try connection.run(
            """
            SELECT DISTINCT quarter FROM skan.delivery
            WHERE status = 'recorded' AND ($1::int8 IS NULL OR quarter >= $1) AND ($2::int8 IS NULL OR quarter < $2)
            ORDER BY quarter
            """, [.integer(range?.lowerBound), .integer(range?.upperBound)])
        return try (0..<result.count).map { try result.integer($0, 0) }
    }

    /// The table of a dimension; nil for one that is none of time.
    func table(_ dimension: ReportDimension) -> Table? {
        tables[dimension]
    }
}
