import Foundation
import Glibc

/// Stores that hold many postbacks, made on first use.
final class StoreShelf {
    private unowned let bench: Bench
    private var made: [Int: String] = [:]
    /// How many requests of the pool each store has been sent: a part that comes later goes on behind them.
    var sent: [String: Int] = [:]
    /// Stores up to this size are compared with their bodies; larger ones are made the same way.
    private static let checkedRows = 100_000

    init(_ bench: Bench) {
        self.bench = bench
    }

    /// The file of a store that holds `rows` postbacks, and those that phases before have added.
    func store(holding rows: Int) throws -> String {
        if let store = made[rows] {
            return store
        }
        let store = "\(bench.workspace.stores)/\(rows).sqlite"
        if try !isKept(store, rows) {
            try make(store, rows)
        }
        made[rows] = store
        return store
    }

    /// Whether a former run left a store that has not grown much since.
    private func isKept(_ store: String, _ rows: Int) throws -> Bool {
        guard FileManager.default.fileExists(atPath: store) else {
            return false
        }
        let count = try SQLiteTool(store: store, workspace: bench.workspace).number("SELECT max(id) FROM postback;")
        bench.board.note("found a store of \(count.shown) postbacks")
        return count >= rows && count <= rows + rows / 5
    }

    private func make(_ store: String, _ rows: Int) throws {
        let stopwatch = Stopwatch()
        // Rows, and what ingest adds.
        try bench.workspace.demand(bytes: rows * 900 + 2_000_000_000, for: "a store of \(rows.shown) postbacks")
        let partial = bench.workspace.file("preload.sqlite")
        bench.workspace.remove(store)
        // The tables are those a server makes.
        try Server(skan: bench.options.skan, store: partial, options: bench.keys.trust, in: bench.workspace).stop()
        try StorePreload(store: partial, rows: rows).fill()
        try checkTotals(partial, rows)
        if rows <= Self.checkedRows {
            try recount(partial, rows)
        }
        try FileManager.default.moveItem(atPath: partial, toPath: store)
        // What the system still has to write would be written into the measurements.
        sync()
        let size = try FileManager.default.attributesOfItem(atPath: store)[.size] as? Int ?? 0
        bench.board.note(
            """
            made a store of \(rows.shown) postbacks in \(stopwatch.seconds.shown) s: \(size / rows) bytes each, \
            spread over \(PostbackShape.days) days
            """)
    }

    /// A report must count every postback.
    private func checkTotals(_ store: String, _ rows: Int) throws {
        let text = try ChildProcess.output(
            of: [bench.options.skan, "report", "--store", store, "--test", "--by", "", "--format", "json"],
            in: bench.workspace, atMost: 600)
        let report = try JSONDecoder().decode(TotalsOfReport.self, from: Data(text.utf8))
        guard report.totals.postbacks == rows else {
            throw BenchmarkFailure(
                "of the \(rows) postbacks of the store made beforehand skan report counts \(report.totals.postbacks)")
        }
    }

    private struct TotalsOfReport: Decodable {
        let totals: Totals

        struct Totals: Decodable {
            let postbacks: Int
        }
    }

    /// Has skan count a store again: that the digests of contents are made up is all that may differ.
    private func recount(_ store: String, _ rows: Int) throws {
        let output = bench.workspace.file("recount")
        _ = try ChildProcess(
            [bench.options.skan, "recount", "--store", store], on: Core.both, in: bench.workspace, output: output
        ).wait(atMost: 120)
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        let others = lines.filter { !$0.hasSuffix("its digests do not match its bytes") }
        guard others.count == 1, others[0].hasPrefix("\(rows) postbacks read again") else {
            throw BenchmarkFailure(
                "the store made beforehand is wrong, says skan recount:\n\(others.prefix(5).joined(separator: "\n"))")
        }
        bench.board.note("skan recount finds its columns right")
    }
}
