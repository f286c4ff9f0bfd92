import ArgumentParser
import AttributionReports
import StrictJSON

/// The options that only reports with a name have.
struct StandardReportOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A standard report; without it, the rows that --by names.",
            discussion: StandardReportName.allCases.map(\.rawValue).joined(separator: ", ") + "."),
        completion: .standardReports)
    var name: String?

    @Option(help: "Show this section of a standard report only; csv needs one.", completion: .reportSections)
    var section: String?

    @Option(
        name: .customLong("schema"), parsing: .singleValue,
        help: """
            Conversion schemas for performance, revenue and estimates; may be repeated (or SKAN_SCHEMA, comma-separated).
            """,
        completion: .file(extensions: ["json"]))
    var schemas: [String] = []

    @Option(
        parsing: .singleValue,
        help: "Names of campaigns and apps; may be repeated (or SKAN_CAMPAIGNS, comma-separated).",
        completion: .file(extensions: ["json"]))
    var campaigns: [String] = []

    @Flag(help: "Define each column of a standard report, and say who attests to it.")
    var explain = false

    @Flag(name: .customLong("no-compare"), help: "Leave out the previous period of a standard report.")
    var isAlone = false

    @Flag(
        name: .customLong("no-roll-up"),
        help: "Keep source identifiers of different lengths apart in a standard report, as they were received.")
    var isUnrolled = false

    /// Whether the report shows what values mean.
    private var hasSchemas: Bool {
        [StandardReportName.performance, .revenue, .estimates].contains { $0.rawValue == name }
    }

    /// The request for the standard report; nil if none is named.
    func request(
        _ options: ReportOptions,
        _ format: ReportFormat,
        nowMilliseconds: Int64
    ) throws -> StandardReportRequest? {
        guard let name else {
            return nil
        }
        var parameters = StandardReportParameters()
        parameters.name = name
        parameters.selection = options.parameters
        parameters.section = section
        parameters.isCompared = !isAlone
        parameters.isExplained = explain
        parameters.isRolledUp = !isUnrolled
        parameters.by = options.by
        parameters.format = format
        return try StandardReportRequest(parameters, nowMilliseconds: nowMilliseconds)
    }

    /// What the report needs besides the store; throws ``ExitStatus/undecided`` after the problems of files were
    /// printed.
    var references: ReportReferences {
        get throws {
            let files = schemas.isEmpty ? EnvironmentSettings().list("schema") : schemas
            let names = campaigns.isEmpty ? EnvironmentSettings().list("campaigns") : campaigns
            return ReportReferences(
                schemas: hasSchemas
                    ? try ConversionSchemas.reading(files) : ConversionSchemas(),
                campaigns: names.isEmpty ? nil : try CampaignMap.reading(names))
        }
    }

    /// Refuses options that would be ignored.
    func check(_ options: ReportOptions, _ format: ReportFormat) throws {
        if let name, StoreOption.isMeant(by: name) {
            throw ValidationError(
                "unexpected argument \(name.shortened(to: 40)); did you mean --store \(name.shortened(to: 80))?")
        }
        if !schemas.isEmpty, !hasSchemas {
            throw ValidationError(
                "--schema is for the reports performance, revenue and estimates: skan report revenue --schema FILE")
        }
        let plain = options.namesOfPlainReports
        guard name == nil else {
            if let option = plain.first {
                throw ValidationError(
                    "\(option) is for reports without a name; skan report conversions has a row for each value")
            }
            return
        }
        let given = [
            (section != nil, "--section"), (explain, "--explain"), (isAlone, "--no-compare"),
            (isUnrolled, "--no-roll-up"),
        ]
        if let option = given.first(where: \.0)?.1 {
            throw ValidationError("\(option) is for standard reports, for example: skan report overview")
        }
        if format == .html {
            throw ValidationError("html is for standard reports, for example: skan report overview --format html")
        }
    }
}

extension ReportFormat: ExpressibleByArgument {}
