import ArgumentParser
import Attribution
package import AttributionReports
import AttributionStore
import Foundation
import StrictJSON

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write every recorded postback as a row of fields, in the order of recording.",
        discussion: """
            It may run while the server does. The last line on standard error is the option with which the next export \
            continues, so that each postback is exported once. CSV on standard output has a header only without \
            --after. Bodies are as received. In NDJSON numbers, booleans and null are such, and ids are strings; \
            conversion-kind tells absent values from null ones.

            EXAMPLE
              skan export -s skan.sqlite --from 2026-11-01 --where app=525463029 --format csv -o november.csv
              skan export -s skan.sqlite --after 29498960-2007-9c41 --bodies >> all.ndjson
              skan export -s skan.sqlite --snake-case -o all.ndjson
              duckdb -c "COPY (FROM read_json('all.ndjson', sample_size = -1)) TO 'all.parquet'"
            """
    )

    @OptionGroup var store: StoreOption

    @OptionGroup var traffic: TrafficOptions

    @Flag(help: "Include each body.")
    var bodies = false

    @Option(help: "Only postbacks recorded after this position.")
    var after: String?

    @Option(
        help: "First day of receipt (UTC), or a period of which it is the first day, such as last-month.",
        completion: .periods)
    var from: String?

    @Option(
        help: "Last day of receipt (UTC), included, or a period of which it is the last day.", completion: .periods)
    var to: String?

    @Option(
        name: .customLong("where"), parsing: .singleValue,
        help: "DIMENSION=VALUE or DIMENSION!=VALUE; may be repeated: values of one dimension are alternatives.",
        completion: .filters)
    var filters: [String] = []

    @OptionGroup var limit: LimitOption

    @Option(help: "ndjson or csv.")
    var format: ExportFormat = .ndjson

    @Flag(help: "Write names as received_at instead of received-at, for SQL.")
    var snakeCase = false

    @Option(
        name: .shortAndLong,
        help: "Write the rows to this file, replacing it if it exists; a device or a FIFO is written to.",
        completion: .file())
    var output: String?

    func run() async throws {
        Terminal.exitAtClosedPipe()
        let selection = try selection
        var query = ExportQuery(traffic: selection.traffic)
        if let after {
            guard let position = LedgerPosition(after) else {
                throw CommandFailure(
                    "--after: found \(after.shortened(to: 40)), expected a position printed by an export")
            }
            query.after = position
        }
        let reader = try store.reader
        let layout = ExportLayout(format, hasBody: bodies, isSnakeCase: snakeCase)
        let file = try output.map { try OutputFile.Draft($0) }
        func write(_ text: String) throws {
            guard let file else {
                return Terminal.write(text)
            }
            try file.write(text)
        }
        if after == nil || output != nil {
            // A continued export on standard output is appended to a file with a header.
            try write(layout.header)
        }
        var pending = limit.count
        var damaged = 0
        pages: while true {
            let page = try await reader.export(query)
            for (position, postback) in page.postbacks {
                query.after = position
                let row = ExportedPostback(postback, at: position)
                guard let isSelected = row.isSelected(by: selection) else {
                    damaged += 1
                    continue
                }
                guard isSelected else {
                    continue
                }
                try write(layout.line(of: row))
                pending -= 1
                guard pending > 0 else {
                    break pages
                }
            }
            query.after = page.position
            if page.isLast {
                break
            }
        }
        try file?.finish()
        Terminal.finish()
        if damaged > 0 {
            Terminal.say(
                "skan: warning: left out \(damaged) postback\(damaged == 1 ? "" : "s") with damaged bytes, which have no "
                    + "values to select by")
        }
        if let position = query.after {
            Terminal.say("next: --after \(position)")
        }
    }

    /// Which traffic, days and values are exported.
    private var selection: ReportRequest {
        get throws {
            var parameters = ReportParameters()
            parameters.by = ""
            parameters.filters = filters
            (parameters.from, parameters.to) = (from, to)
            parameters.provenance = traffic.name
            return try ReportRequest(parameters, nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
