import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import Testing

@Suite("Files taken away under an owner")
struct FilesTakenAwayTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    /// What is done to the files, what the owner calls it, and where everything acknowledged is afterwards.
    struct Deed: Sendable, CustomTestStringConvertible {
        let name: String
        let loss: StoreLoss
        let saved: Saved
        let doIt: @Sendable (String) throws -> Void

        enum Saved: Sendable {
            /// In the store itself.
            case inStore
            /// In a copy beside it.
            case inCopy
            /// In the store and its log, after a restart.
            case inLog
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

    private static func overwrite(_ path: String, at offset: UInt64, count: Int) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: 0xA5, count: count))
        try file.close()
    }

    static let deeds: [Deed] = [
        Deed(name: "rm store and log", loss: .storeMoved, saved: .inCopy) {
            try remove($0, $0 + "-wal", $0 + "-shm")
        },
        Deed(name: "rm store", loss: .storeMoved, saved: .inCopy) { try remove($0) },
        Deed(name: "mv store", loss: .storeMoved, saved: .inCopy) {
            try FileManager.default.moveItem(atPath: $0, toPath: $0 + ".away")
        },
        Deed(name: "another file in place of the store", loss: .storeMoved, saved: .inCopy) {
            try remove($0)
            try Data("theirs".utf8).write(to: URL(fileURLWithPath: $0))
        },
        Deed(name: "rm log", loss: .logMoved, saved: .inStore) { try remove($0 + "-wal") },
        Deed(name: "mv log", loss: .logMoved, saved: .inStore) {
            try FileManager.default.moveItem(atPath: $0 + "-wal", toPath: $0 + "-away")
        },
        Deed(name: "rm index", loss: .indexMoved, saved: .inStore) { try remove($0 + "-shm") },
        Deed(name: "truncate log", loss: .logDamaged, saved: .checkpointed) { try truncate($0 + "-wal", to: 0) },
        Deed(name: "truncate log behind its header", loss: .logDamaged, saved: .checkpointed) {
            try truncate($0 + "-wal", to: 32)
        },
        Deed(name: "garbage over the head of the log", loss: .logDamaged, saved: .checkpointed) {
            try overwrite($0 + "-wal", at: 0, count: 32)
        },
        Deed(name: "truncate index", loss: .indexTruncated, saved: .inLog) { try truncate($0 + "-shm", to: 0) },
        // A store that was moved into at least once has more than its first pages.
        Deed(name: "truncate store", loss: .storeTruncated, saved: .checkpointed) { try truncate($0, to: 4_096) },
    ]

    @Test("Nothing is acknowledged any more, and everything that can be saved is", arguments: deeds)
    func takenAway(_ deed: Deed) async throws {
        let events = Events()
        let owner = try LedgerWriter(path: store.path, onEvent: events.note)
        _ = try owner.record(try (0..<20).map { try postbacks.delivery(postbacks.draft(id: "\($0)")) })
        try deed.doIt(store.path)
        let after = [try postbacks.delivery(postbacks.draft(id: "late"))]
        #expect(throws: StoreError.lost(path: owner.path, deed.loss)) { try owner.record(after) }
        #expect(owner.health == .lost(deed.loss))
        #expect(throws: StoreError.self) { try owner.record(after) }
        #expect(try owner.close() == .abandoned)
        #expect(events.messages.count == 1)
        let message = try #require(events.messages.first)
        switch deed.saved {
        case .inStore:
            // Without the log that may be beside it: the file alone has everything.
            let copy = store.path + ".copy"
            try FileManager.default.copyItem(atPath: store.path, toPath: copy)
            try await expectWhole(copy)
        case .inCopy:
            let folder = URL(fileURLWithPath: store.path).deletingLastPathComponent()
            let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.contains(".rescued-") }
            #expect(copies.count == 1)
            try await expectWhole(folder.appendingPathComponent(copies.first ?? "").path)
        case .inLog:
            #expect(try afterTheEnd("SELECT count(*) FROM postback; PRAGMA integrity_check") == "20\nok")
        case .checkpointed where deed.loss == .logDamaged:
            // The rows came after the last checkpoint, and the store is what it was then.
            #expect(message.contains("rows from id 1 on may be missing"))
            #expect(try afterTheEnd("SELECT count(*) FROM postback; PRAGMA integrity_check") == "0\nok")
        case .checkpointed:
            #expect(message.contains("restore a backup"))
        }
    }

    /// Asks the files as the process leaves them behind: without the index that its connections still share.
    private func afterTheEnd(_ sql: String) throws -> String {
        let copy = store.path + ".left"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copy + suffix)
        }
        return try SQLite.query(sql, copy)
    }

    private func expectWhole(_ path: String) async throws {
        let verifier = postbacks.verifier
        let recount = try await LedgerReader(path).recount { verifier.judge($0) }
        #expect(recount.postbacks == 20 && recount.differences == [])
    }

    @Test("An owner without traffic notices too", arguments: [deeds[1], deeds[4], deeds[7]])
    func idle(_ deed: Deed) throws {
        let owner = try LedgerWriter(path: store.path)
        _ = try owner.record([try postbacks.delivery(postbacks.draft(id: "a"))])
        try deed.doIt(store.path)
        owner.heartbeat()
        #expect(owner.health == .lost(deed.loss))
    }

    @Test("Garbage in the middle of the log is found before it is moved into the store")
    func damagedFrames() throws {
        let events = Events()
        let owner = try LedgerWriter(path: store.path, onEvent: events.note)
        _ = try owner.record(try (0..<50).map { try postbacks.delivery(postbacks.draft(id: "\($0)")) })
        // Behind the header and the first frames.
        try Self.overwrite(store.path + "-wal", at: 32 + 2 * 4_120 + 500, count: 64)
        #expect(try owner.close() == .abandoned)
        #expect(events.messages.count == 1)
        #expect(owner.health == .lost(.logDamaged))
        #expect(try afterTheEnd("PRAGMA integrity_check") == "ok")
    }

    @Test("Web ads are watched as the store is: a nonce is not answered from a file that is gone")
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
