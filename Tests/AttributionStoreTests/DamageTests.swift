import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("Damage in a store")
struct DamageTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    /// Records some postbacks, each in its own transaction, and closes the store.
    private func fill(_ count: Int) throws {
        let ledger = try OpenLedger(store.path)
        for number in 0..<count {
            _ = try ledger.record([try delivery("\(number)")])
        }
        try ledger.close()
    }

    private func delivery(_ id: String) throws -> Delivery {
        try postbacks.delivery(postbacks.draft(id: id))
    }

    static let damages: [String] = [
        "UPDATE postback_body SET body = x'00' WHERE id = 3", "DELETE FROM postback_body WHERE id = 3",
        "UPDATE postback SET key_digest = zeroblob(16) WHERE id = 3",
        "UPDATE postback SET key_digest = randomblob(16)",
        "INSERT INTO column_block VALUES (0, 1, 0, 0, x'', 0)",
        "INSERT INTO column_value VALUES (3, 1, '1', 0)",
    ]

    @Test("A damaged row stops neither an owner nor a report, and is not counted twice", arguments: damages)
    func contained(_ damage: String) throws {
        try fill(9)
        try SQLite.execute(damage, store.path)
        let ledger = try OpenLedger(store.path)
        let batch = try ["new", "2", "newer", "4"].map { try delivery($0) }
        let answers = try ledger.record(batch)
        #expect(answers == [.recorded(.test), .duplicate(.test), .recorded(.test), .duplicate(.test)])
    }

    @Test("A missing row is not counted twice by an owner that knows its digest, and its copies are kept")
    func missingRow() throws {
        try fill(9)
        try SQLite.execute("DELETE FROM postback WHERE id = 3", store.path)
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        #expect(try ledger.record([delivery("2")]) == [.conflict(.test)])
        #expect(events.messages.contains { $0.contains("row 3") })
    }

    /// A change made with SQL, the beginning of the difference that recount reports, and whether it can be repaired.
    static let findings: [(damage: String, finding: String, isRepairable: Bool)] = [
        ("UPDATE postback_body SET body = x'00' WHERE id = 3", "postback 3: does not verify again", false),
        ("DELETE FROM postback_body WHERE id = 3", "postback 3: cannot be read: its body is missing", false),
        ("DELETE FROM postback WHERE id = 3", "postback 3: its row is missing; its bytes verify", true),
        (
            "DELETE FROM postback WHERE id = 3; DELETE FROM postback_body WHERE id = 3",
            "postback 3: its row is missing, and so are its bytes", false
        ),
        ("UPDATE postback SET traffic = 'apple' WHERE id = 3", "postback 3: recorded as apple", false),
        (
            "PRAGMA ignore_check_constraints = ON; UPDATE postback SET recipient = 'netwovk' WHERE id = 3",
            "postback 3: cannot be read: its recipient is unknown", false
        ),
        (
            "PRAGMA ignore_check_constraints = ON; UPDATE postback SET traffic = 'tesu' WHERE id = 3",
            "postback 3: cannot be read: its traffic is unknown", false
        ),
        ("UPDATE postback SET key_digest = zeroblob(16) WHERE id = 3", "postback 3: its digests", true),
        ("UPDATE postback SET content_digest = zeroblob(16) WHERE id = 3", "postback 3: its digest is", false),
        ("INSERT INTO column_block VALUES (0, 1, 0, 0, x'', 0)", "there are columns for postbacks", true),
        ("INSERT INTO column_block VALUES (-9223372036854775808, 1, 0, 0, x'', 0)", "there are columns for", true),
        ("INSERT INTO column_block VALUES (9223372036854775807, 1, 0, 0, x'', 0)", "there are columns for", true),
        ("UPDATE delivery SET count = count - 1 WHERE status = 'recorded'", "deliveries of quarter", true),
        (
            "UPDATE delivery SET count = count + 1 WHERE status = 'recorded'",
            "1 postback (test) was counted as recorded, and no rows are left", false
        ),
        ("DELETE FROM delivery", "deliveries of quarter", true),
        ("INSERT INTO quarantine_total VALUES ('forged', 5, 500)", "the quarantine's total of forged", true),
        ("INSERT INTO recipient_copy VALUES (77, 'developer', 0)", "a copy for another recipient", true),
    ]

    @Test(
        "Recount reports it; a repair fixes what can be derived from the bytes and reports what remains",
        arguments: findings)
    func recount(_ row: (damage: String, finding: String, isRepairable: Bool)) async throws {
        try fill(9)
        try SQLite.execute(row.damage, store.path)
        let verifier = postbacks.verifier
        let reader = try SQLiteLedgerReader(store.path)
        let found = try await reader.recount { verifier.judge($0) }
        #expect(found.differences.contains { $0.description.hasPrefix(row.finding) }, "\(found.differences)")
        reader.close()
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        let remaining = repair.remaining.differences.map(\.description)
        if row.isRepairable {
            #expect(remaining == [])
            #expect(repair.repaired == found.differenceCount)
        } else {
            #expect(remaining.contains { $0.hasPrefix(row.finding) })
        }
        // Whether or not it was repaired, nothing is counted again.
        let ledger = try OpenLedger(store.path)
        let answers = try ledger.record([delivery("8"), delivery("0"), delivery("fresh")])
        #expect(answers == [.duplicate(.test), .duplicate(.test), .recorded(.test)])
        #expect(try await ledger.totals()[.postbacks] >= 8)
    }

    @Test("An id that no owner assigned is a readable error, not a crash")
    func wildID() throws {
        try fill(9)
        try SQLite.execute("UPDATE postback SET id = 9223372036854775807 WHERE id = 5", store.path)
        #expect(throws: StoreError.self) { try SQLiteLedgerWriter(path: store.path) }
    }

    @Test("An owner that cannot record is not ready, and a heartbeat does not change that")
    func notReady() throws {
        try fill(400)
        try SQLite.garble("postback_body", store.path, isLast: true)
        let owner = try SQLiteLedgerWriter(path: store.path)
        #expect(try owner.record([delivery("fresh")]) == [nil])
        #expect(owner.health != .ready)
        owner.heartbeat()
        #expect(owner.health != .ready)
    }

    @Test("A full disk makes a store unready; it records again once there is room, and nothing is lost")
    func fullDisk() async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 600)
        let verifier = try ManyPostbacks.postbacks().verifier
        let ledger = try OpenLedger(store.path)
        // Limits the store to one more page; SQLite then reports SQLITE_FULL, as for a full disk.
        var recorded = 0
        var refused = 0
        while recorded < many.deliveries.count {
            let batch = Array(many.deliveries[recorded..<min(recorded + 50, many.deliveries.count)])
            do {
                #expect(try ledger.record(batch).allSatisfy { $0 == .recorded(.test) })
                recorded += batch.count
                if refused < 40 {
                    try ledger.writer.limitPages(toMoreBy: 4)
                }
            } catch {
                refused += 1
                #expect(ledger.writer.health == StoreHealth(.diskFull))
                try ledger.writer.limitPages(toMoreBy: 200)
                ledger.writer.heartbeat()
                #expect(ledger.writer.health == .ready)
                try ledger.writer.limitPages(toMoreBy: 20)
            }
        }
        #expect(refused >= 10)
        try ledger.writer.limitPages(toMoreBy: 100_000)
        ledger.writer.heartbeat()
        #expect(try await ledger.totals()[.postbacks] == Int64(recorded))
        #expect(try await ledger.differences(verifier).filter { !$0.hasPrefix("the columns of") } == [])
        #expect(try await ledger.repair(verifier).isWhole)
        #expect(try ledger.record(many.deliveries).allSatisfy { $0 == .duplicate(.test) })
    }

    @Test("Whichever byte is changed, a store answers or throws a readable error", arguments: 0..<4)
    func flippedBytes(_ seed: Int) async throws {
        let verifier = postbacks.verifier
        do {
            let ledger = try OpenLedger(store.path)
            var draft = postbacks.draft(id: "a")
            let signature = try ReceivedPostback(reading: postbacks.standIn.sign(draft)).signature
            draft[.conversionValue] = .integer(5)
            _ = try ledger.record(
                try (0..<60).map { try delivery("\($0)") } + [
                    postbacks.delivery(draft.body(signature: signature)), postbacks.delivery(Array("{}".utf8)),
                    delivery("1"), delivery("a"),
                ])
            try ledger.close()
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.path))
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        for number in 0..<25 {
            var bytes = whole
            for _ in 0..<4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let offset = Int(state >> 33) % bytes.count
                bytes[offset] ^= UInt8(truncatingIfNeeded: state >> 24) | 1
            }
            let path = store.path + "-\(number)"
            try bytes.write(to: URL(fileURLWithPath: path))
            // Each call may throw; none may crash the process.
            if let reader = try? SQLiteLedgerReader(path) {
                for dimensions in [[], [.app, .conversionValue], [.day, .network]] as [[ReportDimension]] {
                    // Damage may remove a postback from the counts, but never adds one.
                    if let answer = try? await reader.answer(LedgerQuestion(dimensions: dimensions, traffic: .test)) {
                        #expect(answer.totals[.postbacks] <= 62)
                    }
                }
                _ = try? await reader.recount { verifier.judge($0) }
                _ = try? await reader.quarantine(QuarantineQuery())
                _ = try? await reader.quarantineTotals()
                _ = try? await reader.postbacks(PostbackQuery(transactionID: "7"))
                reader.close()
            }
            if let writer = try? SQLiteLedgerWriter(path: path) {
                _ = try? writer.record([delivery("fresh"), delivery("3"), delivery("a")])
                _ = try? writer.requeue(QuarantineQuery()) { verifier.judge($0) }
                writer.heartbeat()
                _ = try? await writer.repair { verifier.judge($0) }
                _ = try? writer.close()
            }
        }
    }

    @Test(
        "Postbacks with extreme times are counted, found and repaired too",
        arguments: [Int64.max, .min, Int64.max / 900_000 * 900_000, -1])
    func wildTimes(_ time: Int64) async throws {
        let ledger = try OpenLedger(store.path)
        let many = try ManyPostbacks(ManyPostbacks.block + 10)
        _ = try ledger.record(Array(many.deliveries.prefix(100)))
        let wild = try postbacks.delivery(postbacks.standIn.sign(postbacks.draft(id: "wild")), at: time)
        #expect(try ledger.record([wild]) == [.recorded(.test)])
        _ = try ledger.record(Array(many.deliveries.dropFirst(100)))
        for dimension in ReportDimension.times {
            let question = LedgerQuestion(dimensions: [dimension], traffic: .test, calendar: utcDays)
            #expect(try await ledger.answer(question).totals[.postbacks] == Int64(many.deliveries.count + 1))
        }
        let range = (time == .max ? time - 1 : time)..<(time == .max ? time : time + 1)
        #expect(try await ledger.answer(LedgerQuestion(received: range, traffic: .test)).totals[.postbacks] >= 1)
    }

    @Test("Neither a recount nor a repair of a file that was cut off says to recount it")
    func cutOff() async throws {
        try fill(400)
        let reader = try SQLiteLedgerReader(store.path)
        defer { reader.close() }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        try file.truncate(atOffset: file.seekToEnd() - 4_096)
        try file.close()
        let (verifier, error) = (postbacks.verifier, StoreError.beyondRecount(path: reader.path))
        await #expect(throws: error) { try await reader.recount { verifier.judge($0) } }
        await #expect(throws: error) { try await store.repair(by: verifier) }
    }

    @Test("Many differences are repaired in small transactions")
    func manyDifferences() async throws {
        let many = try ManyPostbacks(1_000)
        let verifier = try ManyPostbacks.postbacks().verifier
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(many.deliveries)
        try SQLite.flipBit(of: "content_digest", where: "id > 0", store.path)
        try SQLite.execute("UPDATE delivery SET count = 0", store.path)
        let repair = try await ledger.writer.repair { verifier.judge($0) }
        #expect(repair.found.differenceCount > Int64(many.deliveries.count))
        #expect(repair.remaining.differences == [] && repair.repaired == repair.found.differenceCount)
        #expect(try ledger.record(many.deliveries).allSatisfy { $0 == .duplicate(.test) })
    }

    @Test("A repair during recording agrees with what is recorded")
    func repairBesideRecording() async throws {
        try fill(30)
        try SQLite.flipBit(of: "content_digest", where: "id < 20", store.path)
        try SQLite.execute("DELETE FROM delivery", store.path)
        let ledger = try OpenLedger(store.path)
        let verifier = postbacks.verifier
        async let repair = ledger.writer.repair { verifier.judge($0) }
        for number in 30..<60 {
            #expect(try ledger.record([delivery("\(number)")]) == [.recorded(.test)])
        }
        _ = try await repair
        #expect(try await ledger.repair(verifier).isWhole)
        #expect(try await ledger.differences(verifier) == [])
        #expect(try ledger.record([delivery("3"), delivery("59")]) == [.duplicate(.test), .duplicate(.test)])
    }

    @Test(
        "A damaged page is reported, and the rows on other pages are still counted",
        arguments: [false, true])
    func damagedPage(isLast: Bool) async throws {
        try fill(400)
        try SQLite.garble("postback", store.path, isLast: isLast, offset: isLast ? 0 : 2)
        let verifier = postbacks.verifier
        let reader = try SQLiteLedgerReader(store.path)
        let found = try await reader.recount { verifier.judge($0) }.differences.map(\.description)
        #expect(found.contains { $0.hasPrefix("SQLite's check") })
        #expect(found.contains { $0.contains("its page is damaged") })
        reader.close()
        guard !isLast else {
            // The page for the next row is damaged, so the owner refuses to start.
            #expect(throws: StoreError.self) { try SQLiteLedgerWriter(path: store.path) }
            return
        }
        let ledger = try OpenLedger(store.path)
        let answers = try ledger.record(try (0..<400).map { try delivery("\($0)") } + [delivery("fresh")])
        // Copies of unreadable rows are kept, because they may be all that is left.
        #expect(answers.dropLast().allSatisfy { $0 == .duplicate(.test) || $0 == .conflict(.test) })
        #expect(answers.contains(.conflict(.test)) && answers.contains(.duplicate(.test)))
        #expect(answers.last == .recorded(.test))
    }
}
