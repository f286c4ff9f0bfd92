import ArgumentParser
import Attribution
import AttributionConsole
import AttributionIngest
import AttributionReports
import AttributionServer
import AttributionSigning
import AttributionStore
import Platform
import StrictJSON

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Show, verify again, export or delete deliveries that were not counted.",
        discussion: """
            list, show and export only read, with or without a running server. requeue and prune change the store; if \
            a server is running, it makes the change, without a restart.

            EXAMPLE
              skan quarantine list --store skan.sqlite --class future
              skan quarantine requeue --store skan.sqlite --reason unknown-version
              skan quarantine prune --store skan.sqlite --class garbage --older-than 90d
            """,
        subcommands: [List.self, Show.self, Requeue.self, Export.self, Prune.self]
    )
}

/// How a listing is printed.
enum ListingFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, ndjson
}

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
                ["detail", delivery.detail.shown],
                ["contradicts", delivery.postbackID.map { "postback \($0)" } ?? "–"],
                ["bytes", String(delivery.body.count)],
            ]
            let hint = delivery.kind == .forged ? PostbackRejection.invalidSignature(keys: []).hint : nil
            Terminal.write(Columns(facts + (hint.map { [["hint", $0]] } ?? [])).text + "\n")
            BodyText.write(delivery.body)
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the bodies as received, one per line (NDJSON), oldest first.",
            discussion: """
                A body without a newline is written byte for byte. One with a newline would be read as several, and is \
                written as {"body": TEXT, "body-encoding": "utf-8"}, or in "base64" when it is not text; their number \
                is printed at the end. skan verify reads the others.
                """)

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @OptionGroup var limit: LimitOption

        func run() async throws {
            Terminal.exitAtClosedPipe()
            let reader = try store.reader
            var wrapped = 0
            try await QuarantinePages(reader, try filter.query(limit: limit.count)).forEach { page in
                for delivery in page {
                    if delivery.body.contains(UInt8(ascii: "\n")) {
                        wrapped += 1
                        Terminal.write(JSONText.object(StoredBody(delivery.body).members).line + "\n")
                    } else {
                        Terminal.write(bytes: delivery.body)
                        Terminal.write("\n")
                    }
                }
            }
            if wrapped > 0 {
                Terminal.finish()
                Terminal.say("skan: \(wrapped) bodies have newlines and were written as {\"body\": …}")
            }
        }
    }

    struct Requeue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify deliveries again, and count those whose signature is valid now.",
            discussion: """
                Useful after an upgrade that knows a new version or key, and after a key was added with --apple-keys. \
                Deliveries that verify are recorded on the \
                day they were received, for the networks the last server named as ours. A running server verifies \
                them, with the keys it trusts; otherwise this command does, with the keys given here. Conflicts remain \
                in quarantine, because their signatures were valid already.
                """)

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @OptionGroup var limit: LimitOption

        @OptionGroup var postbackKeys: PostbackKeyOptions

        func run() async throws {
            let query = try filter.query(limit: limit.count)
            let result = try await StoreOwnership(try store.location).maintain {
                let verifier = try postbackKeys.verifier()
                try? verifier.prepareTables()
                return verifier
            } here: {
                try await $0.requeue(query)
            } owner: {
                try await $0.requeue(query)
            }
            Terminal.write(
                "\(result.judged) verified again: recorded \(result.recorded), duplicate \(result.duplicate), "
                    + "conflict \(result.conflict), still in quarantine \(result.stayed)\n")
        }
    }

    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete deliveries from the quarantine for good; reports still count them.")

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @OptionGroup var limit: LimitOption

        func run() async throws {
            let query = try filter.query(limit: limit.count)
            guard query.hasFilter else {
                throw CommandFailure(
                    "expected one or more of --class, --reason, --id, --before, --older-than",
                    hint: "without any, everything would be deleted")
            }
            let deleted = try await StoreOwnership(try store.location).maintain {
                try PostbackVerifier()
            } here: {
                try await $0.prune(query)
            } owner: {
                try await $0.prune(query)
            }
            Terminal.write("deleted \(deleted)\n")
        }
    }
}
