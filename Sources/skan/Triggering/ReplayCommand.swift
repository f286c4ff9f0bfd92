import ArgumentParser
import Attribution
import AttributionConsole
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
        abstract: "Send deliveries of a file or a store to a server again.",
        discussion: """
            It reads the files that skan import reads. Bodies are sent as received, in the order of the file or of \
            recording, as fast as they are answered, or with --speed at the pace at which they were received. The server \
            records them as received now, and counts each postback once. Replaying stops when the server cannot be \
            reached. Exits with status 0 if every delivery was answered 200 or refused (400), otherwise 1.

            EXAMPLE
              skan replay --store skan.sqlite --url http://127.0.0.1:9000 --from 2026-11-01 --to yesterday
              skan replay postbacks.ndjson --url http://127.0.0.1:9000 --speed 60
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
    var url: String

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
        guard store == nil || input == nil else {
            throw ValidationError("found --input with --store, expected it with FILE")
        }
        guard (1...1_024).contains(concurrency), speed.map({ $0 > 0 }) ?? true else {
            throw ValidationError("expected --concurrency 1…1024, and --speed above 0")
        }
    }

    func run() async throws {
        let target = try DeliveryURL(url, option: "--url")
        let today = CalendarDay.today
        let days = try PostbackQuery.received(
            from: try from.map { try CalendarPeriod($0, field: "from", today: today).first },
            through: try to.map { try CalendarPeriod($0, field: "to", today: today).last })
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
