import ArgumentParser
import Attribution
import AttributionConsole
import AttributionForwarding
import AttributionHarness
import AttributionIngest
import AttributionReports
import AttributionServer
import AttributionStore
import Foundation
import StrictJSON

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send deliveries of a file or a store to a server again, or to a destination.",
        discussion: """
            It reads the files that skan import reads. Bodies are sent as received, in the order of the file or of \
            recording, as fast as they are answered, or with --speed at the pace at which they were received. The server \
            records them as received now, and counts each postback once. Replaying stops when the server cannot be \
            reached. Exits with status 0 if every delivery was answered 200 or refused (400), otherwise 1.

            With --destination it sends recorded postbacks to a destination of skan serve --destinations, as the server \
            does: one with --transaction-id, a range with --from and --to, without any all that are recorded. They come \
            under the same webhook-id as before. What the server forwards meanwhile, and how far it has come, stays as \
            it is. Exits with status 0 if the destination took all it wants, otherwise 1.

            EXAMPLE
              skan replay --store skan.sqlite --url http://127.0.0.1:9000 --from 2026-11-01 --to yesterday
              skan replay postbacks.ndjson --url http://127.0.0.1:9000 --speed 60
              skan replay --store skan.sqlite --destinations destinations.json --destination partner --from yesterday
            """
    )

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String?

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store, instead of a file with deliveries: a file, or postgresql://HOST/DATABASE.",
        completion: .file())
    var store: String?

    @Option(help: "The server; without a path, each delivery's own is added.")
    var url: String?

    @Option(help: "The name of a destination, instead of a server.")
    var destination: String?

    @OptionGroup var destinationFile: DestinationsOption
    @OptionGroup var postbackKeys: PostbackKeyOptions

    @Option(help: "Only this transaction-id or postback-identifier, as received; with --destination.")
    var transactionID: String?

    @Option(help: "ndjson, json, csv or log: the form of the file (default: recognized from its beginning).")
    var input: ImportInput?

    @Option(
        help: "First day of receipt (UTC), or a period as in skan report, of which it is the first day.",
        completion: .periods)
    var from: String?

    @Option(help: "Last day of receipt, included, or a period, of which it is the last day.", completion: .periods)
    var to: String?

    @Option(help: "Pace: 1 as received, 60 for an hour in a minute (default: as fast as answered).")
    var speed: Double?

    @Option(help: "Maximum number of concurrent requests.")
    var concurrency = 16

    func validate() throws {
        guard (file == nil) != (store == nil) else {
            throw ValidationError("expected one of FILE and --store FILE")
        }
        guard (url == nil) != (destination == nil) else {
            throw ValidationError("expected one of --url URL and --destination NAME")
        }
        guard destination == nil || (store != nil && speed == nil) else {
            throw ValidationError("expected --store FILE and no --speed with --destination")
        }
        guard destination != nil || transactionID == nil else {
            throw ValidationError("expected --destination NAME with --transaction-id")
        }
        guard store == nil || input == nil else {
            throw ValidationError("found --input with --store, expected it with FILE")
        }
        guard (1...1_024).contains(concurrency), speed.map({ $0 > 0 }) ?? true else {
            throw ValidationError("expected --concurrency 1…1024, and --speed above 0")
        }
    }

    func run() async throws {
        let today = CalendarDay.today
        let days = try PostbackQuery.received(
            from: try from.map { try CalendarPeriod($0, field: "from", today: today).first },
            through: try to.map { try CalendarPeriod($0, field: "to", today: today).last })
        if let destination, let store {
            return try await replay(to: try destinationFile.named(destination), of: StoreLocation(store), days)
        }
        let target = try DeliveryURL(url ?? "", option: "--url")
        let sender = ReplaySender(target: target, concurrency: concurrency, speed: speed)
        let unreadable = try await sender.run { send in
            if let store {
                return try await Self.each(of: store, days, send)
            }
            return try await each(of: file ?? "-", days, send)
        }
        Terminal.progress("")
        let tally = sender.tally
        Terminal.write("\(tally)\n")
        Terminal.finish()
        if unreadable > 0 {
            Terminal.say("skan: warning: records left out because they cannot be read: \(unreadable)")
        }
        if tally.failed > 0 || unreadable > 0 {
            throw ExitStatus.negative
        }
    }

    /// Sends a destination the postbacks of a store.
    private func replay(
        to destination: Destination, of store: StoreLocation, _ days: Range<Int64>?
    ) async throws {
        let reader = try store.makeReader()
        defer { reader.close() }
        let verifier = try await postbackKeys.verifier(remembering: reader)
        let replay = DestinationReplay(
            destination: destination, reader: reader, sender: DestinationSender { verifier })
        let tally = try await replay.run(PostbackQuery(transactionID: transactionID, received: days))
        Terminal.progress("")
        Terminal.write("\(tally)\n")
        Terminal.finish()
        if let problem = tally.problem {
            throw problem
        }
        if tally.failed > 0 {
            throw ExitStatus.negative
        }
    }

    /// Sends the deliveries of a store.
    private static func each(
        of store: String, _ days: Range<Int64>?, _ send: (ReplayedDelivery) async throws -> Void
    ) async throws -> Int {
        let reader = try StoreLocation(store).makeReader()
        defer { reader.close() }
        var query = PostbackQuery(received: days, limit: ExportQuery.pageSize)
        var unreadable = 0
        while true {
            let page = try await reader.postbacks(query)
            for postback in page {
                guard let body = postback.body else {
                    unreadable += 1
                    continue
                }
                try await send(
                    ReplayedDelivery(
                        body: body, receivedAt: postback.receivedAtMilliseconds, recipient: postback.recipient))
            }
            guard let last = page.last, page.count == query.limit else {
                return unreadable
            }
            query.after = last.id
        }
    }

    /// Sends the deliveries of a file.
    private func each(
        of name: String, _ days: Range<Int64>?, _ send: (ReplayedDelivery) async throws -> Void
    ) async throws -> Int {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var options = ImportOptions(latest: now + 86_400_000)
        // Times matter only for --from, --to and --speed.
        options.received = days == nil && speed == nil ? now : nil
        var unreadable = 0
        try await ImportFile(name, as: input).eachRecord(options) { number, record in
            switch record {
            case .delivery(let body, let receivedAt, let recipient, _):
                if days?.contains(receivedAt) ?? true {
                    try await send(ReplayedDelivery(body: body, receivedAt: receivedAt, recipient: recipient))
                }
            case .withoutBody: break
            case .unreadable(let problem):
                if unreadable < ImportTally.problemsListed {
                    Terminal.say("skan: warning: \(name):\(number): \(problem)")
                }
                unreadable += 1
            }
        }
        return unreadable
    }
}
