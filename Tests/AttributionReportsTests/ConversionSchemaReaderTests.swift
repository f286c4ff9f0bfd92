import Attribution
import AttributionReports
import StrictJSON
import Testing

@Suite("Reading conversion schemas")
struct ConversionSchemaReaderTests {
    static let text = """
        {
          "version": 1,
          "schemas": [
            {
              "app": 525463029, "name": "autumn", "from": "2026-10-01", "to": "2026-12-31", "currency": "EUR",
              "fine": [
                {"value": 0, "events": ["launch"]},
                {"from": 1, "to": 9, "events": ["trial"], "revenue": {"low": 0.99, "high": "4.99"}},
                {"value": 10, "events": ["purchase"], "revenue": 9.99}
              ],
              "coarse": {
                "1": {"low": {"revenue": 0}, "high": {"events": ["purchase"], "revenue": {"low": 5, "high": 50}}},
                "3": {"medium": {"events": ["return"]}}
              }
            }
          ]
        }
        """

    static func schemas(_ texts: String...) throws -> ConversionSchemas {
        try ConversionSchemas(
            documents: texts.enumerated().map { ("file\($0.offset + 1).json", Array($0.element.utf8)) })
    }

    static let app = AppStoreItemID(525_463_029)

    @Test("A schema is read with its exact amounts")
    func exact() throws {
        let schemas = try Self.schemas(Self.text)
        let schema = try #require(schemas.schemas(of: Self.app).first)
        #expect(schema.title == "\"autumn\", 2026-10-01 to 2026-12-31")
        #expect(schema.fine[0] == ConversionMeaning(events: ["launch"], revenue: nil))
        #expect(schema.fine[9]?.text(in: schema.currency) == "trial; revenue 0.99 to 4.99 EUR")
        #expect(schema.fine[10]?.text(in: schema.currency) == "purchase; revenue 9.99 EUR")
        #expect(schema.unmappedFineValues == "11-63")
        #expect(schema.meaning(of: .coarse(.high), window: 0)?.revenue?.upperBound.description == "50.00")
        #expect(schema.meaning(of: .coarse(.high), window: 1) == nil)
        #expect(schema.meaning(of: .coarse(.medium), window: 2)?.events == ["return"])
        #expect(schema.meaning(of: .fine(10), window: 1) == nil, "only the first window has fine values")
        #expect(schema.meaning(of: .null, window: 0) == nil)
    }

    @Test("Bits have meanings of their own, which are added up")
    func bits() throws {
        let schemas = try Self.schemas(
            """
            {"version": 1, "schemas": [{"app": 525463029, "from": "2026-10-01", "currency": "USD", "bits": [
              {"name": "bought", "first-bit": 3, "count": 1, "values": [
                {"value": 0}, {"value": 1, "events": ["purchase"], "revenue": {"low": 1, "high": 2}}]},
              {"name": "level", "first-bit": 0, "count": 2, "values": [
                {"value": 0, "revenue": 0}, {"from": 1, "to": 2, "events": ["level"], "revenue": 0.5}]}
            ]}]}
            """)
        let schema = try #require(schemas.schemas(of: Self.app).first)
        #expect(schema.fields.map(\.name) == ["level", "bought"])
        #expect(schema.fine[0b1010]?.text(in: schema.currency) == "level, purchase; revenue 1.50 to 2.50 USD")
        #expect(schema.fine[0b0000]?.text(in: schema.currency) == "no event; revenue 0.00 USD")
        #expect(schema.fine[0b1011] == nil, "level 3 has no meaning")
        #expect(schema.fine[0b0100] == nil, "bit 2 belongs to no field")
        #expect(schema.fields[1].part(of: 0b1010) == 1)
    }

    /// A change to the text, and what is said of it.
    private static func row(
        _ text: String, _ replacement: String, _ problems: String...
    ) -> (String, String, [String]) {
        (text, replacement, problems)
    }

