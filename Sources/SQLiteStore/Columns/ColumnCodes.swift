import Attribution
import AttributionStore
import GRDB

/// The codes of the texts in each column, numbered as the texts are first seen; 0 is the empty text.
///
/// Codes are assigned in memory. New codes are written in the same transaction as the first block that uses them; an
/// unused code is harmless.
struct ColumnCodes {
    private var tables = LedgerColumn.allCases.map { _ in Table() }
    /// Codes of traits, which avoids building their texts.
    private var traits: [PostbackTraits: Int64] = [:]

    private struct Table {
        var codes: [String: Int64] = ["": 0]
        /// Texts by code; nil if damaged in the store.
        var values: [String?] = [""]
        /// How many of them the store has.
        var storedCount = 1
        /// The most recent lookup: most texts repeat many times in a row.
        private var last: (text: String, code: Int64) = ("", 0)

        mutating func note(_ value: String, code: Int64) {
            pad(through: code)
            values[Int(code)] = value
            codes[value] = code
        }

        mutating func pad(through code: Int64) {
            if code >= values.count {
                values += Array(repeating: nil, count: Int(code) + 1 - values.count)
            }
        }

        mutating func code(_ text: String) -> Int64 {
            if text == last.text {
                return last.code
            }
            let code = codes[text] ?? Int64(values.count)
            if code == values.count {
                values.append(text)
                codes[text] = code
            }
            last = (text, code)
            return code
        }
    }

    /// Reads the codes of some columns.
    ///
    /// - Parameters:
    ///   - db: The store.
    ///   - columns: The columns to read; the others stay empty.
    /// - Throws: SQLite's errors.
    init(_ db: Database, _ columns: some Sequence<LedgerColumn> = LedgerColumn.coded) throws {
        for column in columns {
            var table = Table()
            let isRead: Void? = try Database.nilIfDamaged {
                try Self.read(column, db, into: &table)
            }
            // A code in use must not be reassigned even if its text is lost; blocks with it are counted from the bytes.
            let highest = try Database.nilIfDamaged {
                try Int64.fetchOne(
                    db.cachedStatement(sql: "SELECT max(highest) FROM column_block WHERE \(ColumnBlock.columnSQL) = ?"),
                    arguments: [column.rawValue])
            }
            switch highest {
            case .some(let highest):
                table.pad(through: min(highest ?? 0, Int64(table.values.count) + Self.longestGap))
            case nil where isRead == nil:
                // The codes in use are unknown, so new codes leave a wide gap.
                table.pad(through: Int64(table.values.count) + Self.longestGap)
            case nil:
                break
            }
            table.storedCount = table.values.count
            tables[column.rawValue] = table
        }
        for (code, text) in tables[LedgerColumn.traits.rawValue].values.enumerated() where text?.isEmpty == false {
            if let known = text.flatMap({ PostbackTraits($0) }) {
                traits[known] = Int64(code)
            } else {
                // Written by another version: treated as damaged.
                tables[LedgerColumn.traits.rawValue].values[code] = nil
            }
        }
    }

    private static func read(_ column: LedgerColumn, _ db: Database, into table: inout Table) throws {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: "SELECT code, value, checksum FROM column_value WHERE column_number = ? ORDER BY code"),
            arguments: [column.rawValue])
        while let row = try rows.next() {
            guard let value = try? row.text(1) else {
                continue
            }
            let code = try row.integer(0)
            // Codes are consecutive; one far beyond the last is damage.
            guard code > 0, code <= Int64(table.values.count) + longestGap + 1 else {
                continue
            }
            table.pad(through: code)
            if try row.optional(2) == checksum(column, code, value) {
                table.note(value, code: code)
            }
        }
    }

    /// The most consecutive texts that may be lost.
    private static let longestGap: Int64 = 1_000_000

    private static func checksum(_ column: LedgerColumn, _ code: Int64, _ value: String) -> Int64 {
        var checksum = Checksum()
        checksum.add(Int64(column.rawValue))
        checksum.add(code)
        checksum.add(value)
        return Int64(bitPattern: checksum.value)
    }

    // MARK: Codes

    /// The values of a postback in some columns; 0 in the others.
    mutating func row(_ facts: PostbackFacts, _ columns: some Sequence<LedgerColumn>) -> ColumnRow {
        var row = ColumnRow()
        for column in columns {
            row[column] =
                switch column {
                case .traffic: code(facts.traffic.rawValue, column)
                case .traits: code(facts.traits)
                case .quarter: facts.quarter
                case .app: code(facts.app, column)
                case .campaignID: code(facts.campaignID, column)
                case .sourceIdentifier: code(facts.sourceIdentifier, column)
                case .sourceApp: code(facts.sourceApp, column)
                case .sourceDomain: code(facts.sourceDomain, column)
                case .network: code(facts.network, column)
                case .country: code(facts.country, column)
                case .marketplace: code(facts.marketplace, column)
                case .recipient: code(facts.recipient.rawValue, column)
                case .transaction: facts.transaction
                case .key: Int64(bitPattern: facts.key)
                }
        }
        return row
    }

    private mutating func code(_ text: String, _ column: LedgerColumn) -> Int64 {
        text.isEmpty ? 0 : tables[column.rawValue].code(text)
    }

    private mutating func code(_ known: PostbackTraits) -> Int64 {
        if let code = traits[known] {
            return code
        }
        let code = tables[LedgerColumn.traits.rawValue].code(known.description)
        traits[known] = code
        return code
    }

    /// The code of a text; nil if no postback has it.
    func known(_ text: String, _ column: LedgerColumn) -> Int64? {
        tables[column.rawValue].codes[text]
    }

    /// How many codes a column has, including damaged ones.
    func count(_ column: LedgerColumn) -> Int {
        tables[column.rawValue].values.count
    }

    /// The texts of a column by code; nil if damaged.
    func values(_ column: LedgerColumn) -> [String?] {
        tables[column.rawValue].values
    }

    /// Whether every code of a column has a text.
    func isWhole(_ column: LedgerColumn) -> Bool {
        tables[column.rawValue].codes.count == tables[column.rawValue].values.count
    }

    // MARK: Writing

    /// Writes new codes.
    func write(_ db: Database) throws {
        for column in LedgerColumn.coded {
            let table = tables[column.rawValue]
            for code in table.storedCount..<table.values.count {
                let value = table.values[code] ?? ""
                try db.cachedStatement(sql: "INSERT OR REPLACE INTO column_value VALUES (?, ?, ?, ?)").execute(
                    arguments: [
                        column.rawValue, code, value, Self.checksum(column, Int64(code), value),
                    ])
            }
        }
    }

    /// Marks all codes as stored, after the commit.
    mutating func didWrite() {
        for index in tables.indices {
            tables[index].storedCount = tables[index].values.count
        }
    }
}
