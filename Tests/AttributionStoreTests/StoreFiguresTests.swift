import Attribution
import AttributionStore
import Foundation
import SQLiteStore
import Synchronization
import Testing

@Suite("Metrics of a store")
struct StoreFiguresTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    @Test("The time of the last recorded postback outlives its owner, and only a postback changes it")
    func lastRecorded() throws {
        let now = Mutex<Int64>(1_000)
        func open() throws -> OpenLedger {
            try OpenLedger(store.path, now: { now.withLock { $0 } })
        }
        let first = try postbacks.delivery(postbacks.draft(id: "a"))
        let garbage = postbacks.delivery(Array("{}".utf8))
        var ledger = try open()
        #expect(ledger.writer.lastRecordedAtMilliseconds == nil)
        let rows: [(name: String, delivery: Delivery, expected: Int64?)] = [
            ("quarantined", garbage, nil), ("recorded", first, 1_002), ("duplicate", first, 1_002),
            ("recorded", try postbacks.delivery(postbacks.draft(id: "b")), 1_004), ("quarantined", garbage, 1_004),
        ]
        for row in rows {
            now.withLock { $0 += 1 }
            let recording = try ledger.record([row.delivery]).first
            #expect(recording??.status.rawValue == row.name)
            #expect(ledger.writer.lastRecordedAtMilliseconds == row.expected)
        }
        try ledger.close()
        ledger = try open()
        #expect(ledger.writer.lastRecordedAtMilliseconds == 1_004)
        try ledger.close()
    }

    @Test("The size of a part is that of its files, and nil without files", arguments: StorePart.allCases)
    func parts(_ part: StorePart) throws {
        let names: [StorePart: [String]] = [
            .database: [""], .wal: ["-wal"], .webAds: ["-web-ads", "-web-ads-wal"],
        ]
        #expect(part.bytes(ofStore: store.path) == nil)
        var size: Int64 = 0
        for name in try #require(names[part]) {
            try Data(count: 100 + name.count).write(to: URL(fileURLWithPath: store.path + name))
            size += Int64(100 + name.count)
            #expect(part.bytes(ofStore: store.path) == size)
        }
        for other in StorePart.allCases where other != part {
            #expect(other.bytes(ofStore: store.path) == nil)
        }
    }
}
