import Foundation
import Glibc

/// Stores that hold many postbacks, made on first use.
final class StoreShelf {
    private unowned let bench: Bench
    private var made: [Int: String] = [:]
    /// Stores up to this size are counted again; larger ones are made the same way.
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
        // Rows, what ingest adds, and what SQLite needs to sort them by day.
        try bench.workspace.demand(bytes: rows * 1_000 + 2_000_000_000, for: "a store of \(rows.shown) postbacks")
        let partial = bench.workspace.file("preload.sqlite")
        bench.workspace.remove(store)
        let load = try ServerLoad(bench, store: partial)
        _ = try load.run(
            LoadPlan(seconds: 30, limit: StorePreload.templates), name: "templates of a store made beforehand")
        load.server.stop()
        try StorePreload(tool: SQLiteTool(store: partial, workspace: bench.workspace), rows: rows).fill()
        // The first server on it makes the index again.
        try ServerLoad(bench, store: partial).server.stop()
        if rows <= Self.checkedRows {
            try check(partial, rows)
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

    /// Has skan count a store again: that the copies' fingerprints are random is all that may differ.
    private func check(_ store: String, _ rows: Int) throws {
        let output = bench.workspace.file("recount")
        _ = try ChildProcess(
            [bench.options.skan, "recount", "--store", store], on: Core.both, in: bench.workspace, output: output
        ).wait(atMost: 120)
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        let others = lines.filter { !$0.hasSuffix("its digests are not those of its bytes") }
        guard others.count == 1, others[0].hasPrefix("\(rows) postbacks read again") else {
            throw BenchmarkFailure(
                "the store made beforehand is wrong, says skan recount:\n\(others.prefix(5).joined(separator: "\n"))")
        }
        bench.board.note("skan recount finds its tallies right")
    }
}
