import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("Values of rows that follow from no body, changed by damage")
struct ChangedRowTests {
    let store: TemporaryStore

    init() throws {
        store = try TemporaryStore()
    }

    /// Records postbacks and closes the store.
    private func fill(_ deliveries: [Delivery]) throws {
        let ledger = try OpenLedger(store.path)
        for start in stride(from: 0, to: deliveries.count, by: 1_000) {
            _ = try ledger.record(Array(deliveries[start..<min(start + 1_000, deliveries.count)]))
        }
        try ledger.close()
    }

    private func repair(_ postbacks: Postbacks) async throws -> RecountRepair {
        try await store.repair(by: postbacks.verifier)
    }

    /// What is counted, in columns and as deliveries.
    private func counted() throws -> [String] {
        try [
            "SELECT * FROM delivery ORDER BY quarter, status, traffic, reason, recipient",
            "SELECT id, checksum FROM column_block ORDER BY id",
        ].map { try SQLite.query($0, store.path) }
    }

    private func receivedAt(_ id: Int) throws -> Int64 {
        try #require(Int64(try SQLite.query("SELECT received_at FROM postback WHERE id = \(id)", store.path)))
    }

    /// Flips a bit of when a postback was received.
    private func flip(_ bit: Int, of id: Int) throws {
        try SQLite.execute(
            "UPDATE postback SET received_at = \(receivedAt(id) ^ (1 << bit)) WHERE id = \(id)", store.path)
    }

    /// Moves a postback to another quarter of an hour, in its row and in the counts of deliveries.
    private func move(_ id: Int) throws {
        let old = try receivedAt(id) / 900_000
        try flip(41, of: id)
        let new = try receivedAt(id) / 900_000
        let kind = try SQLite.query(
            "SELECT '''' || traffic || ''', '''', ''' || recipient || '''' FROM postback WHERE id = \(id)", store.path)
        try SQLite.execute(
            """
            UPDATE delivery SET count = count - 1 WHERE quarter = \(old) AND status = 'recorded'
                AND (traffic, reason, recipient) = (\(kind));
            INSERT INTO delivery VALUES (\(new), 'recorded', \(kind), 1, 1)
            """, store.path)
    }

    private static func changed(_ id: Int) -> String {
        "postback \(id): its time was changed; a repair takes the quarter of an hour in which it was counted"
    }

    // MARK: Times of receipt

    @Test(
        "A changed time of a row in a block changes no report, and gets the quarter of an hour of its columns back",
        arguments: [21, 30, 41, 62])
    func inBlock(_ bit: Int) async throws {
        try fill(ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        let (before, time) = (try counted(), try receivedAt(77))
        try flip(bit, of: 77)
        let repair = try await repair(ManyPostbacks.postbacks())
        #expect(repair.found.differences.map(\.description) == [Self.changed(77)])
        #expect(repair.remaining.differences == [] && repair.repaired == 1)
        #expect(try counted() == before)
        #expect(try receivedAt(77) == time / 900_000 * 900_000)
    }

    @Test("Several changed times are repaired before a damaged block, a lost row or a count is")
    func besideOthers() async throws {
        try fill(ManyPostbacks(2 * ManyPostbacks.block + 10).deliveries)
        let before = try counted()[0]
        for (id, bit) in [(77, 33), (78, 34), (4_099, 31)] {
            try flip(bit, of: id)
        }
        // One column of the second block, which is rebuilt then.
        try SQLite.execute(
            """
            UPDATE column_block SET checksum = checksum + 1 WHERE id = 64 + 13; DELETE FROM postback WHERE id = 80;
            UPDATE delivery SET count = 0 WHERE quarter = (SELECT received_at / 900000 FROM postback WHERE id = 81)
            """, store.path)
        let repair = try await repair(ManyPostbacks.postbacks())
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try counted()[0] == before)
    }

