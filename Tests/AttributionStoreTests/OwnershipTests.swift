import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import TestSupport
import Testing

@Suite("The one owner of a store")
struct OwnershipTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private var folder: String {
        URL(fileURLWithPath: store.path).deletingLastPathComponent().path
    }

    private func delivery(_ id: String) throws -> Delivery {
        try postbacks.delivery(postbacks.draft(id: id))
    }

    @Test(
        "No other path to the file lets a second owner in",
        arguments: ["symbolic link", "hard link", "link to the folder", "detour"])
    func otherNames(_ kind: String) throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        _ = try owner.record([delivery("a")])
        let name = folder + "/other.sqlite"
        let other: String
        switch kind {
        case "symbolic link":
            try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: store.path)
            other = name
        case "hard link":
            try FileManager.default.linkItem(atPath: store.path, toPath: name)
            other = name
        case "link to the folder":
            try FileManager.default.createSymbolicLink(atPath: folder + "/folder", withDestinationPath: folder)
            other = folder + "/folder/skan.sqlite"
        default:
            other = folder + "/../" + URL(fileURLWithPath: folder).lastPathComponent + "/skan.sqlite"
        }
        #expect(throws: StoreError.self) { try SQLiteLedgerWriter(path: other) }
        #expect(try owner.record([delivery("b")]) == [.recorded(.test)])
        // The refused owner left no lock file and no second log.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("other") }
        #expect(names.allSatisfy { $0 == "other.sqlite" })
    }

    @Test(
        "A store behind a symlink is made where the link leads, with its files beside it",
        arguments: ["far/a.sqlite", "@/far/a.sqlite", "next"])
    func danglingLink(_ target: String) throws {
        let far = folder + "/far"
        try FileManager.default.createDirectory(atPath: far, withIntermediateDirectories: true)
        for (name, target) in [("next", "far/a.sqlite"), ("link.sqlite", target)] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/\(name)", withDestinationPath: target.replacing("@", with: folder))
        }
        let link = folder + "/link.sqlite"
        #expect(try SQLiteLedgerWriter.check(link) == nil)
        let owner = try SQLiteLedgerWriter(path: link)
        #expect(try owner.record([delivery("a")]) == [.recorded(.test)])
        #expect(owner.path.hasSuffix("/far/a.sqlite"))
        #expect(try SQLiteLedgerReader(link).path == owner.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: far).contains("a.sqlite-wal"))
        try owner.close()
        try FileManager.default.removeItem(atPath: far)
        let problem = try #require(throws: StoreError.self) { try SQLiteLedgerWriter.check(link) }
        guard case .noFolder(link, let missing) = problem else {
            Issue.record("\(problem)")
            return
        }
        #expect(missing.hasSuffix("/far"))
        #expect(throws: problem) { try SQLiteLedgerWriter(path: link) }
    }

    @Test("A path through links in a circle is no store, and no missing folder")
    func circle() throws {
        let path = folder + "/circle"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "circle")
        let problem = #expect(throws: StoreError.self) { try SQLiteLedgerWriter.check(path) }
        guard case .cannotOpen(path, let reason)? = problem else {
            Issue.record("\(problem as Any)")
            return
        }
        #expect(reason.hasPrefix("Too many levels"))
    }

    @Test("The kernel's lock on the file keeps another process out until the close")
    func otherProcess() throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        #expect(try flock() == "taken")
        try owner.close()
        #expect(try flock() == "free")
    }

    /// Tries to lock the file from another process.
    private func flock() throws -> String {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["--nonblock", store.path, "true"]
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "free" : "taken"
    }

    @Test("A store that is deallocated without being closed releases its lease")
    func dropped() throws {
        do {
            let owner = try SQLiteLedgerWriter(path: store.path)
            _ = try owner.record([delivery("a")])
        }
        #expect(try SQLiteLedgerWriter(path: store.path).record([delivery("a")]) == [.duplicate(.test)])
    }

    static let takeovers: [(name: String, sql: String)] = [
        ("another process raised the epoch", "UPDATE owner SET epoch = epoch + 1"),
        (
            "another process recorded",
            """
            CREATE TEMP TABLE copy AS SELECT * FROM postback WHERE id = 1;
            UPDATE copy SET id = 2; INSERT INTO postback SELECT * FROM copy
            """
        ),
        ("another process took a row away", "DELETE FROM postback WHERE id = 1"),
    ]

    @Test("An owner replaced in spite of its lease stops writing", arguments: takeovers)
    func fence(_ takeover: (name: String, sql: String)) throws {
        let events = Events()
        let owner = try SQLiteLedgerWriter(path: store.path, onEvent: events.note)
        _ = try owner.record([delivery("a")])
        try SQLite.execute(takeover.sql, store.path)
        #expect(throws: StoreError.fenced(path: owner.path)) { try owner.record([delivery("b")]) }
        #expect(owner.health == .fenced)
        #expect(events.messages.count == 1)
        let log = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal"))
        owner.heartbeat()
        #expect(throws: StoreError.fenced(path: owner.path)) { try owner.record([delivery("c")]) }
        #expect(throws: StoreError.fenced(path: owner.path)) { try owner.prune(QuarantineQuery()) }
        #expect(try owner.close() == .abandoned)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal")) == log)
        #expect(
            try SQLite.query("SELECT count(*) FROM postback_body WHERE instr(body, '\"b\"') > 0", store.path) == "0")
    }

    @Test("File systems whose locks do not exclude other machines are recognised by their magic number")
    func fileSystems() {
        // Numbers of statfs(2): tmpfs, overlayfs, ext4, btrfs, xfs and zfs hold stores.
        for magic: UInt32 in [0x0102_1994, 0x794C_7630, 0xEF53, 0x9123_683E, 0x5846_5342, 0x2FC1_2FC1, 0] {
            #expect(FileSystemKind(magic: magic)?.rawValue == nil)
        }
        let remote: [UInt32: String] = [
            0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "SMB", 0xFE53_4D42: "SMB", 0x00C3_6400: "Ceph",
            0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x0102_1997: "9p",
        ]
        for (magic, name) in remote {
            #expect(FileSystemKind(magic: magic)?.rawValue == name)
        }
    }

    @Test("Another program's file is refused before SQLite opens it, and stays unchanged")
    func foreignFile() throws {
        try SQLite.execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)", store.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: store.path))
        #expect(throws: StoreError.foreignDatabase(path: store.path)) { try SQLiteLedgerWriter(path: store.path) }
        #expect(throws: StoreError.foreignDatabase(path: store.path)) { try SQLiteLedgerReader(store.path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["skan.sqlite"])
    }

    @Test("An empty file with a log that is not empty is refused, because a new store would delete the log")
    func truncated() throws {
        let path = store.path
        try Data().write(to: URL(fileURLWithPath: path))
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + "-wal"))
        #expect(throws: StoreError.logWithoutStore(path: path)) { try SQLiteLedgerWriter(path: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == Data([1, 2, 3]))
    }

    @Test("A store with a later schema is refused, and so is a file of web ads")
    func otherSchemas() throws {
        try SQLiteLedgerWriter(path: store.path).close()
        try SQLite.execute("PRAGMA user_version = 3", store.path)
        try SQLite.execute("PRAGMA wal_checkpoint(TRUNCATE)", store.path)
        #expect(throws: StoreError.newerSchema(path: store.path)) { try SQLiteLedgerWriter(path: store.path) }
        let webAds = SQLiteWebAdLedger.path(besideStore: store.path)
        try SQLiteWebAdLedger(path: webAds).close()
        #expect(throws: StoreError.foreignDatabase(path: webAds)) { try SQLiteLedgerWriter(path: webAds) }
    }

    @Test("The file itself has its application id from the first commit on")
    func mark() throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        let header = try Data(contentsOf: URL(fileURLWithPath: store.path))
        #expect(Array(header[68..<72]) == Array("skan".utf8))
        _ = owner.health
    }

    @Test("Reading a store does not modify it, whether or not it has an owner")
    func reading() async throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        _ = try owner.record([delivery("a")])
        for isOwned in [true, false] {
            if !isOwned {
                try owner.close()
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: store.path))
            let reader = try SQLiteLedgerReader(store.path)
            #expect(try await reader.answer(LedgerQuestion()).deliveries.received == 1)
            let verifier = postbacks.verifier
            #expect(try await reader.recount { verifier.judge($0) }.differences == [])
            reader.close()
            #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == before)
        }
    }

    @Test("A close leaves one complete file, which can be copied")
    func wholeFile() async throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        for batch in 0..<20 {
            _ = try owner.record(try (0..<20).map { try delivery("\(batch)-\($0)") })
        }
        #expect(try owner.close() == .whole)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["skan.sqlite"])
        let copy = folder + "/copy.sqlite"
        try FileManager.default.copyItem(atPath: store.path, toPath: copy)
        let verifier = postbacks.verifier
        let recount = try await SQLiteLedgerReader(copy).recount { verifier.judge($0) }
        #expect(recount.postbacks == 400 && recount.differences == [])
    }

    /// A process that has the store open and has read it.
    private func reader(_ sql: String) throws -> (ChildProcess, FileHandle) {
        let reader = ChildProcess()
        let (input, output) = (Pipe(), Pipe())
        reader.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        reader.arguments = [store.path]
        reader.standardInput = input
        reader.standardOutput = output
        try reader.run()
        try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
        _ = output.fileHandleForReading.availableData
        return (reader, input.fileHandleForWriting)
    }

    @Test("After a reader outlives an owner, the next owner does not mistake its log for damaged")
    func readerOutlivesOwner() throws {
        do {
            let owner = try SQLiteLedgerWriter(path: store.path)
            _ = try owner.record([delivery("a")])
            _ = try owner.record([delivery("b")])
        }
        let (process, input) = try reader("SELECT count(*) FROM postback;")
        do {
            // The index of the log exists, so this owner has nothing to recover.
            let owner = try SQLiteLedgerWriter(path: store.path)
            for id in ["c", "d", "e"] {
                #expect(try owner.record([delivery(id)]) == [.recorded(.test)])
            }
        }
        let next = try SQLiteLedgerWriter(path: store.path)
        for id in ["f", "g", "h"] {
            #expect(try next.record([delivery(id)]) == [.recorded(.test)])
        }
        #expect(next.health == .ready)
        try input.close()
        process.waitUntilExit()
    }

    @Test("A close delayed by a reader reports that the log is left, and nothing is lost")
    func logLeft() throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        _ = try owner.record([delivery("a")])
        let (process, input) = try reader("BEGIN; SELECT count(*) FROM postback;")
        _ = try owner.record([delivery("b")])
        guard case .logLeft = try owner.close() else {
            Issue.record("the log was moved under a reader")
            return
        }
        try input.close()
        process.waitUntilExit()
        #expect(try SQLiteLedgerWriter(path: store.path).record([delivery("b")]) == [.duplicate(.test)])
    }

    @Test("A check creates nothing, says whether there is an owner, and keeps no lease")
    func check() throws {
        #expect(try SQLiteLedgerWriter.check(store.path) == nil)
        #expect(!FileManager.default.fileExists(atPath: store.path))
        let owner = try SQLiteLedgerWriter(path: store.path)
        #expect(try SQLiteLedgerWriter.check(store.path)?.isOwned == true)
        try owner.close()
        for _ in 0..<2 {
            #expect(try SQLiteLedgerWriter.check(store.path)?.isOwned == false)
        }
        try SQLiteLedgerWriter(path: store.path).close()
        #expect(throws: StoreError.foreignDatabase(path: store.path)) { try SQLiteWebAdLedger.check(store.path) }
    }
}
