import ArgumentParser
import Attribution
import AttributionReports

/// What is asked of a report, as options.
struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Dimensions, apart by commas; an empty text for totals alone.",
            discussion: "day, framework, network, app, campaign (campaign-id and source-identifier), source "
                + "(source-app and source-domain), version, fidelity, redownload, sequence-index, conversion-type, "
                + "marketplace, country, interaction-type. Apple does not sign the last two."))
    var by: String = "network,app,campaign"

    @Option(
        name: .customLong("where"), parsing: .singleValue,
        help: "DIMENSION=VALUE that postbacks must have (an empty value: have none); may be repeated.")
    var filters: [String] = []

    @Option(help: "First day of receipt, YYYY-MM-DD.")
    var from: String?

    @Option(help: "Last day of receipt, included, YYYY-MM-DD.")
    var to: String?

    @Option(help: "Time zone of the days, for example Europe/Berlin.")
    var timeZone: String = "UTC"

    @Flag(exclusivity: .exclusive)
    var traffic: OtherTraffic?

    /// Postbacks that are not in our real numbers, as flags.
    enum OtherTraffic: String, EnumerableFlag {
        case test, development, foreign

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .foreign: "Report production postbacks of networks that are not ours (skan serve --network)."
            case .test: "Report test postbacks, which real numbers never contain."
            case .development: "Report AdAttributionKit's development postbacks, which real numbers never contain."
            }
        }
    }

    func request() throws -> ReportRequest {
        try ReportRequest(
            by: by, filters: filters, from: from, to: to, timeZone: timeZone,
            provenance: traffic?.rawValue ?? Traffic.apple.rawValue)
    }
}
