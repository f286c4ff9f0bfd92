import Foundation

/// Multiplies what a server has recorded, in SQL, as if it had come over many days.
///
/// Each recorded postback is a template: its row is copied with another time and another transaction id, in the body
/// too, once in each block of rows; a day has a whole number of blocks, so that its tallies are those of the templates
/// times that number. Columns are read from the database, so that it does not depend on which there are. The copies'
/// signatures are not valid any more, and their digests are random as those of true postbacks are; `skan recount` finds
/// no other difference. The stored index is left out: the next server makes it again from the rows.
struct StorePreload {
    let tool: SQLiteTool
    let rows: Int

    /// How many postbacks must have been recorded.
    static let templates = 2_000
    /// Rows are a multiple of this.
    static let step = templates * PostbackShape.days
    /// Rows of one statement.
    private static let chunk = 1_000_000

    func fill() throws {
        let tallied = try tool.number("SELECT min(postback_id) FROM tally_mark;")
        guard tallied == Self.templates, try tool.number("SELECT count(*) FROM postback;") == Self.templates else {
            throw BenchmarkFailure("expected \(Self.templates) templates in the tallies, found \(tallied)")
        }
        let columns = try tool.run("SELECT name FROM pragma_table_info('postback') ORDER BY cid;")
        var sql = [
            "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;",
            "PRAGMA cache_size = -500000; PRAGMA temp_store = MEMORY;",
            "CREATE TEMP TABLE template AS SELECT * FROM postback ORDER BY id;",
            "CREATE TEMP TABLE template_body AS SELECT id, body FROM postback_body ORDER BY id;",
            "DELETE FROM key_block; DELETE FROM postback_quarter; DELETE FROM postback; DELETE FROM postback_body;",
        ]
        for first in stride(from: 1, through: rows, by: Self.chunk) {
            sql.append(copy(columns, first, min(rows, first + Self.chunk - 1)))
        }
        sql.append(try multipliedTallies())
        sql.append(
            """
            INSERT INTO postback_quarter (quarter, first_id, last_id)
            SELECT received_at / 900000, min(id), max(id) FROM postback GROUP BY 1;
            UPDATE tally_mark SET postback_id = \(rows);
            DELETE FROM delivery;
            INSERT INTO delivery (quarter, status, traffic, reason, recipient, count, kept)
            SELECT received_at / 900000, 'recorded', traffic, '', recipient, count(*), count(*)
            FROM postback GROUP BY 1, 3, 5;
            PRAGMA journal_mode = WAL;
            """)
        _ = try tool.run(sql.joined(separator: "\n"))
    }

    private var today: Int {
        Int(Date().timeIntervalSince1970) / 86_400
    }

    private func copy(_ columns: [String], _ first: Int, _ last: Int) -> String {
        let rowsOfDay = rows / PostbackShape.days
        let values = columns.map { column in
            switch column {
            case "id": "n"
            case "received_at", "recorded_at":
                """
                (\(today - PostbackShape.days) + (n - 1) / \(rowsOfDay)) * 86400000
                + (n - 1) % \(rowsOfDay) * 86400000 / \(rowsOfDay)
                """
            case "transaction_id": "uuid"
            case "key_digest", "content_digest": "randomblob(16)"
            default: "template.\(column)"
            }
        }
        let numbers = """
            number (n) AS (SELECT \(first) UNION ALL SELECT n + 1 FROM number WHERE n < \(last))
            """
        // Materialized, or each mention of the random id would draw another.
        return """
            INSERT INTO postback (\(columns.joined(separator: ", ")))
            WITH RECURSIVE \(numbers),
            drawn AS MATERIALIZED (SELECT n, lower(hex(randomblob(16))) AS h FROM number),
            named AS MATERIALIZED (
                SELECT n, substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-' || substr(h, 13, 4) || '-'
                    || substr(h, 17, 4) || '-' || substr(h, 21) AS uuid
                FROM drawn
            )
            SELECT \(values.joined(separator: ", "))
            FROM named CROSS JOIN template ON template.rowid = (n - 1) % \(Self.templates) + 1;
            INSERT INTO postback_body (id, body)
            SELECT postback.id, CAST(replace(
                CAST(template_body.body AS TEXT), template.transaction_id, postback.transaction_id) AS BLOB)
            FROM postback
            CROSS JOIN template ON template.rowid = (postback.id - 1) % \(Self.templates) + 1
            CROSS JOIN template_body ON template_body.rowid = template.rowid
            WHERE postback.id BETWEEN \(first) AND \(last);
            """
    }

    /// Puts the templates' tallies, times the blocks of a day, on each day.
    private func multipliedTallies() throws -> String {
        let key = "traffic, framework, ad_network_id, app_id, part"
        let quoted = key.split(separator: ", ").map { "quote(\($0))" }.joined(separator: " || ', ' || ")
        let blocks = rows / Self.step
        let parts = try tool.run("SELECT \(quoted) || '|' || hex(counts) FROM tally;").map { line in
            let fields = line.split(separator: "|")
            guard fields.count == 2, let rows = PackedTallies(hex: fields[1]) else {
                throw BenchmarkFailure("a row of the tallies cannot be read: \(line)")
            }
            return "(\(fields[0]), X'\(rows.hex(times: blocks))')"
        }
        let first = today - PostbackShape.days
        return """
            CREATE TEMP TABLE template_tally (\(key), counts);
            INSERT INTO template_tally VALUES \(parts.joined(separator: ",\n"));
            DELETE FROM tally;
            INSERT INTO tally (day, \(key), counts)
            WITH RECURSIVE days (number) AS (
                SELECT \(first) UNION ALL SELECT number + 1 FROM days WHERE number < \(today - 1)
            )
            SELECT number, \(key), counts FROM days CROSS JOIN template_tally;
            """
    }
}
