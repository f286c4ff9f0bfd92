import Attribution
import AttributionStore
import Foundation
import PostgreSQLStore
import TestSupport
import Testing

/// A database with two blocks of postbacks, and some behind them.
struct BlockStore {
    let server: PostgreSQLServer
    let text: String
    let many: ManyPostbacks

    /// Filled once for all tests; each has a copy.
    private static let filled = Result {
        let server = try PostgreSQLServer.shared()
        let store = BlockStore(server: server, text: try server.makeDatabase(), many: try ManyPostbacks())
        let node = try store.node()
        for start in stride(from: 0, to: store.many.deliveries.count, by: 700) {
            let batch = Array(store.many.deliveries[start..<min(start + 700, store.many.deliveries.count)])
            #expect(try node.record(batch).allSatisfy { $0 == .recorded(.test) })
        }
        try store.beat(node, until: "SELECT count(*) = 2 FROM skan.block")
        try node.close()
        return store
    }

    private init(server: PostgreSQLServer, text: String, many: ManyPostbacks) {
        self.server = server
        self.text = text
        self.many = many
    }

    init() throws {
        let filled = try Self.filled.get()
        let name = "skan_blocks_\(getpid())_\(UUID().uuidString.prefix(8).lowercased())"
        try filled.server.sql(
            "CREATE DATABASE \(name) TEMPLATE \(filled.text.split(separator: "/").last ?? "")", database: "postgres")
        self.init(server: filled.server, text: filled.server.address(name), many: filled.many)
    }

    var address: PostgreSQLAddress {
        get throws { try PostgreSQLAddress(text) }
    }

    func node() throws -> PostgreSQLLedgerWriter {
        try PostgreSQLLedgerWriter(address)
    }

    @discardableResult
    func sql(_ statement: String) throws -> String {
        try server.sql(statement, database: text)
    }

    /// Beats until a condition holds, for a minute at most: transactions of other tests hold the horizon back.
    func beat(_ node: PostgreSQLLedgerWriter, until condition: String) throws {
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            node.heartbeat()
            if try sql(condition) == "t" {
                return
            }
        } while ContinuousClock.now < end
        Issue.record("never true: \(condition)")
    }

    static let questions = [
        LedgerQuestion(dimensions: [.app, .sourceApp], calendar: utcDays),
        LedgerQuestion(dimensions: [.day, .sourceIdentifier, .version], calendar: utcDays),
        LedgerQuestion(
            dimensions: [.recipient], conditions: [.init(dimension: .version, values: ["3.0", "4.0"])],
            received: (Postbacks.noon - 30 * 86_400_000)..<(Postbacks.noon - 86_400_000)),
    ]

    /// Answers every question as counting one by one does.
    ///
    /// - Returns: How many postbacks were counted without their columns, at the most.
    @discardableResult
    func expectExact(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int {
        var damaged = 0
        let reader = PostgreSQLLedgerReader(try address, patience: .seconds(60))
        defer { reader.close() }
        for question in Self.questions {
            try await reader.expectExact(many, question, sourceLocation: sourceLocation)
            var question = question
            question.traffic = .test
            let answer = try await reader.answer(question)
            #expect(answer.unreadableCount == 0, sourceLocation: sourceLocation)
            damaged = max(damaged, answer.damaged.reduce(0) { $0 + $1.count })
        }
        return damaged
    }
}
