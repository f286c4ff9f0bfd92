import ArgumentParser
import Attribution
import AttributionReports
import StrictJSON

extension SchemaCommand {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a schema file of a table, or of what Google Ads, AppsFlyer or Adjust export.",
            discussion: """
                A table (CSV) has the columns conversion-value (0 to 63, low, medium or high), window (1 to 3, for coarse \
                values), event, revenue-from, revenue-to, currency and app, of which only the first is needed. Rows of \
                one value are added up. Also read: AppsFlyer's schema as CSV, and the JSON of AppsFlyer's schema for \
                SKAN 3, of Adjust's v3 mapping, and of Google Ads API's customer_sk_ad_network_conversion_value_schema. \
                None of them says from which day on it holds: --from does. How often an event happened is left out.

                EXAMPLES
                  skan schema import values.csv --app 525463029 --currency EUR --from 2026-10-01 -o schemas.json
                  skan schema import google-ads.json --from 2026-10-01
                """)

        @Argument(help: "The table (CSV), or a document of one of the others (JSON).", completion: .file())
        var file: String

        @Option(help: "First day (UTC) on which the app sets values by the schema.")
        var from: String

        @Option(help: "Last day (UTC), if it has ended.")
        var to: String?

        @Option(help: "The advertised app's App Store id, for a file that names none.")
        var app: Int64?

        @Option(help: "The currency of the revenue, for a file that names none.")
        var currency: String?

        @Option(
            name: .shortAndLong,
            help: "Write the schema file here, replacing it if it exists (default: to standard output).",
            completion: .file(extensions: ["json"]))
        var output: String?

        func run() throws {
            let defaults = try defaults
            let text = try InvalidDocuments.saying { try SchemaImport.schemaFile(of: file, defaults) }
            guard let output else {
                return Terminal.write(text)
            }
            try OutputFile.write(text, to: output)
            Terminal.say("skan: hint: skan schema check \(output)")
        }

        private var defaults: SchemaImport.Defaults {
            get throws {
                var defaults = SchemaImport.Defaults(from: try CalendarDay.reading(from, field: "--from"))
                defaults.through = try to.map { try CalendarDay.reading($0, field: "--to") }
                if let through = defaults.through, through < defaults.from {
                    throw FieldProblem(
                        field: "--to", found: through.description, expected: "a day from \(defaults.from) on")
                }
                guard app.map({ $0 > 0 }) ?? true else {
                    throw ValidationError("--app: found \(app ?? 0), expected an App Store id greater than 0")
                }
                defaults.app = app.map { AppStoreItemID($0) }
                defaults.currency = try currency.map { text in
                    guard let currency = CurrencyCode(text) else {
                        throw FieldProblem(
                            field: "--currency", found: text.shortened(to: 40),
                            expected: "a currency code of ISO 4217, for example EUR")
                    }
                    return currency
                }
                return defaults
            }
        }
    }
}
