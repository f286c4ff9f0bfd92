import Attribution
import AttributionReports
import Foundation
import Testing

@Suite("Schemas from files of others")
struct SchemaImportTests {
    private static let app = AppStoreItemID(525_463_029)

    private static let day = CalendarDay("2026-10-01") ?? CalendarDay(number: 0)

    /// The schema of the app, read back from the file that is written.
    private static func imported(
        _ text: String,
        _ change: (inout SchemaImport.Defaults) -> Void = { _ in }
    ) throws -> ConversionSchema? {
        let file = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("skan-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var defaults = SchemaImport.Defaults(from: day)
        defaults.app = app
        defaults.currency = CurrencyCode("EUR")
        change(&defaults)
        let written = try SchemaImport.schemaFile(of: file.path, defaults)
        let schemas = try ConversionSchemas(documents: [(name: "written", bytes: Array(written.utf8))])
        return schemas.schema(of: app, on: day)
    }

    private static func meaning(_ schema: ConversionSchema?, _ value: Int) -> String? {
        schema?.fine[value]?.text(in: schema?.currency)
    }

    static let googleAds = """
        {"customerSkAdNetworkConversionValueSchema": {
          "resourceName": "customers/1/customerSkAdNetworkConversionValueSchemas/2",
          "schema": {"appId": "525463029", "measurementWindowHours": 48,
            "fineGrainedConversionValueMappings": [
              {"conversionValueMapping": {"minTimePostInstallHours": "0", "maxTimePostInstallHours": "24"}},
              {"fineGrainedConversionValue": 12, "conversionValueMapping": {"mappedEvents": [
                {"mappedEventName": "in_app_purchase", "currencyCode": "USD",
                 "eventRevenueRange": {"minEventRevenue": 0.99, "maxEventRevenue": 4.99}},
                {"mappedEventName": "level", "eventCounter": "3"},
                {"mappedEventName": "subscribe", "currencyCode": "USD", "eventRevenueValue": 10}]}}],
            "postbackMappings": [
              {"coarseGrainedConversionValueMappings": {"lowConversionValueMapping": {"mappedEvents": [
                {"mappedEventName": "session_start"}]}}},
              {"postbackSequenceIndex": 2, "coarseGrainedConversionValueMappings": {"highConversionValueMapping": {
                "mappedEvents": [{"mappedEventName": "in_app_purchase", "currencyCode": "USD",
                  "eventRevenueRange": {"maxEventRevenue": 50}}]}}}]}}}
        """

    static let answers = [
        "{\"results\": [\(googleAds)]}", "[{\"results\": [\(googleAds)]}, {\"fieldMask\": \"\", \"results\": []}]",
    ]

    @Test("Google Ads' schema: a number left out is 0, and events of one value are added up", arguments: answers)
    func google(_ text: String) throws {
        let schema = try Self.imported(text)
        #expect(Self.meaning(schema, 0) == "no event; revenue not given")
        #expect(Self.meaning(schema, 12) == "in_app_purchase, level, subscribe; revenue 10.99 to 14.99 USD")
        #expect(schema?.unmappedFineValues == "1-11, 13-63")
        #expect(schema?.coarse[0][.low]?.text(in: nil) == "session_start; revenue not given")
        #expect(schema?.coarse[2][.high]?.text(in: schema?.currency) == "in_app_purchase; revenue 0.00 to 50.00 USD")
        #expect(schema?.coarse[1].isEmpty == true)
    }

    @Test("AppsFlyer's schema, as a table and as JSON, and Adjust's mapping")
    func measurementPartners() throws {
        let table = """
            app_id,conversion_value,event_name,min_event_counter,max_event_counter,min_event_revenue,max_event_revenue,\
            min_time_post_install,max_time_post_install,last_config_change,postback_sequence_index,\
            coarse_conversion_value,lock_window_type,lock_window_time
            id525463029,0,,,,,,0,24,2026-09-30 10:23:45,0,,,
            id525463029,1,af_skad_revenue,0,1,0,1.64,0,24,2026-09-30 10:23:45,0,,,
            id525463029,2,af_skad_revenue,0,1,1.64,3.24,0,24,2026-09-30 10:23:45,0,,,
            id525463029,,af_purchase,,,5,50,,,2026-09-30 10:23:45,1,high,,
            """
        let schema = try Self.imported(table) { $0.app = nil }
        #expect(Self.meaning(schema, 0) == "no event; revenue not given")
        #expect(Self.meaning(schema, 2) == "af_skad_revenue; revenue 1.64 to 3.24 EUR")
        #expect(schema?.coarse[1][.high]?.text(in: schema?.currency) == "af_purchase; revenue 5.00 to 50.00 EUR")

        let appsFlyer = """
            {"data": [{"app_id": "id525463029", "configuration_mode": "custom_decode", "measurement_window": 24,
              "conversion_value_mapping": [{"conversion_value": 1, "events": [
                {"event_name": "af_purchase", "mapped_event_name": "purchase", "event_counter": 3,
                 "event_currency": "USD", "min_event_revenue": 0, "max_event_revenue": 9.5}]}]}]}
            """
        #expect(Self.meaning(try Self.imported(appsFlyer), 1) == "af_purchase; revenue 0.00 to 9.50 USD")

        let adjust = """
            {"app_store_id": "525463029", "updated_at": 1617234177, "cut_off_period": 1, "reporting_currency": "USD",
             "conversion_values": [{"conversion_value": 12, "events": [
               {"event_name": "Purchase", "count_min": 3, "count_max": 10, "revenue_min": 3.00, "revenue_max": 10.00},
               {"event_name": "Registration"}]}]}
            """
        #expect(Self.meaning(try Self.imported(adjust), 12) == "Purchase, Registration; revenue 3.00 to 10.00 USD")
    }

    static let tables = [
        #"""
        conversion-value,window,event,revenue-from,revenue-to,currency
        7,,trial,0.99,4.99,EUR
        7,1,"a, ""b""",,,
        low,3,open,,,

        """#,
        "\u{FEFF}Conversion_Value;Window;Event;Revenue-From;Revenue_to;Currency\r\n7;;trial;0,99;4,99;EUR\r\n\r\n7;1;"
            + "\"a, \"\"b\"\"\";;;\r\nLow;3;open;;;",
    ]

    @Test("A table of our own columns, also as Excel writes it", arguments: tables)
    func table(_ text: String) throws {
        let schema = try Self.imported(text) { $0.currency = nil }
        #expect(Self.meaning(schema, 7) == "trial, a, \"b\"; revenue 0.99 to 4.99 EUR")
        #expect(schema?.coarse[2][.low]?.events == ["open"])
    }

    static let header = "conversion-value,window,event,revenue-from,revenue-to,currency\n"

    static let rowFaults: [(String, String)] = [
        ("64,,a,,,", "line 2, conversion-value: found \"64\", expected 0 to 63, low, medium or high"),
        ("1,,a,,,\n,,a,,,", "line 3, conversion-value: found nothing"),
        ("1,2,a,,,", "line 2, window: found \"2\", expected 1: later windows have coarse values alone"),
        ("high,,a,,,", "line 2, window: found nothing, expected 1, 2 or 3, because the value is coarse"),
        ("high,0,a,,,", "line 2, window: found \"0\", expected 1 to 3"),
        ("\n\n1,,a,5,4,EUR", "line 4, revenue-to: found \"4\", expected at least 5.00"),
        ("1,,a,5,,EUR", "line 2, revenue-to: found nothing, expected an amount"),
        ("1,,a,x,5,EUR", "line 2, revenue-from: found \"x\", expected an amount"),
        ("1,,a,1,2,Eur", "line 2, currency: found \"Eur\", expected the currency"),
        ("1,,a,1,2,EUR\n2,,a,1,2,USD", "line 3, currency: found \"USD\", expected EUR"),
        ("1,,a", "line 2: found \"1,,a\", expected 6 cells"), ("", "schemas: found an empty array"),
    ]

    @Test("What is wrong with a table is named with its line and column", arguments: rowFaults)
    func rows(_ rows: String, _ message: String) throws {
        try Self.expectProblem(Self.header + rows, message)
    }

    static let fileFaults: [(String, String)] = [
        ("", "line 1, column 1: found \"\""), ("event\na", "line 1, conversion-value: found nothing"),
        ("conversion-value,evnt\n1,a", "line 1, column 2: found \"evnt\", expected one of app,"),
        (
            #"{"app_store_id": "1", "conversion_values": [{"conversion_value": 64, "events": []}]}"#,
            "conversion_values[0].conversion_value: found the number 64"
        ),
        (
            #"{"app_store_id": "1", "conversion_values": [{"conversion_value": 1, "events": [{"revenue_min": 1}]}]}"#,
            "conversion_values[0].events[0].revenue_max: found nothing, expected an amount"
        ),
        (#"[{"data": {"fine": []}, "conversion_window": 1}]"#, "array[0]: found an object of another form"),
        (#"{"data": [{"app_id": "id1", "postbacks": []}]}"#, "data[0]: found an object of another form"),
        (#"{"results": [\#(googleAds), \#(googleAds)]}"#, "expected one schema for each app"),
    ]

    @Test(
        "A file of another form is refused, and what is wrong with a document is named with its path",
        arguments: fileFaults)
    func files(_ text: String, _ message: String) throws {
        try Self.expectProblem(text, message)
    }

    private static func expectProblem(_ text: String, _ message: String) throws {
        do {
            _ = try imported(text)
            Issue.record("it was read")
        } catch let invalid as InvalidDocuments {
            #expect(invalid.description.contains(message), "\(invalid)")
        }
    }
}
