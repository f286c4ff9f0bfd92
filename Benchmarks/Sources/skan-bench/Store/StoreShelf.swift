import Foundation
import Glibc

/// Stores that hold many postbacks, made on first use.
final class StoreShelf {
    private unowned let bench: Bench
    private var made: [Int: String] = [:]

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
        // Rows with their index, what ingest adds, and as much again as SQLite needs to sort for the index.
        try bench.workspace.demand(bytes: rows * 1_000 + 2_000_000_000, for: "a store of \(rows.shown) postbacks")
        let partial = bench.workspace.file("preload.sqlite")
        bench.workspace.remove(store)
        let load = try ServerLoad(bench, store: partial)
        _ = try load.run(
            LoadPlan(seconds: 30, limit: StorePreload.templates), name: "templates of a store made beforehand")
        load.server.stop()
        try StorePreload(tool: SQLiteTool(store: partial, workspace: bench.workspace), rows: rows).fill()
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
}
