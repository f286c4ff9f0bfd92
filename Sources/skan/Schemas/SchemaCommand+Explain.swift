import ArgumentParser
import Attribution
import AttributionReports
import Foundation

extension SchemaCommand {
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explain what a conversion value of an app means.",
            discussion: "Ends with status 1 if a value has no meaning on that day.")

        @Argument(help: "Schema files (JSON).", completion: .file(extensions: ["json"]))
        var files: [String]

        @Option(help: "The advertised app's App Store id.")
        var app: Int64

        @Option(help: "A fine value, 0 to 63.")
        var value: UInt8?

        @Option(help: "A coarse value: low, medium or high.")
        var coarse: CoarseConversionValue?

        @Option(help: "The coarse value's window, 1 to 3.")
        var window: Int?

        @Option(help: "The day (UTC) on which the app set the value (default: today).")
        var date: String?

        func validate() throws {
            guard value != nil || coarse != nil else {
                throw ValidationError("expected --value or --coarse")
            }
            guard value.map({ $0 <= 63 }) ?? true else {
                throw ValidationError("--value: found \(value ?? 0), expected 0 to 63")
            }
            guard (coarse != nil) == (window != nil), window.map({ (1...3).contains($0) }) ?? true else {
                throw ValidationError("expected --coarse and --window 1, 2 or 3 together")
            }
        }

        func run() throws {
            let day =
                try date.map { try CalendarDay.reading($0, field: "--date") }
                ?? CalendarDay(containing: Int64(Date().timeIntervalSince1970 * 1000), in: .gmt)
            let schemas = try ConversionSchemas.reading(files)
            guard let schema = schemas.schema(of: AppStoreItemID(app), on: day) else {
                let days = schemas.schemas(of: AppStoreItemID(app)).map(\.days)
                Terminal.write(
                    "app \(app) has no schema on \(day)"
                        + (days.isEmpty ? "" : "; it has: \(days.joined(separator: ", "))") + "\n")
                throw ExitStatus.negative
            }
            Terminal.write("app \(app), set on \(day): \(schema.title)\n")
            var isKnown = true
            if let value {
                isKnown = explain("value \(value)", schema.fine[Int(value)], schema)
                for field in schema.fields {
                    let part = field.part(of: value)
                    let meaning = field.meanings[part]?.text(in: schema.currency) ?? "no meaning"
                    Terminal.write("  \(field.name) = \(part): \(meaning)\n")
                }
            }
            if let coarse, let window {
                let name = "coarse \(coarse.rawValue) in window \(window)"
                isKnown = explain(name, schema.coarse[window - 1][coarse], schema) && isKnown
            }
            if !isKnown {
                throw ExitStatus.negative
            }
        }

        private func explain(_ name: String, _ meaning: ConversionMeaning?, _ schema: ConversionSchema) -> Bool {
            Terminal.write("\(name): \(meaning?.text(in: schema.currency) ?? "no meaning")\n")
            return meaning != nil
        }
    }
}

extension CoarseConversionValue: ExpressibleByArgument {}
