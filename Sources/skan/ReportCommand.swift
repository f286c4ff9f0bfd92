public import ArgumentParser
import Attribution
public import AttributionReports
import AttributionStore

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report installs, redownloads, conversion values, wins and losses from a store.",
        discussion: """
            An install is the first postback of a winner: later windows and non-winners are none. Every report ends \
            with what became of all deliveries of the same days. It may run while the server does.

            EXAMPLE
              skan report --store skan.sqlite --by day,campaign --from 2026-11-01 --format csv
            """
    )

    @OptionGroup var store: StoreOption

    @OptionGroup var options: ReportOptions

    @Option(help: "table, csv, json, ndjson or markdown.")
    var format: ReportFormat = .table

    func run() async throws {
        let request = try options.request()
        let store = try store.path
        let report = try await Reporter(try LedgerReader(store)).report(request)
        Terminal.write(report.rendered(as: format))
        if format == .csv {
            // A line of another shape would break whoever reads the table.
            Terminal.finish()
            Terminal.say(report.deliverySummary)
        }
        if report.deliveries.received == 0 {
            Terminal.say(
                request.from == nil && request.through == nil
                    ? "skan: the store is empty; send a postback, or try: skan simulate --post URL --report-store \(store)"
                    : "skan: nothing was received on these days")
        } else if report.totals[.postbacks] == 0, request.traffic == .apple {
            for traffic in [Traffic.foreign, .development, .test]
            where report.deliveries.count(.recorded, traffic) > 0 {
                Terminal.say(
                    "skan: hint: there is \(traffic.rawValue) traffic here; --\(traffic.rawValue) reports it")
            }
        }
    }
}

extension ReportFormat: ExpressibleByArgument {}
