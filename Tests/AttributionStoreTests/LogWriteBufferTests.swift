import Foundation
import GRDB
import SQLiteStore
import TestSupport
import Testing

@Suite("Writes to the log, gathered")
struct LogWriteBufferTests {
    let store: TemporaryStore

    init() throws {
        store = try TemporaryStore()
    }

    /// A connection with the durability of an owner, and a cache so small that transactions write before they commit.
    private func open(pageSize: Int = 4_096, synchronous: String = "FULL") throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA page_size = \(pageSize); PRAGMA cache_size = 5; PRAGMA synchronous = \(synchronous);
                    PRAGMA wal_autocheckpoint = 0
                    """)
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        }
        return try DatabaseQueue(path: store.path, configuration: configuration)
    }

    /// What another connection finds, and whether SQLite finds the file whole.
    private static func contents(of path: String) throws -> [Int64: Int64] {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            let rows = try Row.fetchAll(db, sql: "SELECT id, length(body) AS size FROM t")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["id"], $0["size"]) })
        }
    }

    @Test(
        "Other connections and a copy of the files find every commit, and nothing that was rolled back",
        arguments: [512, 4_096, 65_536])
    func transactions(_ pageSize: Int) throws {
        let writer = try open(pageSize: pageSize)
        #expect(try writer.writeWithoutTransaction { try LogWriteBuffer.install(on: $0) })
        try writer.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB NOT NULL)") }
        var random = SeededGenerator(seed: 11)
        var expected: [Int64: Int64] = [:]
        struct Abandoned: Error {}
        for number in 0..<120 {
            var next = expected
            // Some are larger than what is gathered at once.
            let rows = [1, 3, 40, 200].randomElement(using: &random) ?? 1
            let isAbandoned = number % 5 == 3
            do {
                try writer.write { db in
                    for _ in 0..<rows {
                        let (id, size) = (
                            Int64.random(in: 1...400, using: &random), Int64.random(in: 0...6_000, using: &random)
                        )
                        try db.execute(
                            sql: "INSERT OR REPLACE INTO t VALUES (?, randomblob(?))", arguments: [id, max(1, size)])
                        next[id] = max(1, size)
                    }
                    if isAbandoned {
                        throw Abandoned()
                    }
                }
                expected = next
            } catch is Abandoned {
                #expect(isAbandoned)
            }
            if number % 17 == 16 {
                _ = try writer.writeWithoutTransaction { try $0.checkpoint(number % 2 == 0 ? .passive : .truncate) }
            }
            #expect(try Self.contents(of: store.path) == expected, "after transaction \(number)")
        }
        // As after a crash: what was committed is in the files, whether or not the connection is closed.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: store.path + ".copy" + suffix)
        }
        let recovered = try DatabaseQueue(path: store.path + ".copy")
        try recovered.close()
        #expect(try Self.contents(of: store.path + ".copy") == expected)
        try writer.close()
        #expect(try Self.contents(of: store.path) == expected)
    }

    @Test(
        "A connection that does not sync every commit keeps SQLite's own writes",
        arguments: [("OFF", false), ("NORMAL", false), ("FULL", true), ("EXTRA", true)])
    func durability(_ synchronous: String, _ isInstalled: Bool) throws {
        let writer = try open(synchronous: synchronous)
        #expect(try writer.writeWithoutTransaction { try LogWriteBuffer.install(on: $0) } == isInstalled)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB NOT NULL)") }
        #expect(try Self.contents(of: store.path) == [:])
    }
}
