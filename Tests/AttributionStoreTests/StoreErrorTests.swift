import AttributionStore
import CodedErrors
import Testing

@Suite("Errors of a store")
struct StoreErrorTests {
    static let errors: [(StoreError, message: String, hint: String?)] = [
        (.missing(path: "s"), "there is no store at s", "skan serve --store s"),
        (.noFolder(path: "f/s", folder: "f"), "the folder f of the store f/s does not exist", "mkdir f"),
        (.inUse(path: "s"), "another process has the store s", "stop it first, or name another store"),
        (.newerSchema(path: "s"), "the store s was written by a later release of skan", "use that release"),
        (
            .missingTable(path: "s", table: "postback", isRecreated: false),
            "the store s: its table postback is missing, and with it when and for whom each postback came",
            "restore a backup"
        ),
        (
            .missingTable(path: "s", table: "owner", isRecreated: false), "the store s: its table owner is missing",
            "restore a backup"
        ),
        (
            .missingTable(path: "s", table: "quarantine", isRecreated: true),
            "the store s: its table quarantine is missing, and with it all bodies that were not counted",
            "skan recount --repair --store s"
        ),
        (
            .linked(path: "/f/s", names: 2, folder: "/"),
            "/f/s has 2 names (hard links), and what is recorded under one would be missing under another; remove all "
                + "but one",
            "find / -xdev -samefile /f/s"
        ),
        (
            .emptyDatabase(path: "p"), "the database p holds no store",
            "check the name of the database; skan migrate --store p makes a new store in it"
        ),
        (
            .notMigrated(path: "p", found: 5, needed: 6), "the tables of p are of version 5, and this release needs 6",
            "skan migrate --store p"
        ),
        (
            .notMigrated(path: "p", found: nil, needed: 1),
            "p has no tables of a store, and this role may not make them", "skan migrate --store p"
        ),
        (
            .failed(path: "s", .damaged), "the store s: it is damaged",
            "restore a backup, or read what is left into a new store: BackupAndRestore.md says how"
        ),
        (
            .damaged(path: "s", problem: "Page 7: it is not"), "the store s: it is damaged: Page 7: it is not",
            "restore a backup, or read what is left into a new store: BackupAndRestore.md says how"
        ),
        (.failed(path: "s", .connectionLost), "the store s: the connection to the server broke", nil),
    ]

    @Test("What is wrong and what to do are two texts, over HTTP and on the command line", arguments: errors)
    func parts(_ error: StoreError, _ message: String, _ hint: String?) {
        #expect(error.message == message)
        #expect(error.hint == hint)
        #expect(error.description == [message, hint].compactMap(\.self).joined(separator: "; "))
    }

    static let remarks: [(StoreError, String)] = [
        (
            .missingTable(path: "s", table: "quarantine", isRecreated: true),
            "the table quarantine is missing; postbacks are still recorded, but no other bodies are kept; "
                + "run: skan recount --repair"
        ),
        (
            .missingTable(path: "s", table: "postback", isRecreated: true),
            "the table postback is missing; nothing can be recorded; stop the server, then run: skan recount --repair"
        ),
        (
            .missingTable(path: "s", table: "postback", isRecreated: false),
            "the table postback is missing; nothing can be recorded; restore a backup"
        ),
        (
            .linked(path: "/f/s", names: 3, folder: "/"),
            "the store has 3 names (hard links), and no command opens it until all but one are removed"
        ),
    ]

    @Test("To anyone who asks for readiness, what is wrong is said without the path", arguments: remarks)
    func remark(_ error: StoreError, _ remark: String) {
        #expect(error.remark == remark)
    }

    @Test("A store that is not ready says what to do, too")
    func health() {
        let health = StoreHealth(.readOnly)
        #expect(health.reason == "it is not writable")
        #expect(health.hint?.contains("owner and mode") == true)
        #expect(StoreHealth.fenced.hint != nil && StoreHealth.ready.hint == nil)
    }
}
