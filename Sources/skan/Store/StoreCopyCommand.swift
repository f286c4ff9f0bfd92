import ArgumentParser
import AttributionIngest
import AttributionServer
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import SQLiteStore

struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a store into another one, in a file or a database, while it keeps receiving.",
        discussion: """
            Every postback is verified again under the key that recorded it, also under keys that were added to Apple's, \
            which the store keeps and which are copied; test postbacks, whose keys the command does \
            not have, are taken over as they are. A copy that was stopped resumes, and one that is repeated takes over \
            what has come since. The target has to be new, and no server may record into it before the last copy. A \
            database needs the role that owns its tables.

            To move: copy while the server runs, then stop it, copy once more with --source-stopped, which takes a moment, \
            and start servers on the target. Counts of deliveries, the quarantine, imported files, signed impressions, \
            spend and web ads come with this last copy alone; both stores answer every report alike then. A file that a \
            server has open does not count as stopped.

            Ends with status 0 when all of it was copied, 1 when some postbacks cannot be read, have no bytes or other \
            ones, or do not verify, 2 when it could not be done. A copy never comes back to postbacks that it left out: \
            repair a damaged source first (skan recount --repair).

            EXAMPLE
              skan store copy skan.sqlite postgresql://skan_owner@db1,db2/skan
              skan store copy skan.sqlite postgresql://skan_owner@db1,db2/skan --source-stopped
            """
    )

    @Argument(help: "The store to copy: a file, or postgresql://HOST/DATABASE.", completion: .file())
    var from: String

    @Argument(help: "The store to copy into: a file, or postgresql://HOST/DATABASE.", completion: .file())
    var to: String

    @Flag(help: "The source no longer receives or answers: copy its sums and web ads too.")
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
        _ = try await reader.export(ExportQuery(traffic: nil, limit: 1))
        let sourceAds = sourceStopped ? try source.makeWebAds(makesFile: false) : nil
        defer { _ = try? sourceAds?.close() }
        var verifier = try PostbackVerifier()
        try? verifier.prepareTables()
        let writer = try Self.makeTarget(target)
        defer { writer.close() }
        let summary: LedgerCopier.Summary
        do {
            let copier = LedgerCopier(
                from: reader, to: writer.target,
                judge: { bodies in
                    // The source may have got another key meanwhile.
                    verifier = try await verifier.remembering(reader)
                    return verifier.judge(bodies)
                },
                onProgress: { Terminal.progress("\($0) postbacks") })
            summary = try await copier.run(isStopped: sourceStopped)
        } catch {
            Terminal.progress("")
            throw error
        }
        Terminal.progress("")
        Terminal.write(
            "copied \(summary.postbacks) postbacks and \(summary.quarantined) deliveries in quarantine to "
                + "\(target.name)\n")
        if let sourceAds, let copies = try target.makeWebAds(makesFile: true) {
            defer { _ = try? copies.close() }
            Terminal.write("copied \(try await copies.copyAll(from: sourceAds)) web ads\n")
        }
        if let position = summary.position {
            Terminal.say("copied up to \(position)" + (sourceStopped ? "" : "; copy again for what came since"))
        }
        if summary.hadEnded {
            Terminal.say("counts and the quarantine are the target's own since the copy with --source-stopped")
        }
        if summary.leftOut > 0 {
            let ids = summary.leftOutIDs.map { "\($0)" }.joined(separator: ", ")
            Terminal.say(
                "skan: warning: \(summary.leftOut) postbacks were left out, the first of them \(ids): they cannot be read, "
                    + "have no bytes or other ones, or do not verify; no copy into \(target.name) comes back to them; "
                    + "repair the source, and copy it into a new store: skan recount --store \(source.name) --repair")
            throw ExitStatus.negative
        }
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
