import ArgumentParser
import Attribution
import AttributionReports
import Foundation

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Check, explain, compare and import what conversion values mean.",
        discussion: """
            A schema says what an app's fine and coarse values mean from one day to another: events, and revenue in one \
            currency. skan report revenue and skan serve read the same files.

            EXAMPLES
              skan schema check schemas.json
              skan schema explain schemas.json --app 525463029 --value 37
              skan schema diff schemas.json new-schemas.json
              skan schema import values.csv --app 525463029 --currency EUR --from 2026-10-01 -o schemas.json
            """,
        subcommands: [Check.self, Explain.self, Diff.self, Import.self]
    )
}

extension ConversionSchemas {
    static func reading(_ files: [String]) throws -> ConversionSchemas {
        try InvalidDocuments.saying { try ConversionSchemas(files: files) }
    }
}

extension CampaignMap {
    static func reading(_ files: [String]) throws -> CampaignMap {
        try InvalidDocuments.saying { try CampaignMap(files: files) }
    }
}

extension InvalidDocuments {
    /// Reads documents; throws ``ExitStatus/undecided`` after everything wrong with them was printed.
    static func saying<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let invalid as InvalidDocuments {
            for problem in invalid.problems {
                CommandFailure(problem.message, code: problem.code, hint: problem.hint).say()
            }
            throw ExitStatus.undecided
        }
    }
}

extension SchemaCommand {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check schema files together, and show what they cover.",
            discussion: """
                Shows every problem of every file; a name that occurs twice in an object, or text that is not JSON, \
                may hide others of its file. Without one, it shows the days of each schema, the values without a \
                meaning, and for each change the days on which postbacks of both schemas may arrive.
                """)

        @Argument(help: "Schema files (JSON).", completion: .file(extensions: ["json"]))
        var files: [String]

        func run() throws {
            let schemas = try ConversionSchemas.reading(files)
            for app in schemas.apps {
                for schema in schemas.schemas(of: app) {
                    Terminal.write("app \(app): \(schema.title): \(Self.coverage(schema))\n")
                }
                for change in schemas.changes(of: app) where change.former != nil && change.next != nil {
                    let bands = PostbackTiming.allCases.map { timing in
                        let days = change.bandDays(timing)
                        return "\(timing.title) \(days.lowerBound) to \(days.upperBound)"
                    }
                    Terminal.write(
                        "app \(app): postbacks of both schemas around \(change.day) may arrive: "
                            + bands.joined(separator: ", ") + "\n")
                }
            }
        }

        private static func coverage(_ schema: ConversionSchema) -> String {
            let unmapped = schema.unmappedFineValues
            let coarse = schema.coarse.enumerated().flatMap { window, values in
                CoarseConversionValue.allCases.filter { values[$0] == nil }.map {
                    "\($0.rawValue) in window \(window + 1)"
                }
            }
            return [
                "\(schema.fine.count { $0 != nil }) of 64 fine values"
                    + (unmapped.isEmpty ? "" : " (none for \(unmapped))"),
                "\(9 - coarse.count) of 9 coarse values"
                    + (coarse.isEmpty ? "" : " (none for \(coarse.joined(separator: ", ")))"),
                schema.currency.map { "revenue in \($0)" } ?? "no revenue",
            ].joined(separator: "; ")
        }
    }

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
            let day = try date.map { try CalendarDay.reading($0, field: "--date") } ?? .today
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

    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show which values mean something else in a new schema file.",
            discussion: """
                Each line with - is what values mean in OLD, with + what they mean in NEW, on the same days. Ends with \
                status 0 if nothing differs, and 1 if something does.
                """)

        @Argument(help: "The schema file in use.", completion: .file(extensions: ["json"]))
        var old: String

        @Argument(help: "The new schema file.", completion: .file(extensions: ["json"]))
        var new: String

        func run() throws {
            let differences = SchemaDifference.all(
                from: try ConversionSchemas.reading([old]), to: try ConversionSchemas.reading([new]))
            for difference in differences {
                let days = difference.through.map { "\(difference.from) to \($0)" } ?? "from \(difference.from) on"
                Terminal.write("app \(difference.app), \(days): \(difference.values)\n")
                Terminal.write("- \(difference.former ?? "no meaning")\n")
                Terminal.write("+ \(difference.next ?? "no meaning")\n")
            }
            if !differences.isEmpty {
                throw ExitStatus.negative
            }
        }
    }
}

extension CoarseConversionValue: ExpressibleByArgument {}
