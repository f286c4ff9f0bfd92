import ArgumentParser
import Attribution
import AttributionReports

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
}
