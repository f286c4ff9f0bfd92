import ArgumentParser
import AttributionServer
import AttributionStore
import PostgreSQLStore
import SQLiteStore

struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a store into another one, in a file or a database, while it keeps receiving.",
        discussion: """
            What was copied is kept in the target: a copy that was stopped goes on where it was, and one that is repeated \
            takes over what has come since. The target has to be new; once a copy has begun, servers may record into it \
            too. At the end everything that was copied is read again in the target, and its checksum compared. A database needs \
            the role that owns its tables.

            To move: copy while the server runs, then stop it, copy once more with --source-stopped, which takes a moment, \
            and start servers on the target. Both stores answer every report alike then. Web ads are copied by this last \
            copy alone, because each is answered once. A file that a server has open does not count as stopped.

            Ends with status 0 when all of it was copied, 1 when some postbacks or deliveries in \
            quarantine cannot be read, or have bytes that are not their own, 2 when it could not \
            be done. A copy never comes back to postbacks that it left out: repair a damaged source first \
            (skan recount --repair).

            EXAMPLE
              skan store copy skan.sqlite postgresql://skan_owner@db1,db2/skan
              skan store copy skan.sqlite postgresql://skan_owner@db1,db2/skan --source-stopped
            """
    )

    @Argument(help: "The store to copy: a file, or postgresql://HOST/DATABASE.", completion: .file())
    var from: String

    @Argument(help: "The store to copy into: a file, or postgresql://HOST/DATABASE.", completion: .file())
    var to: String

    @Flag(help: "The source no longer receives or answers: copy its web ads too.")
    var sourceStopped = false

    func run() async throws {
        let (source, target) = (try StoreLocation(from), try StoreLocation(to))
        guard source.name != target.name else {
            throw LedgerCopyError.same(path: source.name)
        }
        let reader = try source.makeCopySource()
        defer { reader.close() }
        let hold = sourceStopped ? try source.holdStopped() : nil
        defer { hold?.release() }
        // A database is reached by its first question; where it holds no store, the target is not made.
        _ = try await reader.knownIDs(among: [])
        let sourceAds = sourceStopped ? try source.makeWebAds(makesFile: false) : nil
        defer { _ = try? sourceAds?.close() }
        let writer = try Self.makeTarget(target)
        defer { writer.close() }
        let summary: LedgerCopier.Summary
        do {
            summary = try await LedgerCopier(from: reader, to: writer.target, named: target.name) { count in
                Terminal.progress("\(count) postbacks")
            }.run()
        } catch {
            Terminal.progress("")
            throw error
        }
        Terminal.progress("")
        Terminal.write(
            "copied \(summary.postbacks) postbacks and \(summary.quarantined) deliveries in quarantine to "
                + "\(target.name), and read all \(summary.all - summary.dropped) postbacks there again\n")
        if summary.dropped > 0 {
            Terminal.say("the bytes of \(summary.dropped) more were dropped there since they were copied")
        }
        if let sourceAds {
            try await copy(sourceAds, to: target)
        }
        if let position = summary.position {
            Terminal.say("copied up to \(position); copy again for what came since")
        }
        if !summary.leftInQuarantine.isEmpty {
            Terminal.say(
                "skan: warning: \(summary.leftInQuarantine.count) deliveries in quarantine cannot be copied, because they "
                    + "or the postbacks they contradict cannot be read; copies made before stay: "
                    + Self.names(summary.leftInQuarantine, of: summary.leftInQuarantine.count)
                    + "; skan recount --store \(source.name) says more")
        }
        if summary.areCountsIncomplete {
            Terminal.say(
                "skan: warning: some counts of deliveries cannot be read, and were left out; copy once more after: "
                    + "skan recount --store \(source.name) --repair")
        }
        if summary.areCopiesIncomplete {
            Terminal.say(
                "skan: warning: some copies for other recipients cannot be read, and were left out; only the report of "
                    + "deliveries counts them; what is left is whole after: skan recount --store \(source.name) --repair"
            )
        }
        if summary.lost > 0 {
            let names =
                summary.leftOut.isEmpty
                ? "" : ", in this run " + Self.names(summary.leftOut, of: Int(clamping: summary.leftOutCount))
            Terminal.say(
                "skan: warning: \(summary.lost) postbacks were left out\(names): they cannot be read, or their bytes are "
                    + "gone or those of another one; no copy into \(target.name) comes back to them; repair the source, "
                    + "and copy it into a new store: skan recount --store \(source.name) --repair")
        }
        if summary.lost > 0 || summary.areCountsIncomplete || summary.areCopiesIncomplete
            || !summary.leftInQuarantine.isEmpty
        {
            throw ExitStatus.negative
        }
    }

    /// The first few of some ids.
    private static func names(_ ids: [Int64], of count: Int) -> String {
        let named = ids.prefix(LedgerCopier.Summary.mostNamed)
        return named.map { "\($0)" }.joined(separator: ", ") + (count > named.count ? ", …" : "")
    }

    private func copy(_ ads: any WebAdCopying, to target: StoreLocation) async throws {
        guard let copies = try target.makeWebAds(makesFile: true) else {
            return
        }
        defer { _ = try? copies.close() }
        Terminal.write("copied \(try await copies.copyAll(from: ads)) web ads\n")
    }

    /// The target, and how it is closed.
    private static func makeTarget(
        _ location: StoreLocation
    ) throws -> (target: any LedgerCopyTarget, close: () -> Void) {
        switch location {
        case .file(let path):
            let writer = try SQLiteLedgerWriter(path: path, onEvent: StoreOwnership.say)
            return (writer, { _ = try? writer.close() })
        case .database(let address):
            return (try PostgreSQLCopyTarget(address), {})
        }
    }
}
