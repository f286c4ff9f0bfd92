import ArgumentParser
import Attribution
import AttributionConsole
import AttributionIngest
import AttributionReports
import AttributionServer
import AttributionSigning
import AttributionStore
import Foundation

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring past postbacks into a store, with the times at which they were received.",
        discussion: """
            Every postback is verified as if received now, counts once, and is kept in quarantine when it does \
            not verify. It reads NDJSON (also of skan export --bodies), JSON arrays, CSV with a header, and access logs \
            of nginx and Apache in which the body is logged. The time of receipt is a member or column (received-at, \
            received, timestamp, time and others), or the time of the log.

            The store records how far each file was read: a stopped import continues, a repeated one changes nothing, \
            and of a file that has grown only the rest is read. For standard input nothing is recorded. The store is \
            created if there is none. A server that has a file open must be stopped first, except for --impressions and \
            --spend, which it takes itself; beside nodes on PostgreSQL everything may be imported.

            --known-ids reserves the ids of postbacks that were counted elsewhere, as CSV or NDJSON with ad-network-id, \
            transaction-id and postback-sequence-index: they never count, and neither do the repeats that devices send \
            for nine days after a cut-over. Import bodies first: an id that was claimed does not count any more.

            --impressions adds up a file of skan serve --counts, each of its lines once, while a server may go on \
            writing it. --spend records what ads cost, all of a file or nothing: CSV or NDJSON with date (UTC), \
            ad-network-id, app-id, campaign-id or source-identifier (two to four digits) or both, currency, and amount. \
            A row is the whole amount of a day, campaign and currency: the same once more changes nothing, and another \
            one is refused without --replace. A running server takes a file of about 200,000 rows (32 MiB) at once. \
            skan report costs shows both, and with --test those of --test-ads.

            A last line of CSV that does not end with a newline may be cut off, and is not used: it is named and left \
            for the next import. A file of --spend with one is refused as a whole. So is any CSV that ends within its \
            header, or whose rows do not end with newlines.

            Ends with status 0 when every record was used or read before, 1 when some were not, 2 when it could not be \
            done. The first import of a record reports what became of it; later ones only say that it was read before, \
            and --again reads it once more.

            EXAMPLE
              skan import --store skan.sqlite access.log postbacks.csv
              skan import --store skan.sqlite --known-ids ids.csv
              skan import --store skan.sqlite --impressions counts.ndjson --spend spend.csv
            """
    )

    @OptionGroup var store: StoreOption

    @Argument(help: "Files; - for standard input.", completion: .file())
    var files: [String] = []

    @Option(
        name: .customLong("known-ids"), parsing: .singleValue,
        help: "A file with ids of postbacks that were counted elsewhere; may be repeated.", completion: .file())
    var knownIDs: [String] = []

    @Option(
        parsing: .singleValue, help: "A file of skan serve --counts; may be repeated.",
        completion: .file())
    var impressions: [String] = []

    @Option(
        parsing: .singleValue, help: "A file of what ads cost; may be repeated.", completion: .file())
    var spend: [String] = []

    @Flag(help: "Let the amounts of --spend replace others of the same day, campaign and currency.")
    var replace = false

    @Flag(help: "Count --impressions and --spend as those of test ads, which the real figures never include.")
    var testAds = false

    @Option(help: "When all of it was received: a time of UTC, or a day.")
    var received: String?

    @Option(help: "The member or column with the time of receipt.")
    var receivedField: String?

    @Option(help: "The member or column with the body, or the path to it, as message.data.")
    var bodyField: String?

    @Option(help: "Whose copies these are, if a record does not say so: network or developer.")
    var recipient: Delivery.Recipient = .network

    @Option(help: "ndjson, json, csv or log (default: detected).")
    var input: ImportInput?

    @Option(
        name: .customLong("network"), parsing: .singleValue,
        help: "Ad network id that is ours; may be repeated (default: those of the last server).")
    var networks: [String] = []

    @Flag(help: "Read files from their beginning, also those that were imported before.")
    var again = false

    @OptionGroup var postbackKeys: PostbackKeyOptions

    func validate() throws {
        guard [files, knownIDs, impressions, spend].contains(where: { !$0.isEmpty }) else {
            throw ValidationError("expected FILE, --known-ids FILE, --impressions FILE or --spend FILE")
        }
        guard !replace || !spend.isEmpty else {
            throw ValidationError("--replace is for amounts: --spend FILE --replace")
        }
        guard !testAds || !(impressions + spend).isEmpty else {
            throw ValidationError("--test-ads is for figures of ads: --impressions FILE or --spend FILE")
        }
    }

    func run() async throws {
        let given = try postbackKeys.verifier()
        let options = try options()
        for network in networks {
            _ = try AdNetworkID.ofSetting(network, field: "network")
        }
        // What cannot be read is refused before a store is made.
        let ids = try open(knownIDs, as: nil)
        let bodies = try open(files, as: input)
        let counts = try open(impressions, as: .ndjson)
        let amounts = try CostImports.read(try open(spend, as: input))
        let ads = testAds ? AdTraffic.test : .real
        let ledger: any LedgerImporting
        do {
            ledger = try owner()
        } catch StoreError.inUse(let path) {
            guard bodies.isEmpty, ids.isEmpty else {
                throw CommandFailure(
                    "a server or another command has the store \(path), and importing needs it alone",
                    hint: "stop the server, import, and start it again: devices repeat what is not answered for nine "
                        + "days; --impressions and --spend without postbacks and ids need no stop")
            }
            let owner = OwnerClient(store: try StoreOwnership(try store.location).store)
            return try await importCosts(counts, amounts, CostImports(by: owner, of: ads))
        }
        let isWhole: Bool
        do {
            try ledger.keep(given.added)
            let reader = try ledger.makeReader()
            defer { reader.close() }
            let verifier = try await given.remembering(reader)
            let areIDsWhole = try claim(ids, ledger)
            let areBodiesWhole = try await record(
                bodies, Importer(ledger: ledger, verifier: verifier, options: options, startsOver: again))
            let costs = CostImports(into: ledger, of: ads)
            let areCountsWhole = try await costs.add(counts)
            try await costs.record(amounts, replaces: replace)
            isWhole = areIDsWhole && areBodiesWhole && areCountsWhole
        } catch {
            Terminal.progress("")
            _ = try? ledger.close()
            throw error
        }
        if case .logLeft(let reason) = try ledger.close() {
            Terminal.say("skan: warning: the newest of \(ledger.name) is in \(ledger.name)-wal: \(reason)")
        }
        if !isWhole {
            throw ExitStatus.negative
        }
    }

    /// Has the process that has the store open record figures of ads.
    private func importCosts(_ counts: [ImportFile], _ amounts: [SpendFile], _ costs: CostImports) async throws {
        let areCountsWhole: Bool
        do {
            areCountsWhole = try await costs.add(counts)
            try await costs.record(amounts, replaces: replace)
        } catch {
            Terminal.progress("")
            throw error
        }
        Terminal.say("skan: done by the process that has the store open")
        if !areCountsWhole {
            throw ExitStatus.negative
        }
    }

    private func options() throws -> ImportOptions {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        // A day more: the clock that wrote the file may be ahead.
        var options = ImportOptions(recipient: recipient, latest: now + 86_400_000)
        if let received {
            let moment = try Moment(received, field: "--received").milliseconds
            guard (ReceiptTime.earliest...options.latest).contains(moment) else {
                throw CommandFailure("--received: found \(received), expected a time from 2018 until now")
            }
            options.received = moment
        }
        options.receivedField = receivedField
        options.bodyField = bodyField
        return options
    }

    private func open(_ names: [String], as input: ImportInput?) throws -> [ImportFile] {
        try names.map { try ImportFile($0, as: input) }
    }

    private func owner() throws -> any LedgerImporting {
        try store.location.makeWriter(
            settings: LedgerSettings(networks: networks.isEmpty ? nil : OwnNetworks(networks)),
            onEvent: { event in
                // The summary has their sum.
                if case .notKept = event {
                    return
                }
                StoreOwnership.say(event)
            })
    }

    /// Claims the ids of files, and returns whether every record was used.
    private func claim(_ files: [ImportFile], _ ledger: any LedgerImporting) throws -> Bool {
        var isWhole = true
        for file in files {
            let tally = try KnownIDs.claim(file, in: ledger, onProgress: Terminal.progress)
            Terminal.progress("")
            Terminal.write("\(file.name): \(tally.total) ids known, \(tally.claimed) of them new\n")
            if let unfinished = tally.unfinished {
                file.warn(of: [unfinished], count: 1)
                isWhole = false
            }
        }
        return isWhole
    }

    /// Imports the files one after the other, and says what became of each.
    private func record(_ files: [ImportFile], _ importer: Importer) async throws -> Bool {
        var all = ImportTally()
        for file in files {
            let tally = try await importer.run(file, onProgress: Terminal.progress)
            Terminal.progress("")
            Terminal.write("\(file.name): \(tally)\n")
            file.warn(of: tally.problems, count: tally[.unreadable] + tally[.notKept])
            all += tally
        }
        if files.count > 1 {
            Terminal.write("all: \(all)\n")
        }
        if all.quarantined > 0 {
            Terminal.finish()
            Terminal.say("skan: warning: quarantined postbacks are kept, and not counted")
            Terminal.say(
                "skan: hint: skan quarantine list shows why; requeue counts those that verify under further keys")
        }
        if all[.notKept] > 0 {
            Terminal.finish()
            Terminal.say("skan: warning: \(all[.notKept]) bodies were not kept, and are nowhere but in their files")
            Terminal.say(
                "skan: hint: with the key (--trust-test-key) or the release that verifies them, requeue what is in "
                    + "quarantine, and then import the files with --again: every postback counts once, and what is no "
                    + "recorded copy is counted as a delivery once more")
        }
        return all.isWhole
    }
}

extension ImportFile {
    /// Names the first of the records that could not be used, and says how many more there are.
    func warn(of problems: [ImportProblem], count: Int) {
        Terminal.finish()
        for problem in problems {
            Terminal.say("skan: warning: \(name), \(recordName) \(problem.number): \(problem.reason)")
        }
        if count > problems.count {
            Terminal.say("skan: warning: \(name): \(count - problems.count) more")
        }
    }
}

extension ImportInput: ExpressibleByArgument {}

extension Delivery.Recipient: ExpressibleByArgument {}
