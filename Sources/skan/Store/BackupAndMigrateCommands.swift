import ArgumentParser
import AttributionServer
import AttributionStore
import Foundation
import PostgreSQLStore
import SQLiteStore

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a store in a file and its web ads into new files, with or without a running server.",
        discussion: """
            The copy is a consistent snapshot, checked and on disk before it gets its name; nothing is overwritten. \
            Web ads not yet answered are expired in the copy: after a restore, one tapped later would otherwise be \
            answered twice. To restore, put the files where the store was and start the server. \
            A store in PostgreSQL is backed up by what PostgreSQL has for it: pg_dump or continuous archiving.

            EXAMPLE
              skan backup --store skan.sqlite /backup/skan-2026-11-21.sqlite
            """
    )

    @Option(
        name: [.customLong("store"), .customShort("s")], help: "The store's file (or SKAN_STORE).", completion: .file())
    var store: String?

    @Argument(help: "The new file; web ads go to FILE-web-ads.", completion: .file())
    var file: String

    @Flag(help: "Do not expire unanswered web ads: for moving a store whose server is stopped for good.")
    var keepNonces = false

    func run() throws {
        // Only this user can read the copy until it gets the store's mode.
        umask(0o077)
        let path = try StoreLocation(given: store).path(
            cure: "back a database up with pg_dump, or with continuous archiving: see PostgreSQL.md")
        let backup = try StoreBackup.make(
            of: path, to: file, keepsNonces: keepNonces,
            nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        Terminal.write(
            "copied \(backup.postbacks) postbacks and \(backup.quarantined) deliveries in quarantine to \(backup.path), "
                + "and checked them\n")
        if let ads = backup.webAds {
            Terminal.write("copied \(ads.count) web ads to \(ads.path)")
            Terminal.write(
                keepNonces
                    ? "; unanswered ones can be answered from both files: serve only one of them\n"
                    : "; unanswered, and expired in the copy so that none is answered twice: \(ads.expired)\n")
        }
    }
}

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Make the tables of a store in PostgreSQL, or bring them up to this release.",
        discussion: """
            skan serve does so itself when its role may. Nodes of the previous release keep recording meanwhile.

            EXAMPLE
              skan migrate --store postgresql://skan_owner@db1,db2/skan --check
            """
    )

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store: postgresql://HOST/DATABASE (or SKAN_STORE).")
    var store: String?

    @Flag(help: "Say what would be done, and change nothing: status 1 when there is something to do.")
    var check = false

    func run() throws {
        let location = try StoreLocation(given: store)
        guard case .database(let address) = location else {
            throw CommandFailure(
                "\(location.name) is a file, whose tables its owner looks after",
                hint: "name a database: --store postgresql://HOST/DATABASE")
        }
        let outcome = check ? try SchemaMigrator.check(address) : try SchemaMigrator.migrate(address)
        switch outcome {
        case .current:
            Terminal.write("up to date\n")
        case .migrated(nil, let version):
            Terminal.write("tables \(check ? "missing" : "made"), version \(version)\n")
        case .migrated(.some(let found), let version):
            Terminal.write("tables of version \(found) \(check ? "need" : "brought to") version \(version)\n")
        case .moved:
            Terminal.write(
                "tables came from another cluster; the order of the commits \(check ? "has to go" : "goes") on here\n")
        }
        if check, outcome != .current {
            throw ExitStatus.negative
        }
    }
}
