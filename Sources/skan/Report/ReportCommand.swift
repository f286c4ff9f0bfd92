import ArgumentParser
import Attribution
package import AttributionReports
import AttributionServer
import AttributionStore
import Foundation
import StrictJSON

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report installs, redownloads, conversion values, wins and losses from a store.",
        discussion: """
            An install is the first postback of a winner; later windows and non-winners do not count as installs. \
            Every report ends with the outcomes of all deliveries of the same days. It may run while the server does. \
            A table is as wide as the terminal (or COLUMNS); the other formats have every figure.

            EXAMPLES
              skan report -s skan.sqlite --period last-week --by day,campaign
              skan report -s skan.sqlite --by app --sort -installs --top 10 --columns installs,wins,loss-rate
              skan report -s skan.sqlite --period 2026-10 --by conversion-value --format csv -o october.csv
            """
    )

    @OptionGroup var store: StoreOption

    @OptionGroup var options: ReportOptions

    @Option(help: "table, csv, json, ndjson or markdown.")
    var format: ReportFormat = .table

    @Option(
        name: .shortAndLong, help: "Write the report to this file, replacing it if it exists.",
        completion: .file())
    var output: String?

    @Flag(name: .shortAndLong, help: "Write only the report; errors still go to standard error.")
    var quiet = false

    func run() async throws {
        let request = try options.request(format, nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let location = try store.location
        let store = location.name
        let report = try await Reporter(try location.makeReader(), programVersion: Skan.version).report(request)
        let style = output == nil ? TextStyle.terminal : .document
        if let output {
            try OutputFile.write(to: output) { file in
                report.write(as: format, style: style) { file($0) }
            }
        } else {
            report.write(as: format, style: style) { Terminal.write($0) }
        }
        Terminal.finish()
        // Wrong figures are an error, and errors are shown even with --quiet.
        report.warnings.forEach { Terminal.say("skan: warning: \($0)") }
        if !report.warnings.isEmpty {
            Terminal.say("skan: hint: skan recount --store \(store) --repair")
        }
        if !quiet {
            say(report, store, style)
        }
    }

    private func say(_ report: Report, _ store: String, _ style: TextStyle) {
        if format == .csv {
            // A line of another shape would break programs that read the table.
            report.notes(style).forEach { Terminal.say($0) }
        }
        if report.deliveries.received == 0, !report.deliveries.areIncomplete {
            Terminal.say(
                report.request.from == nil && report.request.through == nil
                    ? "skan: the store is empty; send a postback, or try: skan simulate --post URL --report-store \(store)"
                    : "skan: nothing was received on these days")
        } else if report.totals[.postbacks] == 0, report.request.traffic == .apple {
            for traffic in [Traffic.foreign, .development, .test]
            where report.deliveries.count(.recorded, traffic) > 0 {
                Terminal.say(
                    "skan: hint: there is \(traffic.rawValue) traffic; --\(traffic.rawValue) reports it")
            }
        }
    }
}

extension ReportFormat: ExpressibleByArgument {}
