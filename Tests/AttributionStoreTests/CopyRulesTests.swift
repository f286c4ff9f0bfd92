import Attribution
import AttributionHarness
import AttributionStore
import SQLiteStore
import Testing

@Suite("The rules of copying a store, into every kind of store", .serialized)
struct CopyRulesTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try Postbacks()
        store = try TemporaryStore()
    }

    private var targetPath: String {
        store.path + "-copy"
    }

    /// Bodies that are no postbacks, each of 200 bytes.
    private func garbage(_ count: Int) -> [String] {
        (0..<count).map { "{\"number\": \($0)}" + String(repeating: " ", count: 180) }
    }

    enum Damage: CaseIterable, Sendable {
        case row, page

        func apply(_ path: String) throws {
            switch self {
            case .row:
                try SQLite.execute(
                    "PRAGMA ignore_check_constraints = ON; UPDATE quarantine SET recipient = 'nobody' WHERE id = 3", path)
            case .page:
                try SQLite.garble("quarantine", path)
            }
        }
    }

    @Test(
        "A delivery in quarantine that the source can no longer read stays in the target, and is named",
        arguments: LedgerFactory.all, Damage.allCases)
    func unreadableQuarantine(_ factory: LedgerFactory, _ damage: Damage) async throws {
        let bodies = garbage(100)
        let target = try factory.openTarget(targetPath)
        do {
            let source = try OpenLedger(store.path)
            _ = try source.record(bodies.map { postbacks.delivery(Array($0.utf8)) })
            #expect(try await target.copy(source.reader).quarantined == 100)
            #expect(try source.writer.prune(QuarantineQuery(id: 100, limit: 1)) == 1)
            try source.close()
        }
        try damage.apply(store.path)
        let reader = try SQLiteLedgerReader(store.path)
        let summary = try await target.copy(reader)
        #expect(summary.leftInQuarantine.contains(3) && summary.leftInQuarantine.count < 99)
        #expect(summary.quarantined == 0)
        #expect(try await target.quarantine() == Array(bodies.dropLast()))
    }
}