    @Test("A server that leaves a damaged table of rows as it is rebuilds no columns from a changed time")
    func leftOut() async throws {
        try fill(ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        let before = try counted()[0]
        try flip(33, of: 3_000)
        // A column of the block, and something that the server repairs.
        try SQLite.execute(
            """
            UPDATE column_block SET checksum = checksum + 1 WHERE id = 10
            """, store.path)
        try SQLite.flipBit(of: "content_digest", where: "id = 3500", store.path)
        try SQLite.garble("postback", store.path, offset: 2)
        let ledger = try OpenLedger(store.path)
        let postbacks = try ManyPostbacks.postbacks()
        let verifier = postbacks.verifier
        let atWork = try await ledger.writer.repair(mostRows: 10) { verifier.judge($0) }
        try ledger.close()
        #expect(atWork.remaining.differences.map(\.description).contains(Self.changed(3_000)))
        #expect(try await repair(postbacks).remaining.differences.map(\.description) == [])
        #expect(try counted()[0] == before)
    }

    @Test(
        "Another traffic or recipient than that of the columns is named, and columns and counts stay",
        arguments: ["recipient = 'developer'", "traffic = 'apple'"])
    func otherDelivery(_ change: String) async throws {
        try fill(ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        let before = try counted()
        try SQLite.execute("UPDATE postback SET \(change) WHERE id = 77", store.path)
        let postbacks = try ManyPostbacks.postbacks()
        for _ in 0..<2 {
            let repair = try await repair(postbacks)
            #expect(repair.remaining.differences.contains { $0.description.hasPrefix("postback 77: ") })
            #expect(!repair.remaining.differences.contains { if case .block = $0 { true } else { false } })
            #expect(try counted() == before)
        }
    }

    @Test("Bytes against which digest and columns agree are named, and neither is made anew from them")
    func changedBody() async throws {
        try fill(ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        let fine = "FROM postback_body WHERE id <= 4096 AND CAST(body AS TEXT) LIKE '%\"conversion-value\":1_,%'"
        let id = try #require(Int64(try SQLite.query("SELECT min(id) \(fine)", store.path)))
        let digest = "SELECT hex(content_digest) FROM postback WHERE id = \(id)"
        let before = (try counted(), try SQLite.query(digest, store.path))
        try SQLite.execute(
            """
            UPDATE postback_body SET body =
                CAST(replace(CAST(body AS TEXT), '"conversion-value":1', '"conversion-value":2') AS BLOB)
            WHERE id = \(id)
            """, store.path)
        for _ in 0..<2 {
            let repair = try await repair(ManyPostbacks.postbacks())
            #expect(
                repair.remaining.differences.map(\.description)
                    == ["postback \(id): \(RecountDifference.changedBody)"])
            #expect(try counted() == before.0 && SQLite.query(digest, store.path) == before.1)
        }
    }

    @Test(
        "A bit of unsigned bytes in no block is changed back by the digest, and larger changes are named",
        arguments: [1, 2])
    func changedContent(_ bits: Int) async throws {
        let postbacks = try Postbacks()
        var draft = postbacks.draft(id: "a")
        let signature = try ReceivedPostback(reading: postbacks.standIn.sign(draft)).signature
        draft[.conversionValue] = .integer(10)
        try fill([postbacks.delivery(draft.body(signature: signature))])
        let stored = "SELECT body, hex(content_digest) FROM postback JOIN postback_body USING (id)"
        let before = try SQLite.query(stored, store.path)
        // 1 and 0 differ in a bit, and so do 1 and 3.
        let value = bits == 1 ? 30 : 31
        try SQLite.execute(
            """
            UPDATE postback_body SET body = CAST(replace(
                CAST(body AS TEXT), '"conversion-value":10', '"conversion-value":\(value)') AS BLOB)
            """, store.path)
        let changed = try SQLite.query(stored, store.path)
        #expect(changed != before)
        let repair = try await repair(postbacks)
        #expect(repair.found.differenceCount == 1)
        if bits == 1 {
            #expect(repair.remaining.differences == [])
        } else {
            #expect(
                repair.remaining.differences.map(\.description)
                    == ["postback 1: \(RecountDifference.changedContent)"])
        }
        #expect(try SQLite.query(stored, store.path) == (bits == 1 ? before : changed))
    }

    @Test("Where the counts of deliveries have a postback as its row does, nothing is changed, and both are named")
    func contradicted() async throws {
        try fill(ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        try move(77)
        let before = (try counted(), try receivedAt(77))
        let repair = try await repair(ManyPostbacks.postbacks())
        #expect(
            repair.remaining.differences.map(\.description) == [
                "postback 77: its time is not that of its columns, and deliveries are counted as it says; a backup may "
                    + "tell which is right"
            ])
        #expect(try counted() == before.0 && receivedAt(77) == before.1)
    }

    /// The checksums of a block's columns.
    private func columns(_ block: Int, without columns: [Int] = []) throws -> String {
        let left = columns.map(String.init).joined(separator: ", ")
        return try SQLite.query(
            """
            SELECT id, checksum FROM column_block WHERE id / 64 = \(block) AND id % 64 NOT IN (\(left)) ORDER BY id
            """, store.path)
    }

    @Test(
        "A damaged column is rebuilt beside others that say what a changed row was, and these stay",
        arguments: [false, true])
    func besideDamagedColumn(_ isTimeChanged: Bool) async throws {
        try fill(ManyPostbacks(2 * ManyPostbacks.block + 10).deliveries)
        let before = try (columns(0), columns(1))
        if isTimeChanged {
            try move(77)
        } else {
            try SQLite.execute("UPDATE postback SET recipient = 'developer' WHERE id = 77", store.path)
        }
        try SQLite.execute("UPDATE column_block SET checksum = checksum + 1 WHERE id IN (13, 64 + 13)", store.path)
        for _ in 0..<2 {
            let remaining = try await repair(ManyPostbacks.postbacks()).remaining.differences
            #expect(remaining.contains { $0.description.hasPrefix("postback 77: ") })
            #expect(!remaining.contains { if case .block = $0 { true } else { false } })
            #expect(try columns(0) == before.0 && columns(1) == before.1)
        }
    }

    @Test("A row that no repair can mend keeps no other count and no other block from being repaired")
    func besideOtherCounts() async throws {
        try fill(ManyPostbacks(2 * ManyPostbacks.block + 10).deliveries)
        let before = try counted()
        try SQLite.execute(
            """
            UPDATE postback SET recipient = 'developer' WHERE id = 77;
            UPDATE column_block SET checksum = checksum + 1 WHERE id = 64 + 3;
            UPDATE delivery SET count = 0 WHERE quarter = (SELECT received_at / 900000 FROM postback WHERE id = 81)
            """, store.path)
        _ = try await repair(ManyPostbacks.postbacks())
        #expect(try counted() == before)
    }

    @Test("A server that rebuilds a damaged column of keys keeps what the others say of a row with a changed time")
    func heartbeat() throws {
        try fill(ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        let before = try columns(0)
        try flip(33, of: 3_000)
        try SQLite.execute("UPDATE column_block SET checksum = checksum + 1 WHERE id = 13", store.path)
        let ledger = try OpenLedger(store.path)
        ledger.writer.heartbeat()
        try ledger.close()
        #expect(try columns(0) == before)
    }

    @Test("Bytes that do not verify again get into no column, and a damaged one takes their postback out of the block")
    func changedSignedBytes() async throws {
        try fill(ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        let before = try columns(0, without: [0, 3])
        try SQLite.execute(
            """
            UPDATE postback_body SET body = CAST(replace(CAST(body AS TEXT), '"app-id":', '"app-id":1') AS BLOB)
            WHERE id = (SELECT min(id) FROM postback_body WHERE CAST(body AS TEXT) LIKE '%"app-id":%');
            UPDATE column_block SET checksum = checksum + 1 WHERE id = 3
            """, store.path)
        let remaining = try await repair(ManyPostbacks.postbacks()).remaining.differences.map(\.description)
        #expect(remaining.count == 1 && remaining[0].contains("does not verify again"), "\(remaining)")
        #expect(try columns(0, without: [0, 3]) == before)
    }

    @Test("Bytes that were changed before their block is written get into no block as if they were true")
    func changedBeforeBlock() throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 10).deliveries
        try fill(Array(many.prefix(100)))
        try SQLite.execute(
            """
            UPDATE postback_body SET body = CAST(replace(CAST(body AS TEXT), '"app-id":', '"app-id":1') AS BLOB)
            WHERE id = (SELECT min(id) FROM postback_body WHERE CAST(body AS TEXT) LIKE '%"app-id":%')
            """, store.path)
        try fill(Array(many.dropFirst(100)))
        #expect(try SQLite.query("SELECT lowest FROM column_block WHERE id = 0", store.path) == "0")
    }

    /// A quarter of an hour.
    private static let quarter: Int64 = 900_000

    @Test(
        "A changed time of a row in no block is found if it is not possible between those of the rows beside it",
        arguments: [(5, 41), (5, 30), (1, 41), (9, 29)])
    func inNoBlock(_ change: (id: Int, bit: Int)) async throws {
        let postbacks = try Postbacks()
        try fill(
            try (0..<9).map {
                try postbacks.delivery(postbacks.draft(id: "\($0)"), at: Postbacks.noon + Int64($0) * Self.quarter)
            })
        let (before, time) = (try counted(), try receivedAt(change.id))
        try flip(change.bit, of: change.id)
        let repair = try await repair(postbacks)
        // Beside the first and the last row any time before or after is possible: no repair makes the counts agree with it.
        guard change.id == 5 else {
            for _ in 0..<2 {
                let remaining = try await self.repair(postbacks).remaining
                #expect(remaining.differences.contains(.countedElsewhere(1)) && remaining.differenceCount == 3)
                #expect(try counted() == before)
            }
            return
        }
        #expect(repair.found.differences.map(\.description) == [Self.changed(change.id)])
        #expect(repair.remaining.differences == [])
        #expect(try counted() == before && receivedAt(change.id) == time)
    }

    @Test(
        "A changed time is found beside others of the same quarters, also if these came slightly out of order",
        arguments: [-1, 1] as [Int64], [1_000, -1_000] as [Int64])
    func manyInQuarter(_ shift: Int64, _ step: Int64) async throws {
        let postbacks = try Postbacks()
        try fill(
            try (0..<12).map {
                try postbacks.delivery(
                    postbacks.draft(id: "\($0)"),
                    at: Postbacks.noon + Int64($0) / 3 * Self.quarter + 300_000 + Int64($0) % 3 * step)
            })
        let (before, time) = (try counted(), try receivedAt(8))
        try SQLite.execute(
            "UPDATE postback SET received_at = received_at + \(shift * Self.quarter) WHERE id = 8", store.path)
        let repair = try await repair(postbacks)
        #expect(repair.found.differences.map(\.description) == [Self.changed(8)])
        #expect(repair.remaining.differences == [])
        #expect(try counted() == before && receivedAt(8) / Self.quarter == time / Self.quarter)
    }

    @Test("A time that seems certain is not, where the same count may be that of another row")
    func sharedCount() async throws {
        let postbacks = try Postbacks()
        try fill(
            try (0..<9).map {
                try postbacks.delivery(postbacks.draft(id: "\($0)"), at: Postbacks.noon + Int64($0) * Self.quarter)
            })
        try SQLite.execute(
            """
            DELETE FROM delivery WHERE quarter = (SELECT received_at / 900000 FROM postback WHERE id = 9);
            UPDATE postback SET received_at = received_at - 90000000 WHERE id = 8
            """, store.path)
        let before = (try counted(), try receivedAt(8))
        for _ in 0..<2 {
            let remaining = try await repair(postbacks).remaining.differences
            #expect(remaining.contains(.countedElsewhere(1)), "\(remaining)")
            #expect(try counted() == before.0 && receivedAt(8) == before.1)
        }
    }

    @Test(
        "A changed time is that of the counts and of the rows beside it where the block has none that can be read",
        arguments: ["UPDATE column_block SET checksum = checksum + 1 WHERE id = 2", "DROP TABLE column_block"])
    func withoutTimesInBlock(_ damage: String) async throws {
        try fill(ManyPostbacks.others())
        let (before, time) = (try counted()[0], try receivedAt(77))
        try flip(41, of: 77)
        try SQLite.execute(damage, store.path)
        let repair = try await repair(ManyPostbacks.postbacks())
        #expect(repair.found.differences.map(\.description).contains(Self.changed(77)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try counted()[0] == before && receivedAt(77) == time)
    }

    @Test("A true time of the last row stays where damage changed the quarter of an hour of its count")
    func changedCount() async throws {
        let postbacks = try Postbacks()
        try fill(
            try (0..<9).map {
                try postbacks.delivery(
                    postbacks.draft(id: "\($0)"),
                    at: Postbacks.noon + Int64($0 == 8 ? 2 : $0) * Self.quarter + Int64($0))
            })
        let times = "SELECT id, received_at FROM postback"
        let before = try SQLite.query(times, store.path)
        // The last row is alone in its quarter, and older than the one before it.
        try SQLite.execute("UPDATE postback SET received_at = received_at - 86400000 WHERE id = 9", store.path)
        let time = try receivedAt(9) / Self.quarter
        try SQLite.execute(
            """
            UPDATE delivery SET count = 1 WHERE count = 2;
            INSERT INTO delivery SELECT \(time + (1 << 16)), status, traffic, reason, recipient, 1, 1 FROM delivery LIMIT 1
            """, store.path)
        let changed = try SQLite.query(times, store.path)
        #expect(changed != before)
        _ = try await repair(postbacks)
        #expect(try SQLite.query(times, store.path) == changed)
    }

    @Test("A row that came out of order keeps its time where a count beside its own is lost, too")
    func lostCounts() async throws {
        let postbacks = try Postbacks()
        try fill(
            try (0..<9).map {
                try postbacks.delivery(
                    postbacks.draft(id: "\($0)"), at: Postbacks.noon + Int64($0 == 4 ? -100 : $0) * Self.quarter)
            })
        let times = "SELECT id, received_at FROM postback"
        let (before, counts) = (try SQLite.query(times, store.path), try counted())
        // The counts of the fifth and of the seventh row are lost, and that of the fourth is one too high.
        try SQLite.execute(
            """
            DELETE FROM delivery WHERE quarter IN (SELECT received_at / 900000 FROM postback WHERE id IN (5, 7));
            UPDATE delivery SET count = 2 WHERE quarter = (SELECT received_at / 900000 FROM postback WHERE id = 4)
            """, store.path)
        #expect(!(try await repair(postbacks)).found.differences.map(\.description).contains(Self.changed(5)))
        #expect(try SQLite.query(times, store.path) == before && counted() == counts)
    }

    // MARK: Names of keys

    @Test("A name of a key that is not that of the key that verifies a postback is repaired")
    func keyName() async throws {
        let postbacks = try Postbacks()
        try fill([try postbacks.genuine()] + (0..<9).map { try postbacks.delivery(postbacks.draft(id: "\($0)")) })
        let names = "SELECT id, key_name FROM postback"
        let before = try SQLite.query(names, store.path)
        try SQLite.execute(
            "UPDATE postback SET key_name = '?' || substr(key_name, 2) WHERE id IN (1, 3)", store.path)
        let repair = try await repair(postbacks)
        #expect(repair.found.differenceCount == 2)
        #expect(
            repair.found.differences.allSatisfy {
                $0.description.contains("the name of its key is not that of the key that verifies it")
            })
        #expect(repair.remaining.differences == [])
        #expect(try SQLite.query(names, store.path) == before)
    }
}
