import Attribution
import AttributionListener
import AttributionReports
import FoundationEssentials
import StrictJSON

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

    /// A text.
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

    /// A day.
    func day(_ name: String) throws(FieldProblem) -> CalendarDay? {
        guard let text = try text(name) else {
            return nil
        }
        return try CalendarDay.reading(text, field: name)
    }
}
