import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("Damage affects only what needs the damaged part")
struct ContainedDamageTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func delivery(_ id: String) throws -> Delivery {
        try postbacks.delivery(postbacks.draft(id: id))
    }

    private func fill(_ count: Int) throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try (0..<count).map { try delivery("\($0)") })
        _ = try ledger.record([delivery("1"), postbacks.delivery(Array("{}".utf8))])
        try ledger.close()
    }

    @Test("Postbacks on a lost page of bodies are not counted twice")
    func damagedBodies() throws {
        try fill(60)
        try SQLite.garble("postback_body", store.path)
        let ledger = try OpenLedger(store.path)
        let answers = try ledger.record(try (0..<60).map { try delivery("\($0)") })
        #expect(answers.allSatisfy { $0 == .duplicate(.test) })
    }

    @Test("Counts whose sum is no number are left out and reported, and do not fail a report")
    func sums() async throws {
        try fill(9)
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)"
        try SQLite.execute(
            "\(numbers) INSERT INTO delivery SELECT i, 'duplicate', 'test', '', 'network', 1 << 48, 1 << 48 FROM n",
            store.path)
        try SQLite.execute("\(numbers) INSERT INTO repeat_delay SELECT i, 0, 1 << 48 FROM n", store.path)
        let answer = try await SQLiteLedgerReader(store.path).answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 9 && answer.deliveries.areIncomplete)
    }

    @Test(
        "Implausible delivery counts are left out and reported, and do not fail a report",
        arguments: [
            ("UPDATE delivery SET count = -123 WHERE status = 'duplicate'", "status \"duplicate\"", "count is -123,"),
            (
                "UPDATE delivery SET kept = 9223372036854775807 WHERE status = 'quarantined'",
                "status \"quarantined\"", "kept is 9223372036854775807,"
            ),
            ("UPDATE repeat_delay SET count = -1", "table repeat_delay (quarter ", "count is -1,"),
        ])
    func strangeCounts(_ damage: String, key: String, value: String) async throws {
        try fill(9)
        try SQLite.execute(damage, store.path)
        let reader = try SQLiteLedgerReader(store.path)
        let answer = try await reader.answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 9)
        #expect(answer.deliveries.count(.recorded, .test) == 9)
        #expect(answer.deliveries.areIncomplete)
        let verifier = postbacks.verifier
        let found = try await reader.recount { verifier.judge($0) }.differences.map(\.description)
        let named = found.filter { $0.contains(key) && $0.contains(value) && $0.contains("restore a backup") }
        #expect(named.count == 1, "\(found)")
    }

    @Test(
        "An implausible number of recorded postbacks is named, and a repair counts them again",
        arguments: ["count", "kept"])
    func strangeRecordedCount(_ column: String) async throws {
        try fill(9)
        try SQLite.execute("UPDATE delivery SET \(column) = -1 WHERE status = 'recorded'", store.path)
        let verifier = postbacks.verifier
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        let found = repair.found.differences.map(\.description)
        #expect(found.contains { $0.contains("\(column) is -1,") && $0.contains("a repair counts") }, "\(found)")
        #expect(repair.remaining.differences.map(\.description) == [])
    }

    @Test(
        "A damaged page of another table fails neither a report nor a repair nor a start",
        arguments: [
            "delivery", "repeat_delay", "quarantine", "quarantine_total", "quarantine_received", "recipient_copy",
        ])
    func damagedPage(_ name: String) async throws {
        try fill(9)
        try SQLite.garble(name, store.path)
        let verifier = postbacks.verifier
        do {
            let reader = try SQLiteLedgerReader(store.path)
            #expect(try await reader.answer(LedgerQuestion(traffic: .test)).totals[.postbacks] == 9)
            let found = try await reader.recount { verifier.judge($0) }.differences
            #expect(!found.isEmpty)
            reader.close()
        }
        _ = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        let ledger = try OpenLedger(store.path)
        _ = try await ledger.writer.repair { verifier.judge($0) }
        #expect(try ledger.record([delivery("new"), delivery("3")]) == [.recorded(.test), .duplicate(.test)])
        #expect(try await ledger.totals()[.postbacks] == 10)
    }

    @Test("If the quarantine is damaged, rejected bodies are counted and answered, but not reported as kept")
    func damagedQuarantine() async throws {
        try fill(9)
        try SQLite.garble("quarantine", store.path)
        let ledger = try OpenLedger(store.path)
        func isKept(_ recording: Recording??) -> Bool? {
            guard case .quarantined(_, let isKept)?? = recording else {
                return nil
            }
            return isKept
        }
        let garbage = postbacks.delivery(Array("{}".utf8))
        #expect(isKept(try ledger.record([garbage]).first) == false)
        #expect(ledger.writer.health == .ready)
        let answers = try ledger.record([garbage, delivery("new"), garbage, delivery("3")])
        #expect(answers.map(isKept) == [false, nil, false, nil])
        #expect(answers[1] == .recorded(.test) && answers[3] == .duplicate(.test))
        #expect(ledger.writer.health == .ready)
        let counts = try await ledger.deliveries()
        #expect(counts.quarantined == 4 && counts.notKept == 3)
    }

    @Test("Damaged counts of deliveries cost no postback, and the log and reports name them", arguments: countTables)
    func damagedCounts(_ table: String) async throws {
        try fill(9)
        try SQLite.garble(table, store.path)
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        let garbage = postbacks.delivery(Array("{}".utf8))
        for id in ["new", "newer"] {
            let answers = try ledger.record([delivery("3"), delivery(id), garbage])
            #expect(answers[0] == .duplicate(.test) && answers[1] == .recorded(.test))
            guard case .quarantined(_, isKept: true) = answers[2] else {
                Issue.record("\(String(describing: answers[2]))")
                return
            }
            #expect(ledger.writer.health == .ready)
        }
        #expect(events.messages.count == 1)
        #expect(events.messages.allSatisfy { $0.hasPrefix("the counts of deliveries of ") }, "\(events.messages)")
        #expect(try await ledger.totals()[.postbacks] == 11)
        #expect(try await ledger.reader.quarantineTotals().map(\.count) == [3])
        #expect(try await ledger.deliveries().areIncomplete)
    }

    static let countTables = ["delivery", "repeat_delay"]

    @Test(
        "Where the counts of deliveries are damaged, what is imported, requeued and deleted is so all the same",
        arguments: countTables)
    func damagedCountsElsewhere(_ table: String) async throws {
        let stranger = try PostbackVerifier()
        func unknown(_ id: String) throws -> Delivery {
            let body = try postbacks.standIn.sign(postbacks.draft(id: id))
            return Delivery(
                judgement: stranger.judge(body), recipient: .network, receivedAtMilliseconds: Postbacks.noon)
        }
        do {
            let ledger = try OpenLedger(store.path)
            _ = try ledger.record(try (0..<9).map { try delivery("\($0)") })
            _ = try ledger.record([delivery("1"), unknown("7"), unknown("later"), postbacks.delivery(Array("{}".utf8))])
            try ledger.close()
        }
        try SQLite.garble(table, store.path)
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        let file = ImportedFile(digest: [1], bytes: 1, records: 2)
        let imported = [try delivery("new"), try postbacks.delivery(postbacks.draft(id: "2"), at: Postbacks.noon + 1)]
        #expect(
            try ledger.writer.record(imported, importing: file) == [.made(.recorded(.test)), .made(.duplicate(.test))])
        #expect(try ledger.writer.importedFiles(upTo: 1) == [file])
        let verifier = postbacks.verifier
        let requeued = try ledger.writer.requeue(QuarantineQuery()) { verifier.judge($0) }
        #expect(requeued.recorded == 1 && requeued.duplicate == 1)
        #expect(try ledger.writer.prune(QuarantineQuery()) == 1)
        #expect(try await ledger.totals()[.postbacks] == 11)
        #expect(try await ledger.reader.quarantineTotals().allSatisfy { $0.count == 0 })
        #expect(events.messages.count == 1 && events.messages[0].contains("are damaged"), "\(events.messages)")
    }

    @Test("Counts that cannot be written for another reason than damage are written later")
    func delayedCounts() async throws {
        try fill(9)
        try SQLite.garble("repeat_delay", store.path)
        try SQLite.execute(
            """
            CREATE TRIGGER no_counts BEFORE INSERT ON delivery WHEN NEW.status = 'recorded'
            BEGIN SELECT RAISE(ABORT, 'not now'); END
            """, store.path)
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        #expect(try ledger.record([delivery("3"), delivery("new")]) == [.duplicate(.test), .recorded(.test)])
        #expect(events.messages.count { $0.contains("are kept in memory") } == 1, "\(events.messages)")
        let counts = try await ledger.deliveries()
        #expect(counts.count(.recorded, .test) == 9 && counts.count(.duplicate, .test) == 2)
        try SQLite.execute("DROP TRIGGER no_counts", store.path)
        ledger.writer.heartbeat()
        #expect(try await ledger.deliveries().count(.recorded, .test) == 10)
        try ledger.close()
        #expect(!events.messages.contains { $0.contains("are lost") }, "\(events.messages)")
    }

    /// A store whose counts of deliveries fill several pages: 900 postbacks, and a repeat of each.
    private func fillQuarters() throws {
        let ledger = try OpenLedger(store.path)
        for offset: Int64 in [0, 60_000] {
            _ = try ledger.record(
                try (0..<900).map { number in
                    try postbacks.delivery(
                        postbacks.draft(id: "\(number)"), at: Postbacks.noon + Int64(number) * 900_000 + offset)
                })
        }
        try ledger.close()
    }

    @Test(
        "Whatever of the counts of deliveries is damaged, a report in the background still has its postbacks",
        arguments: ["delivery", "repeat_delay"])
    func reportsInTheBackground(_ table: String) async throws {
        try fillQuarters()
        try SQLite.garbleRoot(table, store.path)
        let ledger = try OpenLedger(store.path)
        for _ in 0..<2 {
            let answer = try await ledger.answer(
                LedgerQuestion(traffic: .test, limits: LedgerLimits(isBackground: true)))
            #expect(answer.totals[.postbacks] == 900 && answer.deliveries.areIncomplete)
        }
        try ledger.close()
    }

    @Test(
        "A repair makes damaged tables of counts anew, with recorded postbacks and what can be read of the others",
        arguments: [false, true], ["delivery", "repeat_delay"])
    func repairedCounts(_ isRoot: Bool, _ table: String) async throws {
        try fillQuarters()
        try isRoot ? SQLite.garbleRoot(table, store.path) : SQLite.garble(table, store.path, offset: 1)
        let verifier = postbacks.verifier
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        #expect(repair.remaining.differences.map(\.description) == [])
        let ledger = try OpenLedger(store.path)
        let counts = try await ledger.deliveries()
        #expect(!counts.areIncomplete && counts.count(.recorded, .test) == 900)
        let others = table == "delivery" ? counts.count(.duplicate, .test) : counts.repeats.values.reduce(0, +)
        #expect(isRoot ? others == 0 : (300..<900).contains(others))
        #expect(try ledger.record([delivery("new")]) == [.recorded(.test)])
        try ledger.close()
    }

    @Test("Of damaged counts only those on the damaged page are left out")
    func otherCounts() async throws {
        try fill(9)
        try SQLite.garble("repeat_delay", store.path)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([delivery("3"), delivery("new")]) == [.duplicate(.test), .recorded(.test)])
        let counts = try await ledger.deliveries()
        #expect(counts.count(.recorded, .test) == 10 && counts.count(.duplicate, .test) == 2)
    }

    @Test("An owner corrects the quarantine's totals at its start")
    func totals() async throws {
        try fill(9)
        try SQLite.execute("DROP TABLE quarantine_total", store.path)
        let ledger = try OpenLedger(store.path)
        #expect(try await ledger.reader.quarantineTotals().map(\.count) == [1])
        #expect(try await ledger.differences(postbacks.verifier) == [])
    }

    @Test("An owner starts if the quarantine is damaged and its totals are missing")
    func lostTotals() throws {
        try fill(9)
        try SQLite.execute("DROP TABLE quarantine_total", store.path)
        try SQLite.garble("quarantine", store.path)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([delivery("new"), delivery("3")]) == [.recorded(.test), .duplicate(.test)])
    }

    @Test("An export skips unreadable rows, and says how many")
    func export() async throws {
        try fill(400)
        try SQLite.garble("postback", store.path, offset: 2)
        let reader = try SQLiteLedgerReader(store.path)
        var query = ExportQuery(traffic: .test, limit: 7)
        var ids: [Int64] = []
        var unreadableCount = 0
        while true {
            let page = try await reader.export(query)
            ids += page.postbacks.map(\.postback.id)
            unreadableCount += page.unreadableCount
            query.after = page.position
            if page.isLast {
                break
            }
        }
        #expect(ids == ids.sorted() && ids.last == 400)
        #expect(unreadableCount > 0 && ids.count + unreadableCount == 400)
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
