import Attribution
import AttributionReports
import FoundationEssentials
import Testing

/// The dates follow from PostbackTimingTests: 1 to 13 days from a value to its first postback, repeats included.
@Suite("Decoding values around a change of schemas")
struct DecodedConversionTests {
    static let app = AppStoreItemID(1)
    static let former = """
        {"app": 1, "from": "2026-01-01", "currency": "EUR", "fine": [
          {"value": 1, "events": ["step"], "revenue": 1}, {"value": 2, "events": ["step", "buy"], "revenue": 2},
          {"value": 3, "events": ["step"], "revenue": 3}, {"value": 4, "events": ["step"]},
          {"value": 5, "events": ["step"]}, {"value": 6, "events": ["step"], "revenue": 6}]}
        """
    static let next = """
        {"app": 1, "from": "2026-03-10", "currency": "EUR", "fine": [
          {"value": 1, "events": ["step"], "revenue": 1}, {"value": 2, "events": ["buy"], "revenue": {"low": 5, "high": 9}},
          {"value": 4, "events": ["step"]}, {"value": 5, "events": ["step"], "revenue": 5},
          {"value": 7, "events": ["new"], "revenue": 7}]}
        """

    static func schemas(_ change: (String) -> String = { $0 }) throws -> ConversionSchemas {
        try ConversionSchemas(
            documents: [("a.json", Array(change("{\"version\": 1, \"schemas\": [\(former), \(next)]}").utf8))])
    }

    /// Decodes a value that arrived at the beginning of a day.
    static func decode(
        _ conversion: Conversion,
        _ day: String,
        _ schemas: ConversionSchemas,
        _ timing: PostbackTiming = .firstWindow
    ) throws -> DecodedConversion {
        let start = try #require(CalendarDay(day)).start(in: .gmt)
        let candidates = schemas.candidates(for: app, arrival: start..<start + 900_000, timing: timing)
        return DecodedConversion(
            conversion, window: 0, candidates.schemas, mayHaveNone: candidates.mayHaveNone)
    }

    @Test(
        "Only what arrives in the band may be of either schema",
        arguments: [
            (PostbackTiming.firstWindow, "2026-03-10", "2.00"), (.firstWindow, "2026-03-11", "2.00–9.00"),
            (.firstWindow, "2026-03-22", "2.00–9.00"), (.firstWindow, "2026-03-23", "5.00–9.00"),
            (.timer, "2026-03-20", "2.00–9.00"), (.timer, "2026-03-21", "5.00–9.00"),
            (.thirdWindow, "2026-04-21", "2.00–9.00"), (.thirdWindow, "2026-04-22", "5.00–9.00"),
        ])
    func band(_ timing: PostbackTiming, _ day: String, _ expected: String) throws {
        let decoded = try Self.decode(.fine(2), day, Self.schemas(), timing)
        let bounds = try #require(decoded.revenue?.bounds)
        let text = Set([bounds.lowerBound, bounds.upperBound]).sorted().map(\.description).joined(separator: "–")
        #expect(text == expected)
        #expect((decoded.outcome == .between) == (expected == "2.00–9.00"))
    }

    @Test(
        "In the band, each value is as certain as both schemas let it be",
        arguments: [
            (1, DecodedConversion.Outcome.revenue, ["step"], ["step"]), (2, .between, ["buy"], ["step", "buy"]),
            (3, .undecided, [], ["step"]), (4, .eventsOnly, ["step"], ["step"]),
            (5, .undecided, ["step"], ["step"]), (7, .undecided, [], ["new"]), (8, .unmapped, [], []),
        ] as [(UInt8, DecodedConversion.Outcome, [String], [String])])
    func certainty(
        _ value: UInt8, _ outcome: DecodedConversion.Outcome, _ events: [String], _ possible: [String]
    ) throws {
        let decoded = try Self.decode(.fine(value), "2026-03-15", Self.schemas())
        #expect(decoded.outcome == outcome)
        #expect(decoded.events == events && decoded.possibleEvents == possible)
        #expect((decoded.revenue != nil) == [.revenue, .between].contains(outcome))
    }

    @Test("Two currencies are never one range")
    func currencies() throws {
        let schemas = try Self.schemas { text in
            let parts = text.split(separator: "2026-03-10", maxSplits: 1)
            return parts[0] + "2026-03-10" + parts[1].replacing("EUR", with: "USD")
        }
        #expect(try Self.decode(.fine(2), "2026-03-15", schemas).outcome == .undecided)
        #expect(try Self.decode(.fine(1), "2026-03-15", schemas).outcome == .undecided)
        #expect(try Self.decode(.fine(2), "2026-03-30", schemas).revenue?.currency.text == "USD")
    }

    @Test("No value is not a value without a meaning, and neither is revenue 0")
    func none() throws {
        let schemas = try Self.schemas()
        for (conversion, outcome) in [
            (Conversion.null, DecodedConversion.Outcome.null), (.absent, .absent), (.invalid, .invalid),
            (.fine(60), .unmapped), (.coarse(.high), .unmapped),
        ] {
            let decoded = try Self.decode(conversion, "2026-05-01", schemas)
            #expect(decoded.outcome == outcome && decoded.revenue == nil)
        }
        let unknown = schemas.candidates(for: AppStoreItemID(2), arrival: 0..<1, timing: .thirdWindow)
        #expect(unknown.schemas.isEmpty && unknown.mayHaveNone)
    }

    @Test(
        "A value from a time without a schema has no meaning, whatever a schema says later",
        arguments: [("2025-12-31", true), ("2026-01-13", true), ("2026-01-14", false)])
    func gap(_ day: String, _ isWithout: Bool) throws {
        let decoded = try Self.decode(.fine(1), day, Self.schemas())
        #expect((decoded.outcome == .withoutSchema) == isWithout)
    }

    @Test("Differences are named by day and value, and the same set has none")
    func differences() throws {
        let (old, new) = (
            try Self.schemas(),
            try Self.schemas {
                $0.replacing(#""value": 7, "events": ["new"]"#, with: #""from": 7, "to": 9, "events": ["fresh"]"#)
            }
        )
        #expect(SchemaDifference.all(from: old, to: old).isEmpty)
        let differences = SchemaDifference.all(from: old, to: new)
        #expect(differences.map(\.values) == ["value 7", "values 8-9"])
        #expect(differences.map(\.former) == ["new; revenue 7.00 EUR", nil])
        #expect(differences.map(\.next) == Array(repeating: "fresh; revenue 7.00 EUR", count: 2))
        #expect(differences.allSatisfy { $0.from.description == "2026-03-10" && $0.through == nil })
    }
}
