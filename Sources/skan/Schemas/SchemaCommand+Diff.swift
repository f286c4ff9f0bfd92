import ArgumentParser
import AttributionReports

extension SchemaCommand {
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
