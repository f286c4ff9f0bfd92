import ArgumentParser
import Attribution
import AttributionConsole
import AttributionForwarding
import AttributionReports
import AttributionServer
import AttributionStore
import Foundation
import Platform
import StrictJSON

struct DestinationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destinations",
        abstract: "Check, show, test, pause and resume the destinations that postbacks are forwarded to.",
        discussion: """
            skan serve --destinations FILE forwards what it records. list and show only read the store, with or without \
            a running server. pause and resume change it; if a server is running, it makes the change, without a restart.

            EXAMPLE
              skan destinations check destinations.json
              skan destinations list --store skan.sqlite
              skan destinations resume partner --store skan.sqlite
            """,
        subcommands: [Check.self, Test.self, List.self, Show.self, Pause.self, Resume.self]
    )
}

/// The file of the destinations: `--destinations`, otherwise `SKAN_DESTINATIONS`.
struct DestinationsOption: ParsableArguments {
    @Option(
        help: "The destinations (JSON; or SKAN_DESTINATIONS).", completion: .file(extensions: ["json"]))
    var destinations: String?

    /// The destination of a name.
    func named(_ name: String) throws -> Destination {
        guard let file = destinations ?? EnvironmentSettings().text("destinations") else {
            throw CommandFailure("expected --destinations FILE", hint: "give the file that the server has")
        }
        let known = try DestinationFile(file: file).destinations
        guard let destination = known.first(where: { $0.name == name }) else {
            throw CommandFailure(
                "no destination \(name.shortened(to: 64)) in \(file)" + known.map(\.name).suggestion(for: name),
                hint: "skan destinations check \(file) lists them")
        }
        return destination
    }
}

extension DestinationsCommand {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a file of destinations: status 0, or 2 with everything that is wrong.")

        @Argument(help: "The file (JSON).", completion: .file(extensions: ["json"]))
        var file: String

        func run() throws {
            let destinations = try DestinationFile(file: file).destinations
            destinations.forEach { Terminal.write($0.summary + "\n") }
            Terminal.write("ok: \(destinations.count) destinations\n")
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a destination the newest postback it wants once more, and show its answer.",
            discussion: """
                The postback has the same webhook-id as before, and nothing of it is noted in the store. Exits with \
                status 0 if the destination took it, otherwise 1.
                """)

        /// How far back a postback is looked for.
        private static let searched: Int64 = 10_000

        @Argument(help: "The destination's name.")
        var name: String

        @OptionGroup var file: DestinationsOption
        @OptionGroup var store: StoreOption
        @OptionGroup var postbackKeys: PostbackKeyOptions

        func run() async throws {
            let destination = try file.named(name)
            let reader = try store.reader
            let verifier = try await postbackKeys.verifier(remembering: reader)
            let sender = DestinationSender { verifier }
            // Ids go up: the last pages are the newest.
            var (query, newest): (PostbackQuery, RecordedPostback?) = (PostbackQuery(limit: 1_000), nil)
            query.traffic = destination.filters.provenance
            query.after = try await max(0, lastID(reader) - Self.searched)
            while true {
                let page = try await reader.postbacks(query)
                newest = zip(page, sender.read(page, for: destination)).filter { $1 != nil }.last?.0 ?? newest
                guard let last = page.last else { break }
                query.after = last.id
            }
            guard let newest else {
                throw CommandFailure(
                    "none of the newest \(Self.searched) postbacks is one that \(name) wants", code: .notFound,
                    hint: "filters.provenance chooses the traffic, production without it")
            }
            Terminal.write("postback \(newest.id) to \(destination.summary)\n")
            switch await sender.send(newest, to: destination) {
            case .passedOver, .unusable: throw CommandFailure("postback \(newest.id) cannot be sent", code: .malformed)
            case .attempted(.failed(let reason)): Terminal.write("no answer: \(reason.shown)\n")
            case .attempted(.answered(let answer)):
                Terminal.write("answered \(answer.status)\n")
                if !answer.excerpt.isEmpty { Terminal.write(answer.excerpt.shown + "\n") }
                guard !(200...299).contains(answer.status) else { return }
            }
            throw ExitStatus.negative
        }

        /// The greatest id; 0 for none.
        private func lastID(_ reader: any LedgerReading) async throws -> Int64 {
            try await reader.answer(LedgerQuestion()).position.last
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List destinations with how far they have come.",
            discussion: """
                behind counts recorded postbacks that a destination has not come to yet, also those that it does not \
                want; a database counts up to 100000. again counts those that failed and are sent again, and parked \
                those that are not. down: nothing is taken, and one request every 10 seconds asks.
                """)

        @OptionGroup var store: StoreOption

        @Option(help: "table, json, or ndjson (one destination per line).")
        var format: ListingFormat = .table

