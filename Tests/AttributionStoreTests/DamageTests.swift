import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("A damaged file")
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

    @Test(
        "What reads a damaged page throws, and recount and repair name SQLite's finding and a backup",
        arguments: ["postback", "postback_body", "delivery", "quarantine_received", "column_block"])
    func damagedPage(_ table: String) async throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try ManyPostbacks(ManyPostbacks.block + 10).deliveries)
        _ = try ledger.record([postbacks.delivery(Array("{}".utf8))])
        try ledger.close()
        try SQLite.garble(table, store.path)
        let reader = try SQLiteLedgerReader(store.path)
        defer { reader.close() }
        let verifier = try ManyPostbacks.postbacks().verifier
        for work in [
            { _ = try await reader.recount { verifier.judge($0) } }, { _ = try await store.repair(by: verifier) },
        ] {
            let error = await #expect(throws: StoreError.self) { try await work() }
            guard case .damaged(reader.path, let problem)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(problem.contains("age "), "\(problem)")
            #expect(error?.hint?.contains("restore a backup") == true)
        }
        if ["delivery", "column_block"].contains(table) {
            await #expect(throws: StoreError.failed(path: reader.path, .damaged)) {
                try await reader.answer(LedgerQuestion(traffic: .test))
            }
        }
        if table == "postback" {
            await #expect(throws: StoreError.failed(path: reader.path, .damaged)) {
                try await reader.export(ExportQuery(traffic: .test))
            }
        }
    }

    @Test("What sqlite3 can read of a damaged file becomes a store again, by the commands of BackupAndRestore.md")
    func recovered() async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 600).deliveries
        do {
            let ledger = try OpenLedger(store.path)
            _ = try ledger.record(many)
            try ledger.close()
        }
        for table in ["postback", "postback_body", "column_block"] {
            try SQLite.garble(table, store.path, offset: table == "column_block" ? 0 : 3)
        }
        let new = store.path + "-new"
        try SQLite.execute(".clone \(new)", store.path)
        try SQLite.execute("PRAGMA application_id = 1936417134; PRAGMA user_version = 2", new)
        let verifier = try ManyPostbacks.postbacks().verifier
        let remaining = try await LedgerRepair.repair(path: new) { verifier.judge($0) }.remaining
        #expect(
            !remaining.differences.isEmpty
                && remaining.differences.allSatisfy { if case .missingRows = $0 { true } else { $0.isUnreadable } },
            "\(remaining.differences)")
        #expect(remaining.verified > 4_000 && remaining.verified + remaining.differenceCount >= Int64(many.count))
        let ledger = try OpenLedger(new)
        #expect(try await ledger.totals()[.postbacks] == remaining.verified)
        #expect(try ledger.record([delivery("fresh")]) == [.recorded(.test)])
        #expect(try ledger.record([many[many.count - 1]]) == [.duplicate(.test)])
    }

    @Test("An id that no owner assigned is a readable error, not a crash")
    func wildID() throws {
        try fill(9)
        try SQLite.execute("UPDATE postback SET id = 9223372036854775807 WHERE id = 5", store.path)
        #expect(throws: StoreError.self) { try SQLiteLedgerWriter(path: store.path) }
    }

    @Test("An owner does not start where it cannot read the postbacks that are in no block of columns")
    func refused() throws {
        try fill(400)
        try SQLite.garble("postback_body", store.path, isLast: true)
        let path = try SQLiteLedgerReader(store.path).path
        #expect(throws: StoreError.failed(path: path, .damaged)) { try SQLiteLedgerWriter(path: store.path) }
    }

    @Test("A full disk makes a store unready; it records again once there is room, and nothing is lost")
    func fullDisk() async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 600)
        let verifier = try ManyPostbacks.postbacks().verifier
        let ledger = try OpenLedger(store.path)
        // Limits the store to one more page; SQLite then reports SQLITE_FULL, as for a full disk.
        var recorded = 0
        var refused = 0
        // A batch that ends a block needs more room than the others.
        var room = 20
        while recorded < many.deliveries.count {
            let batch = Array(many.deliveries[recorded..<min(recorded + 50, many.deliveries.count)])
            do {
                #expect(try ledger.record(batch).allSatisfy { $0 == .recorded(.test) })
                recorded += batch.count
                room = 20
                if refused < 40 {
                    try ledger.writer.limitPages(toMoreBy: 4)
                }
            } catch {
                refused += 1
                #expect(ledger.writer.health == StoreHealth(.diskFull))
                try ledger.writer.limitPages(toMoreBy: 200)
                ledger.writer.heartbeat()
                #expect(ledger.writer.health == .ready)
                try ledger.writer.limitPages(toMoreBy: room)
                room *= 2
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

    @Test("Neither a recount nor a repair of a file that was cut off says to recount it")
    func cutOff() async throws {
        try fill(400)
        let reader = try SQLiteLedgerReader(store.path)
        defer { reader.close() }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        try file.truncate(atOffset: file.seekToEnd() - 4_096)
        try file.close()
        let verifier = postbacks.verifier
        for work in [
            { _ = try await reader.recount { verifier.judge($0) } }, { _ = try await store.repair(by: verifier) },
        ] {
            let error = await #expect(throws: StoreError.self) { try await work() }
            #expect(error?.hint?.contains("restore a backup") == true, "\(String(describing: error))")
        }
    }

    @Test("A position from before a restore is refused once its id belongs to another postback")
    func restoredStore() async throws {
        try fill(5)
        let copy = try Data(contentsOf: URL(fileURLWithPath: store.path))
        let lost: LedgerPosition
        do {
            let ledger = try OpenLedger(store.path)
            _ = try ledger.record(try (100..<105).map { try delivery("\($0)") })
            lost = try await ledger.answer(LedgerQuestion()).position
            try ledger.close()
        }
        try copy.write(to: URL(fileURLWithPath: store.path))
        let ledger = try OpenLedger(store.path)
        await #expect(throws: LedgerQuestionError.futurePosition(lost)) {
            try await ledger.answer(LedgerQuestion(asOf: lost))
        }
        _ = try ledger.record(try (200..<210).map { try delivery("\($0)") })
        await #expect(throws: LedgerQuestionError.replacedPosition(lost)) {
            try await ledger.answer(LedgerQuestion(asOf: lost))
        }
        await #expect(throws: LedgerQuestionError.replacedPosition(lost)) {
            try await ledger.reader.export(ExportQuery(traffic: .test, after: lost))
        }
    }
}

extension RecountDifference {
    fileprivate var isUnreadable: Bool {
        if case .unreadable = self { true } else { false }
    }
}
