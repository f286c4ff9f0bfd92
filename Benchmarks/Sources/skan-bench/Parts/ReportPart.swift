import Foundation

/// Reports over a full store: the whole command, the console, and DuckDB counting the same.
struct ReportPart: BenchmarkPart {
    let name = "report"
    let summary = "reports over ten million postbacks: the standard one, by days, by two dimensions, against DuckDB"

    private static let smallRows = 100_000 / StorePreload.step * StorePreload.step
    private static let rounds = 7
    private static let coldRounds = 3

    func run(_ bench: Bench) throws {
        // What is wrong with the format shows there.
        _ = try bench.stores.store(holding: Self.smallRows)
        let store = try bench.stores.store(holding: bench.options.rows)
        let duckDB = duckDB(bench)
        let parquet = try duckDB?.facts(bench.options.rows)
        for question in [.standard] + ReportQuestion.others {
            let (seconds, rows) = try warm(question, store, bench)
            add(question.name, seconds, .atMost(question.bar), bench)
            if let duckDB, let parquet {
                let result = try duckDB.count(question, in: parquet)
                // What other parts recorded into the store since then has groups of its own.
                guard result.rows <= rows else {
                    throw BenchmarkFailure("\(question.name): skan has \(rows) rows, DuckDB \(result.rows)")
                }
                bench.board.add(
                    Figure(
                        name: "`skan report`, \(question.name), \(rows.shown) rows ÷ DuckDB, one thread, Parquet",
                        measured: "\(seconds.shown) s",
                        reference: "\(result.seconds.shown) s",
                        value: seconds / result.seconds,
                        bar: .atMost(2),
                        caveat: bench.caveat(bench.options.rows)))
            }
        }
        try measureCold(store, bench)
        try measureConsole(store, bench)
    }

    private func add(_ name: String, _ seconds: Double, _ bar: Figure.Bar?, measured: String = "", _ bench: Bench) {
        bench.board.add(
            Figure(
                name: "`skan report`, \(bench.options.rows.shown) stored: \(name)",
                measured: measured.isEmpty ? "whole process" : measured,
                value: seconds,
                unit: "s",
                bar: bar,
                caveat: bench.caveat(bench.options.rows)))
    }

    /// Installed on first use; nil, and a word, where that fails.
    private func duckDB(_ bench: Bench) -> DuckDB? {
        do {
            let duckDB = try DuckDB(in: bench.workspace)
            bench.board.note("DuckDB \(try duckDB.version())")
            return duckDB
        } catch {
            bench.board.note("SKIPPED: nothing is held against DuckDB, which cannot be installed or used: \(error)")
            return nil
        }
    }

    /// The median of seven runs after one that fills the cache, and how many rows the report has.
    private func warm(_ question: ReportQuestion, _ store: String, _ bench: Bench) throws -> (Double, Int) {
        let output = bench.workspace.file("report.csv")
        let times = try (0...Self.rounds).map { _ in try seconds(question, store, output, bench) }
        let lines = try Data(contentsOf: URL(filePath: output)).count { $0 == 0x0a }
        return (Array(times.dropFirst()).median, lines - 1)
    }

    private func seconds(
        _ question: ReportQuestion, _ store: String, _ output: String, _ bench: Bench
    ) throws -> Double {
        let errors = bench.workspace.file("errors")
        let ending = try ChildProcess(
            [bench.options.skan, "report", "--store", store] + question.arguments, on: Core.both,
            in: bench.workspace, output: output, errors: errors
        ).wait(atMost: 300)
        guard ending.status == 0 else {
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw BenchmarkFailure("skan report, \(question.name): status \(ending.status)\n\(text)")
        }
        return ending.seconds
    }

    private func measureCold(_ store: String, _ bench: Bench) throws {
        var times: [Double] = []
        for _ in 0..<Self.coldRounds {
            guard FileCache.drop() else {
                bench.board.note("SKIPPED: only root may empty the system's cache, so nothing was measured cold")
                return
            }
            times.append(try seconds(.standard, store, bench.workspace.file("report.csv"), bench))
        }
        add("the standard report, cold cache", times.median, .atMost(2), bench)
    }

    /// The same over HTTP, from a server on one core.
    private func measureConsole(_ store: String, _ bench: Bench) throws {
        let server = try Server(skan: bench.options.skan, store: store, options: bench.keys.trust, in: bench.workspace)
        defer { server.stop() }
        let console = ConsoleClient(port: server.port(of: .console))
        for question in [.standard] + ReportQuestion.others {
            let times = try (0...3).map { _ in try console.get(question.path).seconds }
            add(
                "\(question.name), over HTTP", Array(times.dropFirst()).median, nil, measured: "server on one core",
                bench)
        }
    }
}
