import ArgumentParser
import AttributionStore
import Foundation

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a store and its web ads into new files, beside a running server or without one.",
        discussion: """
            The copy is as of one moment, checked, and on the disk before it gets its name; nothing is overwritten. Web \
            ads that were not answered yet are expired in the copy: one that is tapped later would otherwise be answered \
            a second time after a restore. To restore, put the files where the store was and start the server.

            EXAMPLE
              skan backup --store skan.sqlite /backup/skan-2026-11-21.sqlite
            """
    )

    @OptionGroup var store: StoreOption

    @Argument(help: "The new file; web ads go into FILE-web-ads.", completion: .file())
    var file: String

    @Flag(help: "Leave unanswered web ads as they are: for moving a store whose server is stopped for good.")
    var keepNonces = false

    func run() throws {
        // Until it has the store's own mode, the copy is this user's alone.
        umask(0o077)
        let backup = try StoreBackup.make(
            of: try store.path, to: file, keepsNonces: keepNonces,
            nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        Terminal.write(
            "copied \(backup.postbacks) postbacks and \(backup.quarantined) deliveries in quarantine to \(backup.path), "
                + "and checked them\n")
        if let ads = backup.webAds {
            Terminal.write("copied \(ads.count) web ads to \(ads.path)")
            Terminal.write(
                keepNonces
                    ? "; those not answered yet can be answered by both files: serve one of them alone\n"
                    : "; \(ads.expired) not answered yet are expired in the copy, so that none is answered twice\n")
        }
    }
}
