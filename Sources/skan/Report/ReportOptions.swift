import ArgumentParser
import Attribution
import AttributionReports
import StrictJSON

struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Dimensions, comma-separated; empty for totals only (default: \(ReportParameters().by)).",
            discussion: "hour, day, week, month, install-day (install-days, bounds by Apple's timers, and "
                + "install-day-estimate), framework, network, app, campaign (campaign-id and "
                + "source-identifier), source (source-app and source-domain), version, fidelity, redownload, "
                + "sequence-index, conversion-type, impression-type, conversion-value, marketplace, country, "
                + "interaction-type, recipient. Apple does not sign conversion-value, country and interaction-type."),
        completion: .dimensions)
    var by: String?

    @Option(
        name: .customLong("where"), parsing: .singleValue,
        help: "DIMENSION=VALUE or DIMENSION!=VALUE; may be repeated: values of one dimension are alternatives.",
        completion: .filters)
    var filters: [String] = []

    @Option(
        help: ArgumentHelp(
            "Days of receipt.",
            discussion: "today, yesterday, 7d (any number of days, today included), this-week, last-week, this-month, "
                + "last-month, a week as 2026-W46 (Monday to Sunday), a month as 2026-10 or a day as 2026-11-09."),
        completion: .periods)
    var period: String?

    @Option(
        help: "First day of receipt, or a period as for --period, of which it is the first day.", completion: .periods)
    var from: String?

    @Option(
        help: "Last day of receipt, included, or a period as for --period, of which it is the last day.",
        completion: .periods)
    var to: String?

    @Option(help: "Time zone of the days, for example Europe/Berlin.", completion: .timeZones)
    var timeZone: String = ReportParameters().timeZone

    @OptionGroup var traffic: TrafficOptions

    @Option(
        help: "Figures, comma-separated, for example installs,redownload-rate; columns of a standard report.",
        completion: .figures)
    var columns: String?

    @Option(
        parsing: .unconditional,
        help: "Column to sort rows by; with a hyphen, greatest first: --sort -installs.",
        completion: .sortKeys)
    var sort: String?

    @Option(help: "Maximum number of rows, after sorting; totals still include all rows.")
    var top: String?

    @Option(
        name: .customLong("as-of"),
        help: "Position printed by an earlier report: counts what was recorded then, and gives the same numbers."
    )
    var asOf: String?

    @Flag(help: "Add a histogram of conversion values.")
    var histogram = false

    var parameters: ReportParameters {
        var parameters = ReportParameters()
        parameters.by = by ?? parameters.by
        parameters.filters = filters
        parameters.period = period
        parameters.from = from
        parameters.to = to
        parameters.timeZone = timeZone
        parameters.provenance = traffic.name
        parameters.columns = columns
        parameters.sort = sort
        parameters.top = top
        parameters.asOf = asOf
        parameters.showsHistogram = histogram
        return parameters
    }

    /// The given options that only reports without a name have.
    var namesOfPlainReports: [String] {
        histogram ? ["--histogram"] : []
    }

    func request(_ format: ReportFormat, nowMilliseconds: Int64) throws -> ReportRequest {
        var parameters = parameters
        parameters.format = format
        return try ReportRequest(parameters, nowMilliseconds: nowMilliseconds)
    }
}

/// Which traffic is counted: a flag, or its name as the API has it.
struct TrafficOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive)
    var traffic: OtherTraffic?

    @Option(help: "apple, foreign, development or test; --test says the same as --provenance test.")
    var provenance: String?

    /// Postbacks that are not counted in the real numbers, as flags.
    enum OtherTraffic: String, EnumerableFlag {
        case test, development, foreign

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .foreign: "Production postbacks of networks that are not ours (skan serve --network)."
            case .test: "Test postbacks, which the real numbers never include."
            case .development: "AdAttributionKit's development postbacks, which the real numbers never include."
            }
        }
    }

    /// The name as given; what reads it refuses a wrong one.
    var name: String {
        traffic?.rawValue ?? provenance ?? Traffic.apple.rawValue
    }

    func validate() throws {
        if let traffic, let provenance, provenance != traffic.rawValue {
            throw ValidationError(
                "--provenance: found \(provenance.shortened(to: 20)) with --\(traffic.rawValue), expected one of them")
        }
    }
}
