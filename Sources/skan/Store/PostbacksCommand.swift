import ArgumentParser
import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import Foundation
import Platform
import StrictJSON

struct PostbacksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postbacks",
        abstract: "Find recorded postbacks, and show them as received.",
        discussion: """
            It may run while the server does.

            EXAMPLE
              skan postbacks --store skan.sqlite --transaction-id 6aafb7a5-0170-41b5-bbe4-fe71dedf1e28
            """
    )

    @OptionGroup var store: StoreOption

    @Option(help: "transaction-id or postback-identifier, as received.")
    var transactionID: String?

    @Option(help: "First day of receipt (UTC), YYYY-MM-DD.")
    var from: String?

    @Option(help: "Last day of receipt, included, YYYY-MM-DD.")
    var to: String?

    @Option(help: "Maximum number, oldest first.")
    var limit = 100

    @Option(help: "table, json, or ndjson (one postback per line).")
    var format: ListingFormat = .table

    func validate() throws {
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("expected --limit 1…1000000")
        }
        guard transactionID != nil || from != nil || to != nil else {
            throw ValidationError("expected --transaction-id ID, or --from DAY and --to DAY")
        }
    }

    func run() async throws {
        Terminal.exitAtClosedPipe()
        let reader = try store.reader
        var query = PostbackQuery(
            transactionID: transactionID,
            received: try PostbackQuery.received(
                from: try from.map { try CalendarDay.reading($0, field: "from") },
                through: try to.map { try CalendarDay.reading($0, field: "to") }))
        // A page at a time, so that a million bodies are in memory only for --format json.
        var (shown, all): (Int, [RecordedPostback]) = (0, [])
        while shown < limit {
            query.limit = min(limit - shown, 1_000)
            let page = try await reader.postbacks(query)
            guard let last = page.last else {
                break
            }
            switch format {
            case .table: page.forEach { Self.write($0) }
            case .json: all += page
            case .ndjson: page.forEach { Terminal.write($0.json.line + "\n") }
            }
            shown += page.count
            query.after = last.id
        }
        if format == .json {
            Terminal.write(JSONText.array(all.map(\.json)).pretty + "\n")
        }
        Terminal.finish()
        if shown == 0 {
            Terminal.say("skan: no such postback is recorded; skan quarantine list shows what was not counted")
        } else if shown == limit {
            query.limit = 1
            if try await !reader.postbacks(query).isEmpty {
                Terminal.say("skan: the first \(shown); --limit shows more")
            }
        }
    }

    /// Writes a line of facts, and the body below it.
    private static func write(_ postback: RecordedPostback) {
        let received = Moment(milliseconds: postback.receivedAtMilliseconds).shortText
        Terminal.write(
            "\(postback.id)  received \(received) UTC  \(postback.recipient.rawValue)  \(postback.traffic.rawValue)  "
                + "verified by \(postback.keyName)\n")
        if let body = postback.body {
            for value in (try? ReceivedPostback(reading: body))?.flaggedValues ?? [] {
                Terminal.write("flagged: \(value)\n")
            }
            BodyText.write(body)
        } else {
            Terminal.write("its bytes are damaged; skan recount says more\n")
        }
    }
}

/// Aligned columns of text, header first, for a terminal.
struct Columns {
    private let rows: [[String]]
    private let trailing: Set<Int>

    /// Makes columns from rows of equal length, some of them right-aligned.
    init(_ rows: [[String]], trailing: Set<Int> = []) {
        self.rows = rows
        self.trailing = trailing
    }

    /// The lines, each ending in a newline.
    var text: String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return trailing.contains(column) ? space + cell : cell + space
            }
            var line = cells.joined(separator: "  ")[...]
            while line.last == " " {
                line.removeLast()
            }
            return line + "\n"
        }.joined()
    }
}

/// Shows bodies as received.
enum BodyText {
    /// Writes the bytes unchanged, or, to a terminal, with what moves its cursor or changes the direction of text escaped,
    /// because they are untrusted.
    static func write(_ body: [UInt8]) {
        Terminal.write(bytes: Terminal.isInteractive ? Array(String(decoding: body, as: UTF8.self).shown.utf8) : body)
        Terminal.write("\n")
    }
}

extension CalendarDay {
    /// The day it is now (UTC).
    static var today: CalendarDay {
        CalendarDay(containing: Int64(Date().timeIntervalSince1970 * 1000), in: .gmt)
    }
}

extension Moment {
    /// The time to the second, as `2026-11-01 12:30:00`.
    var shortText: String {
        text.replacing("T", with: " ").replacing("Z", with: "")
    }
}