        func run() async throws {
            Terminal.exitAtClosedPipe()
            let status = try await store.reader.forwardingStatus()
            switch format {
            case .table: Terminal.write(Self.table(status))
            case .json: Terminal.write(JSONText.array(status.destinations.map(\.json)).pretty + "\n")
            case .ndjson: status.destinations.forEach { Terminal.write($0.json.line + "\n") }
            }
            Terminal.finish()
            if status.destinations.isEmpty {
                Terminal.say("skan: no destinations; skan serve --destinations FILE makes them")
            }
            if let since = status.heldSince, Int64(Date().timeIntervalSince1970 * 1_000) - since > 60_000 {
                Terminal.say(
                    "skan: warning: what was recorded since \(Moment(milliseconds: since).shortText) UTC is held back by a "
                        + "transaction that runs in the same cluster; pg_stat_activity shows it")
            }
        }

        private static func table(_ status: ForwardingStatus) -> String {
            func time(_ milliseconds: Int64?) -> String {
                milliseconds.map { Moment(milliseconds: $0).shortText } ?? "–"
            }
            let header = [
                "name", "state", "behind", "oldest (UTC)", "again", "parked", "last success", "last failure", "why",
            ]
            let rows = status.destinations.map { backlog in
                let destination = backlog.destination
                return [
                    destination.name, destination.condition, String(backlog.count), time(backlog.oldestAt),
                    String(destination.waitingCount), String(destination.parkedCount),
                    time(destination.lastSuccessAt), time(destination.lastFailureAt),
                    destination.lastFailure.isEmpty ? "–" : destination.lastFailure.shortened(to: 60),
                ]
            }
            return rows.isEmpty ? "" : Columns([header] + rows, trailing: [2, 4, 5]).text
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a destination with the postbacks that it did not take, and its answers.")

        @Argument(help: "The destination's name.")
        var name: String

        @OptionGroup var store: StoreOption

        @Option(help: "Number of postbacks, those that are sent again first; 1…10000.")
        var limit = 20

        func validate() throws {
            guard (1...10_000).contains(limit) else {
                throw ValidationError("expected --limit 1…10000")
            }
        }

        func run() async throws {
            Terminal.exitAtClosedPipe()
            let reader = try store.reader
            guard let backlog = try await reader.forwardingStatus()[name] else {
                throw unknownDestination(name, try store.location)
            }
            Terminal.write(backlog.json.pretty + "\n")
            for failed in try await reader.failedForwardings(of: name, due: nil, limit: limit) {
                let due = failed.dueAt.map { $0 == 0 ? "due now" : "again \(Moment(milliseconds: $0).shortText)" }
                let answer = failed.status.map { "answered \($0)" } ?? "no answer"
                Terminal.write(
                    "postback \(failed.postback)  attempts \(failed.attempts)  "
                        + "last \(Moment(milliseconds: failed.attemptedAt).shortText)  \(due ?? "parked")  \(answer)\n")
                if !failed.text.isEmpty { Terminal.write(failed.text.shown + "\n") }
            }
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a destination nothing more, until it is resumed; what it misses waits in the store.")

        @Argument(help: "The destination's name.")
        var name: String

        @OptionGroup var store: StoreOption

        func run() async throws {
            try await setState(of: name, to: .paused, store)
            Terminal.write("paused \(name)\n")
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a destination go on that was paused or is gone, and send what is parked once more.")

        @Argument(help: "The destination's name.")
        var name: String

        @OptionGroup var store: StoreOption

        func run() async throws {
            try await setState(of: name, to: .running, store)
            Terminal.write("resumed \(name)\n")
        }
    }
}

/// Changes the state of a destination, here or in the process that has the store open.
private func setState(of name: String, to state: DestinationState, _ store: StoreOption) async throws {
    let location = try store.location
    try await StoreOwnership(location).change {
        let writer = try location.makeWriter(onEvent: StoreOwnership.say)
        let isKnown = Result { try writer.setState(of: name, to: state) }
        try writer.close()
        guard try isKnown.get() else {
            throw unknownDestination(name, location)
        }
    } owner: {
        try await $0.setState(of: name, to: state)
    }
}

private func unknownDestination(_ name: String, _ store: StoreLocation) -> CommandFailure {
    CommandFailure(
        "no destination \(name.shortened(to: 64)) in \(store.name)", code: .notFound,
        hint: "skan destinations list --store \(store.name)")
}

extension ForwardingStatus.Backlog {
    /// All that the store knows of it, for programs.
    fileprivate var json: JSONText {
        func time(_ milliseconds: Int64?) -> JSONText {
            milliseconds.map { .string(Moment(milliseconds: $0).text) } ?? .null
        }
        return .object([
            "name": .string(destination.name), "state": .string(destination.condition), "behind": .integer(count),
            "oldest-at": time(oldestAt), "again": .integer(destination.waitingCount),
            "parked": .integer(destination.parkedCount), "last-success-at": time(destination.lastSuccessAt),
            "last-failure-at": time(destination.lastFailureAt), "last-failure": .string(destination.lastFailure),
            "failures-in-a-row": .integer(destination.failureRun), "position": .string(String(destination.cursor.id)),
        ])
    }
}
