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
            Files are those that skan import reads. Bodies are sent as received, in the order of the file or of \
            recording, as fast as they are answered; with --speed as far apart as they came, so many times as fast. The \
            server counts them as received now, and each postback once. It stops when nobody answers. Ends with status 0 \
            when every delivery was answered 200 or refused as no postback, 1 when some were not.

            EXAMPLE
              skan replay --store skan.sqlite --to http://127.0.0.1:9000 --from 2026-11-01 --until 2026-11-02
              skan replay postbacks.ndjson --to http://127.0.0.1:9000 --speed 60
            """
    )

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String?

    @Option(
        name: [.customLong("store"), .customShort("s")], help: "The store, instead of a file.", completion: .file())
    var store: String?

    @Option(help: "The server; without a path, that of each delivery is added.")
    var to: String

    @Option(help: "First day of receipt (UTC), YYYY-MM-DD.")
    var from: String?

    @Option(help: "Last day of receipt, included, YYYY-MM-DD.")
    var until: String?

    @Option(help: "How many times as fast as they came; 1 for the pace at which they did.")
    var speed: Double?

    @Option(help: "How many requests are under way at most.")
    var concurrency = 16

    func validate() throws {
        guard (file == nil) != (store == nil) else {
            throw ValidationError("expected one of FILE and --store FILE")
        }
        guard (1...1_024).contains(concurrency), speed.map({ $0 > 0 }) ?? true else {
            throw ValidationError("expected --concurrency 1…1024, and --speed above 0")
        }
    }

    func run() async throws {
        let target = try DeliveryURL(to, option: "--to")
        let days = try PostbackQuery.received(
            from: try from.map { try CalendarDay.reading($0, field: "from") },
            through: try until.map { try CalendarDay.reading($0, field: "until") })
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
            Terminal.say("skan: warning: records that cannot be read and were left out: \(unreadable)")
        }
        if tally.failed > 0 || unreadable > 0 {
            throw ExitStatus.negative
        }
    }

    /// Hands over the deliveries of a store.
    ///
    /// - Returns: How many cannot be read.
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

    /// Hands over the deliveries of a file.
    ///
    /// - Returns: How many records cannot be read.
    private func each(
        of name: String, _ days: Range<Int64>?, _ send: (ReplayedDelivery) async throws -> Void
    ) async throws -> Int {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var options = ImportOptions(latest: now + 86_400_000)
        // Only who asks for days or a pace needs times.
        options.received = days == nil && speed == nil ? now : nil
        var unreadable = 0
        try await ImportFile(name).eachRecord(options) { number, record in
            switch record {
            case .delivery(let body, let receivedAt, let recipient):
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
