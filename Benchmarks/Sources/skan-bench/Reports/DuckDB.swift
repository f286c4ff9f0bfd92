import Foundation

/// DuckDB, which counts the same over Parquet on one thread: what a report is held against.
struct DuckDB {
    private let modules: String
    private let workspace: Workspace

    struct Result {
        /// The median.
        let seconds: Double
        /// How many groups there are.
        let rows: Int
    }

    /// Installs it with pip into a folder of its own; throws where that cannot be done.
    init(in workspace: Workspace) throws {
        modules = "\(workspace.stores)/python"
        self.workspace = workspace
        if !FileManager.default.fileExists(atPath: "\(modules)/duckdb") {
            _ = try ChildProcess.output(
                of: [
                    "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", modules,
                    "duckdb",
                ], in: workspace, atMost: 300)
        }
        _ = try run("import duckdb; print(duckdb.__version__)", [])
    }

    /// Its version.
    func version() throws -> String {
        try run("import duckdb; print(duckdb.__version__)", []).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes the postbacks of a store of that size as Parquet, unless a former run did.
    func facts(_ rows: Int) throws -> String {
        let parquet = "\(workspace.stores)/\(rows).parquet"
        if !FileManager.default.fileExists(atPath: parquet) {
            let csv = workspace.file("facts.csv")
            defer { workspace.remove(csv) }
            try workspace.demand(bytes: rows * 150, for: "the same postbacks for DuckDB")
            try FactsFile.write(rows, to: csv)
            _ = try run(Self.conversion, [csv, parquet])
        }
        return parquet
    }

    /// Counts what a report counts; of two ways to ask for it, the faster.
    func count(_ question: ReportQuestion, in parquet: String) throws -> Result {
        let lines = try run(Self.counting, [parquet, question.groups, question.condition])
        let words = lines.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let seconds = Double(words[0]), let rows = Int(words[1]) else {
            throw BenchmarkFailure("DuckDB: found \(lines), expected seconds and rows")
        }
        return Result(seconds: seconds, rows: rows)
    }

    private func run(_ script: String, _ arguments: [String]) throws -> String {
        let file = workspace.file("count.py")
        try script.write(toFile: file, atomically: false, encoding: .utf8)
        return try ChildProcess.output(
            of: ["env", "PYTHONPATH=\(modules)", "python3", file] + arguments, in: workspace, atMost: 600)
    }

    private static let conversion = """
        import duckdb, sys
        duckdb.execute(f\"\"\"
            COPY (
                SELECT epoch_ms(received_at) AS received_at, * EXCLUDE received_at
                FROM read_csv('{sys.argv[1]}', header = true, columns = {{
                    'received_at': 'BIGINT', 'network': 'VARCHAR', 'app': 'BIGINT', 'campaign_id': 'SMALLINT',
                    'source_identifier': 'SMALLINT', 'source_app': 'BIGINT', 'version': 'VARCHAR',
                    'did_win': 'BOOLEAN', 'redownload': 'BOOLEAN', 'sequence_index': 'TINYINT',
                    'conversion': 'TINYINT', 'coarse': 'VARCHAR' }})
            ) TO '{sys.argv[2]}' (FORMAT parquet)
            \"\"\")
        """

    /// The counters of `skan report --format csv` that are not 0, in one pass, and from counts of equal postbacks.
    private static let counting = """
        import duckdb, statistics, sys, time
        parquet, groups, condition = sys.argv[1:4]
        first = "did_win IS NOT false AND coalesce(sequence_index, 0) = 0"
        later = "did_win AND sequence_index > 0"
        conditions = [
            "true", first, f"{first} AND redownload", f"{first} AND redownload IS NOT NULL", f"{first} AND did_win",
            "NOT did_win", f"{first} AND conversion IS NULL AND coarse IS NULL", f"{first} AND conversion IS NOT NULL",
            "did_win AND sequence_index = 1", "did_win AND sequence_index = 2", f"{later} AND coarse IS NULL",
        ] + [f"{later} AND coarse = '{value}'" for value in ("low", "medium", "high")]
        once = ", ".join(f"count(*) FILTER ({each})" for each in conditions) \\
            + f", sum(conversion) FILTER ({first})"
        twice = ", ".join(f"sum(n) FILTER ({each})" for each in conditions) \\
            + f", sum(conversion * n) FILTER ({first})"
        names = [f"g{index}" for index in range(len(groups.split(", "))) if groups.count("(") == 0] or ["g0"]
        parts = groups.split(", ") if groups.count("(") == 0 else [groups]
        named = ", ".join(f"{part} AS {name}" for part, name in zip(parts, names))
        traits = "version, did_win, redownload, sequence_index, conversion, coarse"
        source = f"FROM '{parquet}' WHERE {condition}"
        queries = [
            f"SELECT {named}, {once} {source} GROUP BY {', '.join(names)}",
            f"WITH cells AS (SELECT {named}, {traits}, count(*) AS n {source} GROUP BY ALL) "
            f"SELECT {', '.join(names)}, {twice} FROM cells GROUP BY {', '.join(names)}",
        ]
        duckdb.execute("SET threads = 1")
        best, rows = None, 0
        for query in queries:
            times = []
            for _ in range(4):
                start = time.monotonic()
                rows = len(duckdb.execute(query).fetchall())
                times.append(time.monotonic() - start)
            median = statistics.median(times[1:])
            best = median if best is None else min(best, median)
        print(best, rows)
        """
}
