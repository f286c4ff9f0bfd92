import ArgumentParser
import Attribution
import AttributionConsole
import AttributionReports
import AttributionServer
import AttributionStore
import StrictJSON

extension QuarantineCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show everything known about one delivery, and its body as received.")

        enum Format: String, CaseIterable, ExpressibleByArgument {
            case text, json
        }

        @OptionGroup var store: StoreOption

        @Argument(help: "The delivery's id, as shown by list.")
        var id: Int64

        @Option(help: "text or json.")
        var format: Format = .text

        func run() async throws {
            Terminal.exitAtClosedPipe()
            let path = try store.location.name
            let found = try await store.reader.quarantine(QuarantineQuery(id: id, limit: 1))
            guard let delivery = found.first else {
                throw CommandFailure(
                    "no delivery \(id) in the quarantine of \(path)",
                    hint: "skan quarantine list --store \(path)")
            }
            guard format == .text else {
                return Terminal.write(delivery.json.pretty + "\n")
            }
            let facts = [
                ["id", String(delivery.id)],
                ["class", delivery.kind.rawValue],
                ["received", Moment(milliseconds: delivery.receivedAtMilliseconds).shortText + " UTC"],
                ["recipient", delivery.recipient.rawValue],
                ["client", delivery.client.isEmpty ? "–" : delivery.client],
                ["reason", delivery.reason],
                ["detail", BodyText.printable(Array(delivery.detail.utf8))],
                ["contradicts", delivery.postbackID.map { "postback \($0)" } ?? "–"],
                ["bytes", String(delivery.body.count)],
            ]
            Terminal.write(Columns(facts).text + "\n")
            BodyText.write(delivery.body)
        }
    }
}
