import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// A database of its own, and postbacks that a stand-in for Apple signed.
struct TestDatabase {
    let server: PostgreSQLServer
    /// The address without a proxy.
    let text: String
    let standIn: AppleStandIn
    let verifier: PostbackVerifier

    /// 2026-11-21 12:00 UTC.
    static let noon: Int64 = 1_795_262_400_000

    init() throws {
        server = try .shared()
        text = try server.makeDatabase()
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
    }

    /// The name of the database.
    var name: String {
        String(text.split(separator: "/").last ?? "")
    }

    var address: PostgreSQLAddress {
        get throws { try PostgreSQLAddress(text) }
    }

    /// A node, perhaps by the port of a proxy.
    func node(port: Int? = nil, budgets: QuarantineBudgets = QuarantineBudgets()) throws -> PostgreSQLLedgerWriter {
        try PostgreSQLLedgerWriter(
            PostgreSQLAddress(server.address(name, port: port)),
            settings: LedgerSettings(networks: OwnNetworks(), budgets: budgets))
    }

    /// A reader that waits for the transactions of other tests, which are numbered with ours.
    func reader() throws -> PostgreSQLLedgerReader {
        PostgreSQLLedgerReader(try address, patience: .seconds(60))
    }

    @discardableResult
    func sql(_ statement: String) throws -> String {
        try server.sql(statement, database: text)
    }

    /// What is in the tables, by recounting.
    func differences() async throws -> [String] {
        let (reader, verifier) = (try reader(), verifier)
        return try await reader.recount { verifier.judge($0) }.differences.map(\.description)
    }

    func counts() async throws -> (totals: Counts, deliveries: DeliveryCounts) {
        let answer = try await reader().answer(LedgerQuestion(traffic: .test))
        return (answer.totals, answer.deliveries)
    }

    // MARK: Postbacks

    func draft(id: String, sourceIdentifier: String = "39") -> PostbackDraft {
        var draft = PostbackDraft([])
        draft[.version] = .string("4.0")
        draft[.adNetworkID] = .string("n.skadnetwork")
        draft[.sourceIdentifier] = .string(sourceIdentifier)
        draft[.appID] = .integer(525_463_029)
        draft[.transactionID] = .string(id)
        draft[.redownload] = .bool(false)
        draft[.fidelityType] = .integer(1)
        draft[.didWin] = .bool(true)
        draft[.sequenceIndex] = .integer(0)
        return draft
    }

    func delivery(_ body: [UInt8], by judge: PostbackVerifier? = nil) -> Delivery {
        Delivery(
            judgement: (judge ?? verifier).judge(body), recipient: .network, receivedAtMilliseconds: Self.noon)
    }

    func delivery(id: String, sourceIdentifier: String = "39") throws -> Delivery {
        delivery(try standIn.sign(draft(id: id, sourceIdentifier: sourceIdentifier)))
    }

    /// Two copies of one postback that contradict each other in what nobody signs.
    func contradiction(id: String) throws -> [Delivery] {
        var draft = draft(id: id)
        let first = try standIn.sign(draft)
        draft[.conversionValue] = .integer(9)
        return [first, draft.body(signature: try ReceivedPostback(reading: first).signature)].map { delivery($0) }
    }

    // MARK: Blocks

    /// Puts the facts of a block's postbacks into the tables, without anything else.
    func fillBlock() throws {
        try sql(
            """
            INSERT INTO skan.postback
            SELECT nextval('skan.postback_id'), i / 50, now(), \(Self.noon), \(Self.noon / 900_000), 'development',
                'network', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
            FROM generate_series(1, 4096) AS i
            """)
    }
}

extension PostgreSQLLedgerWriter {
    /// Beats until a condition holds, for a minute at most: transactions of other tests hold the horizon back.
    func writeBlocks(until condition: String, _ database: TestDatabase) throws {
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            heartbeat()
            if try database.sql(condition) == "t" {
                return
            }
        } while ContinuousClock.now < end
        Issue.record("never true: \(condition)")
    }
}

/// A session of psql that stays open, for transactions that other connections meet.
final class Psql {
    private let process = ChildProcess()
    private let input = Pipe()
    private let output = Pipe()

    init(_ address: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/lib/postgresql/15/bin/psql")
        process.arguments = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", address]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Runs statements and waits until they are through.
    func run(_ sql: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n\\echo done\n").utf8))
        var text = ""
        while !text.contains("done"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
        }
    }
}

/// A clock that a test sets.
final class TestClock: Sendable {
    private let milliseconds: Mutex<Int64>

    init(_ now: Int64) {
        milliseconds = Mutex(now)
    }

    var now: Int64 {
        get { milliseconds.withLock { $0 } }
        set { milliseconds.withLock { $0 = newValue } }
    }
}
