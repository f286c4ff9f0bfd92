import Attribution
import AttributionStore
import Testing

@Suite("Errors of a store")
struct StoreErrorTests {
    static let errors: [(StoreError, message: String, hint: String?)] = [
        (.missing(path: "s"), "there is no store at s", "skan serve --store s"),
        (.noFolder(path: "f/s", folder: "f"), "the folder f of the store f/s does not exist", "mkdir f"),
        (
            .rescuedBeside(path: "s", copy: "s.rescued-T"),
            "there is no store at s, but s.rescued-T was saved when it was lost: a new one would count again what is in it",
            "move s.rescued-T to s, and any files at s-wal and s-shm away"
        ),
        (
            .notToBeMade(path: "s"), "there is no store at s, and --no-create was given",
            "restore the store or correct its path; to make a new one, start once without --no-create (SKAN_NO_CREATE)"
        ),
        (.inUse(path: "s"), "another process has the store s", "stop it first, or name another store"),
        (.newerSchema(path: "s"), "the store s was written by a later release of skan", "use that release"),
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
            .damaged(path: "s", problem: "row 1 missing from index a"),
            "the store s: it is damaged: row 1 missing from index a",
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

    @Test("A store that is not ready says what to do, too")
    func health() {
        let health = StoreHealth(.readOnly)
        #expect(health.reason == "it is not writable")
        #expect(health.hint?.contains("owner and mode") == true)
        #expect(StoreHealth.fenced.hint != nil && StoreHealth.ready.hint == nil)
    }

    static let recording: [(StoreHealth, Bool)] = [
        (.ready, true), (.doubtful(reason: "clocks"), true), (StoreHealth(.diskFull), false), (.fenced, false),
        (.lost(.storeMoved), false),
    ]

    @Test("Only a store that records is worth waiting for", arguments: recording)
    func records(_ health: StoreHealth, _ records: Bool) {
        #expect(health.records == records)
    }

    @Test("Work that has not ended for three seconds is a stall; none under way, or one that ended since, is not")
    func progress() {
        let progress = StoreProgress()
        let later = ContinuousClock.now + .seconds(60)
        #expect(progress.stall(at: later) == nil)
        progress.during {
            #expect(progress.stall() == nil)
            #expect(progress.stall(at: later)?.reason?.contains("has not ended for more than 3 seconds") == true)
            progress.during {}
            #expect(progress.stall(at: .now + .milliseconds(2_900)) == nil)
            #expect(progress.stall(at: later)?.records == false)
        }
        #expect(progress.stall(at: later) == nil)
    }
}
