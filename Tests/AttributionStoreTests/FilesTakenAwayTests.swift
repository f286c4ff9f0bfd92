import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Synchronization
import Testing

@Suite("Files lost under an owner")
struct FilesTakenAwayTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    /// A change to the files, the loss that the owner reports, and where the acknowledged rows are afterwards.
    struct FileChange: Sendable, CustomTestStringConvertible {
        let name: String
        let loss: StoreLoss
        let saved: Saved
        let apply: @Sendable (String) throws -> Void

        enum Saved: Sendable {
            /// In a copy beside it.
            case inCopy
            /// In the store as of its last checkpoint.
            case checkpointed
        }

        var testDescription: String { name }
    }

    private static func remove(_ paths: String...) throws {
        for path in paths {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private static func truncate(_ path: String, to size: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: size)
        try file.close()
    }

    static let changes: [FileChange] = [
        FileChange(name: "rm store and log", loss: .storeMoved, saved: .inCopy) {
            try remove($0, $0 + "-wal", $0 + "-shm")
        },
        FileChange(name: "rm store", loss: .storeMoved, saved: .inCopy) { try remove($0) },
        FileChange(name: "mv store", loss: .storeMoved, saved: .inCopy) {
            try FileManager.default.moveItem(atPath: $0, toPath: $0 + ".away")
        },
        FileChange(name: "another file in place of the store", loss: .storeMoved, saved: .inCopy) {
            try remove($0)
            try Data("theirs".utf8).write(to: URL(fileURLWithPath: $0))
        },
        FileChange(name: "rm log", loss: .logMoved, saved: .inCopy) { try remove($0 + "-wal") },
        FileChange(name: "mv log", loss: .logMoved, saved: .inCopy) {
            try FileManager.default.moveItem(atPath: $0 + "-wal", toPath: $0 + "-away")
        },
        FileChange(name: "truncate log", loss: .logTruncated, saved: .checkpointed) {
            try truncate($0 + "-wal", to: 0)
        },
        FileChange(name: "truncate log behind its header", loss: .logTruncated, saved: .checkpointed) {
            try truncate($0 + "-wal", to: 32)
        },
        FileChange(name: "truncate store", loss: .storeTruncated, saved: .checkpointed) { try truncate($0, to: 4_096) },
    ]

    @Test("Nothing more is acknowledged, and everything that can be saved is", arguments: changes)
    func takenAway(_ change: FileChange) async throws {
        let events = Events()
        let owner = try SQLiteLedgerWriter(path: store.path, onEvent: events.note)
        _ = try owner.record(try (0..<20).map { try postbacks.delivery(postbacks.draft(id: "\($0)")) })
        try change.apply(store.path)
        let after = [try postbacks.delivery(postbacks.draft(id: "late"))]
        #expect(throws: StoreError.lost(path: owner.path, change.loss)) { try owner.record(after) }
        #expect(owner.health == .lost(change.loss))
        #expect(throws: StoreError.self) { try owner.record(after) }
        #expect(try owner.close() == .abandoned)
        #expect(events.messages.count == 1)
        let message = try #require(events.messages.first)
        switch change.saved {
        case .inCopy:
            let folder = URL(fileURLWithPath: store.path).deletingLastPathComponent()
            let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.contains(".rescued-") }
            #expect(copies.count == 1)
            try await expectWhole(folder.appendingPathComponent(copies.first ?? "").path)
        case .checkpointed:
            #expect(message.contains("restore a backup"))
            guard change.loss == .logTruncated else {
                return
            }
            // The rows came after the last checkpoint, so the store does not have them.
            #expect(try afterTheEnd("SELECT count(*) FROM postback; PRAGMA integrity_check") == "0\nok")
        }
    }

    /// Reads the files as a crash would leave them, without the index that the connections still share.
    private func afterTheEnd(_ sql: String) throws -> String {
        let copy = store.path + ".left"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copy + suffix)
        }
        return try SQLite.query(sql, copy)
    }

    private func expectWhole(_ path: String) async throws {
        let verifier = postbacks.verifier
        let recount = try await SQLiteLedgerReader(path).recount { verifier.judge($0) }
        #expect(recount.postbacks == 20 && recount.differences == [])
    }

    @Test("An owner without traffic notices it too", arguments: [changes[1], changes[4], changes[7]])
    func idle(_ change: FileChange) throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        _ = try owner.record([try postbacks.delivery(postbacks.draft(id: "a"))])
        try change.apply(store.path)
        owner.heartbeat()
        #expect(owner.health == .lost(change.loss))
    }

    @Test("A system that says nothing of the files fails the store for now: nothing is lost, and it goes on by itself")
    func systemError() throws {
        let events = Events()
        let owner = try SQLiteLedgerWriter(path: store.path, onEvent: events.note)
        let first = try postbacks.delivery(postbacks.draft(id: "a"))
        #expect(try owner.record([first]) == [.recorded(.test)])
        // A symlink to itself can neither be followed nor be said to be missing.
        let log = store.path + "-wal"
        try FileManager.default.moveItem(atPath: log, toPath: log + "-away")
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log)
        let second = try postbacks.delivery(postbacks.draft(id: "b"))
        #expect(throws: StoreError.failed(path: owner.path, .input(code: ELOOP))) { try owner.record([second]) }
        #expect(owner.health == StoreHealth(.input(code: ELOOP)))
        owner.heartbeat()
        #expect(owner.health == StoreHealth(.input(code: ELOOP)))
        try Self.remove(log)
        try FileManager.default.moveItem(atPath: log + "-away", toPath: log)
        owner.heartbeat()
        #expect(owner.health == .ready && events.messages.isEmpty)
        #expect(try owner.record([first, second]) == [.duplicate(.test), .recorded(.test)])
        #expect(try owner.close() == .whole)
    }

    @Test("A log that is emptied within a transaction ends it before its commit, which would write zeros for frames")
    func emptiedBeforeCommit() throws {
        let log = store.path + "-wal"
        let isEmptied = Mutex(false)
        // The time is asked for within the transaction.
        let owner = try SQLiteLedgerWriter(path: store.path) {
            if isEmptied.withLock({ $0 }) {
                try? Self.truncate(log, to: 0)
            }
            return Postbacks.noon
        }
        #expect(try owner.record([postbacks.delivery(postbacks.draft(id: "a"))]) == [.recorded(.test)])
        isEmptied.withLock { $0 = true }
        #expect(throws: StoreError.lost(path: owner.path, .logTruncated)) {
            try owner.record([postbacks.delivery(postbacks.draft(id: "b"))])
        }
        #expect(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int == 0)
    }

    @Test("No new store is made beside a copy that was rescued, until the copy is in its place")
    func besideRescued() throws {
        let owner = try SQLiteLedgerWriter(path: store.path)
        let first = try postbacks.delivery(postbacks.draft(id: "a"))
        #expect(try owner.record([first]) == [.recorded(.test)])
        try Self.remove(store.path)
        owner.heartbeat()
        #expect(try owner.close() == .abandoned)
        for suffix in ["-wal", "-shm"] {
            try? Self.remove(store.path + suffix)
        }
        let folder = URL(fileURLWithPath: store.path).deletingLastPathComponent()
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.contains(".rescued-") })
        let copy = folder.appendingPathComponent(name).path
        for _ in 0..<2 {
            #expect(throws: StoreError.rescuedBeside(path: store.path, copy: copy)) {
                try SQLiteLedgerWriter(path: store.path)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: store.path))
        try FileManager.default.moveItem(atPath: copy, toPath: store.path)
        #expect(try SQLiteLedgerWriter(path: store.path).record([first]) == [.duplicate(.test)])
    }

    @Test("A store that does not exist is not made when that was asked for, nor is an empty file left")
    func notMade() throws {
        #expect(throws: StoreError.notToBeMade(path: store.path)) {
            try SQLiteLedgerWriter(path: store.path, settings: LedgerSettings(makesStore: false))
        }
        #expect(!FileManager.default.fileExists(atPath: store.path))
        try SQLiteLedgerWriter(path: store.path).close()
        try SQLiteLedgerWriter(path: store.path, settings: LedgerSettings(makesStore: false)).close()
    }

    @Test("The file of web ads is watched too: no nonce is answered from a removed file")
    func webAds() async throws {
        let path = SQLiteWebAdLedger.path(besideStore: store.path)
        let ads = try SQLiteWebAdLedger(path: path)
        try await ads.issue([], at: UnixMilliseconds(rawValue: Postbacks.noon))
        try Self.remove(path)
        await #expect(throws: StoreError.self) {
            try await ads.issue([], at: UnixMilliseconds(rawValue: Postbacks.noon))
        }
        #expect(ads.health == .lost(.storeMoved))
    }
}
