import ArgumentParser
import Attribution
package import AttributionReports
import AttributionStore
import StrictJSON

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write every recorded postback as a row of fields, in the order of recording.",
        discussion: """
            It may run while the server does. The last line on standard error is the option with which the next export \
            continues, so that each postback is exported once. CSV has a header only without --after. Bodies are as \
            received.

            EXAMPLE
              skan export -s skan.sqlite --format csv > all.csv
              skan export -s skan.sqlite --after 29498960-2007-9c41 --bodies >> all.ndjson
            """
    )

    @OptionGroup var store: StoreOption

    @OptionGroup var traffic: TrafficOptions

    @Flag(help: "Include each body.")
    var bodies = false

    @Option(help: "Only postbacks recorded after this position.")
    var after: String?

    @OptionGroup var limit: LimitOption

    @Option(help: "ndjson or csv.")
    var format: ExportFormat = .ndjson

    func run() async throws {
        Terminal.exitAtClosedPipe()
        var query = ExportQuery(traffic: try Traffic(named: traffic.name, in: "provenance"))
        if let after {
            guard let position = LedgerPosition(after) else {
                throw CommandFailure(
                    "--after: found \(after.shortened(to: 40)), expected a position printed by an export")
            }
            query.after = position
        }
        let reader = try store.reader
        if after == nil {
            // A continued export is appended to a file with a header.
            Terminal.write(ExportedPostback.header(as: format, hasBody: bodies))
        }
        var pending = limit.count
        while pending > 0 {
            query.limit = min(pending, ExportQuery.pageSize)
            let page = try await reader.export(query)
            for (position, postback) in page.postbacks {
                Terminal.write(ExportedPostback(postback, at: position).line(as: format, hasBody: bodies))
            }
            pending -= page.postbacks.count
            query.after = page.position
            if page.isLast {
                break
            }
        }
        Terminal.finish()
        if let position = query.after {
            Terminal.say("next: --after \(position)")
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
