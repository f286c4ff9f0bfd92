package import Attribution
import AttributionListener
import AttributionReports
package import AttributionStore
import FoundationEssentials
package import StrictJSON

/// The parameters of a request, from its query or JSON body; all known, none twice.
struct RequestParameters {
    private let values: [String: JSONValue]

    /// Reads the parameters of a URL.
    init(query request: IngressRequest, known: [String]) throws(FieldProblem) {
        try self.init(request.queryParameters, known: known)
    }

    /// Takes parameters that were already read.
    init(_ parameters: [(name: String, value: String)], known: [String]) throws(FieldProblem) {
        var values: [String: JSONValue] = [:]
        for (name, value) in parameters {
            guard known.contains(name) else {
                throw Self.unknown(name, known)
            }
            guard values[name] == nil else {
                throw FieldProblem(field: name, found: "more than one value", expected: "one")
            }
            values[name] = .string(value)
        }
        self.values = values
    }

    /// Reads the members of a body; `null` is treated as absent.
    init(reading body: some Collection<UInt8>, known: [String]) throws {
        var values: [String: JSONValue] = [:]
        for field in try JSONObject(reading: body).fields {
            guard known.contains(field.name) else {
                throw Self.unknown(field.name, known)
            }
            if field.value != .null {
                values[field.name] = field.value
            }
        }
        self.values = values
    }

    private static func unknown(_ name: String, _ known: [String]) -> FieldProblem {
        FieldProblem(
            field: name.shortened(to: 40), found: "an unknown name", expected: known.joined(separator: ", "))
    }

    /// Whether any of these is given.
    func has(anyOf names: [String]) -> Bool {
        names.contains { values[$0] != nil }
    }

    func text(_ name: String) throws(FieldProblem) -> String? {
        switch values[name] {
        case nil: return nil
        case .string(let text): return text
        case let value?: throw FieldProblem(field: name, found: value.summary, expected: "a string")
        }
    }

    /// One of a set of texts.
    func choice(_ name: String, of values: [String]) throws(FieldProblem) -> String? {
        guard let text = try text(name) else {
            return nil
        }
        guard values.contains(text) else {
            throw FieldProblem(
                field: name, found: text.shortened(to: 40), expected: "one of " + values.joined(separator: ", "))
        }
        return text
    }

    /// A whole number, also as digits.
    func integer(_ name: String, _ range: ClosedRange<Int64>) throws(FieldProblem) -> Int64? {
        let number: Int64?
        switch values[name] {
        case nil: return nil
        case .integer(let value): number = value
        case .string(let text) where text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }):
            number = Int64(text)
        default: number = nil
        }
        guard let number, range.contains(number) else {
            throw FieldProblem(
                field: name, found: values[name]?.summary ?? "nothing",
                expected: range.upperBound == .max
                    ? "a whole number of at least \(range.lowerBound)"
                    : "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// `true` or `false`, which only JSON has.
    func flag(_ name: String) throws(FieldProblem) -> Bool {
        switch values[name] {
        case nil: return false
        case .bool(let value): return value
        case let value?: throw FieldProblem(field: name, found: value.summary, expected: "true or false")
        }
    }

    /// A moment, in Unix milliseconds.
    func moment(_ name: String) throws(FieldProblem) -> Int64? {
        guard let text = try text(name) else {
            return nil
        }
        return try Moment(text, field: name).milliseconds
    }

    func day(_ name: String) throws(FieldProblem) -> CalendarDay? {
        guard let text = try text(name) else {
            return nil
        }
        return try CalendarDay.reading(text, field: name)
    }
}

extension PostbackQuery {
    /// Reads the query of a listing.
    init(listing parameters: RequestParameters) throws(FieldProblem) {
        self.init(
            transactionID: try parameters.text("transaction-id"),
            received: try Self.received(from: try parameters.day("from"), through: try parameters.day("to")),
            after: try parameters.integer("after", 0...Int64.max) ?? 0,
            limit: Int(try parameters.integer("limit", 1...QuarantineQuery.answerLimit) ?? 100)
        )
    }

    /// The time range of some days (UTC), the last included; nil without days.
    package static func received(
        from first: CalendarDay?,
        through last: CalendarDay?
    ) throws(FieldProblem) -> Range<Int64>? {
        guard first != nil || last != nil else {
            return nil
        }
        if let first, let last, last < first {
            throw FieldProblem(field: "to", found: last.description, expected: "a day not before \(first)")
        }
        let start = first?.start(in: .gmt) ?? 0
        // 2100-01-01, as in reports.
        return start..<max(start, last?.next.start(in: .gmt) ?? 4_102_444_800_000)
    }
}

extension QuarantineQuery {
    /// The parameters that select deliveries.
    static let filters = ["class", "reason", "id", "before"]
    /// The maximum number of deliveries per answer.
    static let answerLimit: Int64 = 1_000

    /// Every reason a delivery can have.
    package static let reasons =
        PostbackRejection.Code.allCases.filter { $0 != .notJSON }.map(\.rawValue) + [Recording.Status.conflict.rawValue]

    /// Reads the query of a listing.
    init(listing parameters: RequestParameters) throws(FieldProblem) {
        try self.init(filters: parameters)
        after = try parameters.integer("after", 0...Int64.max) ?? 0
        limit = Int(try parameters.integer("limit", 1...Self.answerLimit) ?? 100)
    }

    /// Reads the query of a change, which has no default limit.
    init(changing parameters: RequestParameters) throws(FieldProblem) {
        try self.init(filters: parameters)
        limit = Int(try parameters.integer("limit", 1...Int64.max) ?? .max)
    }

    private init(filters parameters: RequestParameters) throws(FieldProblem) {
        self.init(
            kind: try parameters.choice("class", of: QuarantineClass.allCases.map(\.rawValue)).flatMap {
                QuarantineClass(rawValue: $0)
            },
            reason: try parameters.choice("reason", of: Self.reasons),
            id: try parameters.integer("id", 1...Int64.max),
            before: try parameters.moment("before")
        )
    }

    /// Whether it selects anything less than everything.
    package var hasFilter: Bool {
        kind != nil || reason != nil || id != nil || before != nil
    }

    /// The JSON that ``init(changing:)`` reads.
    package var json: JSONText {
        var members = parameters.filter { $0.name != "after" }.map { ($0.name, JSONText.string($0.value)) }
        if limit < .max {
            members.append(("limit", .integer(Int64(limit))))
        }
        return .object(members)
    }
}