    static let mistakes: [(String, String, [String])] = [
        row(#""version": 1,"#, "", "version: found nothing, expected a whole number from 1 to 1"),
        row(#""version": 1"#, #""version": 2"#, "version: found the number 2, expected a whole number from 1 to 1"),
        row(
            #""currency""#, #""curency""#,
            #"schemas[0].curency: found the string "EUR", expected one of the names app, name, "#,
            "schemas[0].currency: found nothing, expected the currency of the revenue"),
        row(
            "525463029", #""525463029""#,
            #"schemas[0].app: found the string "525463029", expected a whole number from 1 on"#),
        row(
            "2026-10-01", "2026-02-30",
            #"schemas[0].from: found "2026-02-30", expected a day of the calendar: 2026-02 has 28 days"#),
        row("2026-12-31", "2026-09-30", "schemas[0].to: found 2026-09-30, expected a day from 2026-10-01 on"),
        row("EUR", "eur", #"schemas[0].currency: found "eur", expected a currency code of ISO 4217"#),
        row(
            #""value": 10"#, #""value": 64"#,
            "schemas[0].fine[2].value: found the number 64, expected a whole number from 0 to 63"),
        row(
            #""value": 10"#, #""value": 9"#,
            "schemas[0].fine[2].value: found 9, which has a meaning already, expected each value once"),
        row(
            #""from": 1, "to": 9"#, #""from": 9, "to": 1"#,
            "schemas[0].fine[1].to: found the number 1, expected a whole number from 9 to 63"),
        row(
            #""high": "4.99""#, #""high": 0.5"#,
            "schemas[0].fine[1].revenue.high: found 0.50, expected at least low, which is 0.99"),
        row(
            "9.99", "-9.99",
            "schemas[0].fine[2].revenue: found the number -9.99, expected an amount that is not negative"),
        row("9.99", "1e3", "schemas[0].fine[2].revenue: found the number 1e3, expected an amount"),
        row(
            #"["launch"]"#, "[1]",
            "schemas[0].fine[0].events[0]: found the number 1, expected a string of 1 to 255 bytes"),
        row(
            #""3": {"medium""#, #""4": {"medium""#,
            "schemas[0].coarse.4: found an object, expected one of the names 1, 2, 3"),
        row(
            #""medium""#, #""Medium""#,
            "schemas[0].coarse.3.Medium: found an object, expected one of the names low, medium, high"),
        row(
            #""coarse""#, #""bits": [{"name": "a", "first-bit": 0, "count": 1, "values": [{"value": 0}]}], "coarse""#,
            "schemas[0].bits: found it beside fine, expected one of the two"),
        row(
            #""version": 1"#, #""version": 1, "version": 1"#,
            #"schemas: found "version" twice, expected each name once"#),
        row(
            #""value": 0, "events": ["launch"]"#, #""valu": 0, "evens": []"#,
            "schemas[0].fine[0].valu: found the number 0, expected one of the names value, ",
            "schemas[0].fine[0].evens: found an array, expected one of the names value, ",
            "schemas[0].fine[0].from: found nothing, expected a whole number from 0 to 63"),
    ]

    @Test("Every mistake is named with its path, its value and what was expected", arguments: mistakes)
    func mistake(_ part: String, _ replacement: String, _ problems: [String]) throws {
        let text = Self.text.replacing(part, with: replacement)
        #expect(text != Self.text)
        let invalid = try #require(throws: InvalidDocuments.self) { try Self.schemas(text) }
        let found = invalid.problems.map(\.description)
        #expect(found.count == problems.count, "\(found)")
        for (problem, expected) in zip(found, problems) {
            #expect(problem.hasPrefix("file1.json: " + expected), "\(problem)")
        }
        #expect(invalid.problems.allSatisfy { $0.hint?.isEmpty == false })
    }

    @Test("The cure of a misspelt name is the nearest one")
    func cure() throws {
        let invalid = try #require(throws: InvalidDocuments.self) {
            try Self.schemas(Self.text.replacing(#""coarse""#, with: #""corse""#))
        }
        #expect(invalid.problems.map(\.hint) == ["write coarse"])
    }

    @Test("The mistakes of all files are named together, also schemas that overlap")
    func files() throws {
        let invalid = try #require(throws: InvalidDocuments.self) {
            try Self.schemas(Self.text, Self.text.replacing("2026-10-01", with: "2026-12-31"), "{}")
        }
        #expect(
            invalid.problems.map(\.document).sorted()
                == ["file2.json", "file3.json", "file3.json"])
        #expect(
            invalid.problems.contains {
                $0.description.hasPrefix(
                    "file2.json: schemas[0].from: found 2026-12-31, expected a day after 2026-12-31, for app 525463029 "
                        + "has another schema until then (file1.json, schemas[0])")
            })
    }

    @Test("A schema without an end holds until the next one begins")
    func succession() throws {
        let open = Self.text.replacing(#", "to": "2026-12-31""#, with: "")
        let schemas = try Self.schemas(open, Self.text.replacing("2026-10-01", with: "2026-11-15"))
        #expect(schemas.schemas(of: Self.app).map(\.days) == ["2026-10-01 to 2026-11-14", "2026-11-15 to 2026-12-31"])
        #expect(
            schemas.changes(of: Self.app).map(\.day.description) == ["2026-10-01", "2026-11-15", "2027-01-01"])
    }
}
