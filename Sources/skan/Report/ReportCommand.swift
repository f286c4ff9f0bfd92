import ArgumentParser
import Attribution
import AttributionReports
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

            A report with a name has sections of its own, compared with as many days before; --explain defines each \
            column:
              overview        whether all is well, and the most important figures
              performance     spend, installs, revenue and what an install cost, one row for each campaign
              campaigns       installs of each campaign of an app
              sources         installs by the app or the website that showed the ad
              conversions     conversion values, one row each; no value is not 0
              windows         first, second and third postbacks, and how many can have arrived yet
              wins            wins and losses, by day, app, fidelity, country and source
              redownloads     new installs and redownloads
              re-engagements  people who came back through an ad
              tiers           the data tiers that Apple may have chosen, as bounds
              revenue         what conversion values are worth, by schemas (skan schema)
              costs           installs per thousand ads signed, and cost per install (skan import)
              delivery        what became of every delivery
              estimates       values and revenue, withheld ones filled in: in no other report

            EXAMPLES
              skan report overview -s skan.sqlite --period 30d
              skan report performance -s skan.sqlite --period last-week --schema schemas.json --campaigns names.json
              skan report campaigns -s skan.sqlite --period last-month --where app=525463029 --top 20
              skan report sources -s skan.sqlite --period last-week --format csv -o sources.csv
              skan report conversions -s skan.sqlite --section values --format csv
              skan report windows -s skan.sqlite --period 60d --explain
              skan report wins -s skan.sqlite --period 2026-10 --section countries
              skan report redownloads -s skan.sqlite --period this-month
              skan report re-engagements -s skan.sqlite --period 2026-W46 --format markdown
              skan report tiers -s skan.sqlite --period 30d --format json
              skan report revenue -s skan.sqlite --period 30d --schema schemas.json
              skan report estimates -s skan.sqlite --period 30d --schema schemas.json
              skan report costs -s skan.sqlite --period last-month --section spend --format csv -o costs.csv
              skan report delivery -s skan.sqlite --period yesterday --format html -o delivery.html
              skan report -s skan.sqlite --period last-week --by day,campaign
              skan report -s skan.sqlite --period 30d --by install-day --columns installs,window-2,window-3
              skan report -s skan.sqlite --by app --sort -installs --top 10 --columns installs,wins,loss-rate
              skan report -s skan.sqlite --period 2026-10 --by conversion-value --format csv -o october.csv
              skan report -s skan.sqlite --by app --format csv --bom --delimiter ';' --decimal , -o excel.csv
            """
    )

    @OptionGroup var store: StoreOption

    @OptionGroup var standard: StandardReportOptions

    @OptionGroup var options: ReportOptions

    @Option(help: "table, csv, json, ndjson or markdown; html for standard reports.")
    var format: ReportFormat = .table

    @OptionGroup var csv: CSVOptions

    @Option(
        name: .shortAndLong,
        help: "Write the report to this file, replacing it if it exists; a device or a FIFO is written to.",
        completion: .file())
    var output: String?

    @Flag(name: .shortAndLong, help: "Write only the report; errors still go to standard error.")
    var quiet = false

    func validate() throws {
        try standard.check(options, format)
        _ = try csv.style(for: format)
    }

    func run() async throws {
        Terminal.exitAtClosedPipe()
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let style = output == nil ? TextStyle.terminal : .document
        if let request = try standard.request(options, format, nowMilliseconds: now) {
            let report = try await reporter.report(request)
            try write(report, style)
            if format == .csv, !quiet {
                // A line of another shape would break programs that read the table.
                report.remarks(style).forEach { Terminal.say($0) }
            }
        } else {
            let request = try options.request(format, nowMilliseconds: now)
            let report = try await reporter.report(request)
            try write(report, style)
            if !quiet {
                say(report, try store.location.name, style)
            }
        }
    }

    private var reporter: Reporter {
        get throws {
            // Files are read first: a report that cannot be made needs no store.
            let references = try standard.references
            return Reporter(
                try store.location.makeReader(), programVersion: Skan.version, references: references)
        }
    }

    /// Writes a report to the file or to standard output, and its warnings to standard error.
    private func write(_ report: some RenderedReport, _ style: TextStyle) throws {
        let csv = try csv.style(for: format)
        if let output {
            var text = ""
            report.write(as: format, style: style, csv: csv) { text += $0 }
            try OutputFile.write(text, to: output)
        } else {
            report.write(as: format, style: style, csv: csv) { Terminal.write($0) }
        }
        Terminal.finish()
        // Wrong figures are an error, and errors are shown even with --quiet.
        (quiet ? report.damage : report.warnings).forEach { Terminal.say("skan: warning: \($0)") }
        if !report.damage.isEmpty {
            Terminal.say("skan: hint: skan recount --store \(try store.location.name) --repair")
        }
    }

    private func say(_ report: Report, _ store: String, _ style: TextStyle) {
        if format == .csv {
            // A line of another shape would break programs that read the table.
            report.remarks(style).forEach { Terminal.say($0) }
        }
        if report.deliveries.received == 0 {
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
