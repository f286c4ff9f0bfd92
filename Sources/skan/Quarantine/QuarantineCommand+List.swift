import ArgumentParser
import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import StrictJSON

extension QuarantineCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the newest deliveries in quarantine, and the number in each class.")

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @Option(help: "Number of deliveries, newest first; 1…10000.")
        var limit = 100

        @Option(help: "table, json, or ndjson (one delivery per line); the last two include the bodies.")
        var format: ListingFormat = .table

        func validate() throws {
            guard (1...10_000).contains(limit) else {
                throw ValidationError("expected --limit 1…10000; export has no limit")
            }
        }

        func run() async throws {
            Terminal.exitAtClosedPipe()
            let reader = try store.reader
            var (newest, count): ([QuarantinedDelivery], Int) = ([], 0)
            try await QuarantinePages(reader, try filter.query(limit: .max)).forEach { page in
                count += page.count
                newest = (newest + page).suffix(limit)
            }
            let totals = try await reader.quarantineTotals().filter { $0.count > 0 }
            switch format {
            case .table:
                Terminal.write(Self.table(newest.reversed(), totals))
            case .json:
                let json = JSONText.object([
                    "totals": .array(totals.map(\.json)), "deliveries": .array(newest.reversed().map(\.json)),
                ])
                Terminal.write(json.pretty + "\n")
            case .ndjson:
                newest.reversed().forEach { Terminal.write($0.json.line + "\n") }
            }
            if count > newest.count {
                Terminal.finish()
                Terminal.say("skan: the newest \(newest.count) of \(count); --limit shows more")
            }
        }

        private static func table(_ deliveries: [QuarantinedDelivery], _ totals: [QuarantineTotal]) -> String {
            let header = ["id", "received (UTC)", "class", "reason", "recipient", "client", "bytes"]
            let rows = deliveries.map { delivery in
                [
                    String(delivery.id), Moment(milliseconds: delivery.receivedAtMilliseconds).shortText,
                    delivery.kind.rawValue, delivery.reason, delivery.recipient.rawValue,
                    delivery.client.isEmpty ? "–" : delivery.client.shortened(to: 20), String(delivery.body.count),
                ]
            }
            let sums = totals.map { "\($0.kind.rawValue) \($0.count) (\($0.bytes) bytes)" }.joined(separator: ", ")
            let end = "In quarantine: " + (sums.isEmpty ? "nothing" : sums) + "\n"
            return rows.isEmpty ? end : Columns([header] + rows, trailing: [0, 6]).text + "\n" + end
        }
    }
}
