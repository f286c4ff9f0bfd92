import Attribution

/// The codes of the texts in each column, numbered as the texts are first seen; 0 is the empty text.
///
/// Codes are assigned in memory. New codes are written in the same transaction as the first block that uses them; an
/// unused code is harmless.
package struct ColumnCodes: Sendable {
    private var tables = LedgerColumn.all.map { _ in Table() }
    /// Codes of traits, which avoids building their texts.
    private var traits: [PostbackTraits: Int64] = [:]

    private struct Table: Sendable {
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

    /// Only the empty texts have codes.
    package init() {}

    // MARK: Reading

    /// Codes are consecutive; one so far beyond the last is damaged, and not read.
    package static let longestGap: Int64 = 1_000_000

    /// Takes over a text of the store unless it is damaged.
    package mutating func note(_ value: String, code: Int64, _ column: LedgerColumn, checksum: Int64) {
        guard code > 0, code <= Int64(tables[column.rawValue].values.count) + Self.longestGap else {
            return
        }
        // A code in use is not given to another text, even if its own is damaged.
        tables[column.rawValue].pad(through: code)
        if checksum == Self.checksum(column, code, value) {
            tables[column.rawValue].note(value, code: code)
        }
    }

    /// Says that all texts of a column were taken over, and which is the highest code in its blocks: one whose text is
    /// lost is not given to another text, and what has it is counted from the bytes.
    package mutating func didRead(_ column: LedgerColumn, highestUsed: Int64, isCounting: Bool = true) {
        let index = column.rawValue
        tables[index].pad(through: min(highestUsed, Int64(tables[index].values.count) + Self.longestGap))
        tables[index].storedCount = tables[index].values.count
        guard column == .traits else {
            return
        }
        for (code, text) in tables[index].values.enumerated() where text?.isEmpty == false {
            if let known = text.flatMap({ PostbackTraits($0) }) {
                traits[known] = Int64(code)
            } else if isCounting {
                // Written by another version: treated as damaged.
                if let text {
                    tables[index].codes[text] = nil
                }
                tables[index].values[code] = nil
            }
        }
    }

    /// What is stored beside a text.
    package static func checksum(_ column: LedgerColumn, _ code: Int64, _ value: String) -> Int64 {
        var checksum = Checksum()
        checksum.add(Int64(column.rawValue))
        checksum.add(code)
        checksum.add(value)
        return Int64(bitPattern: checksum.value)
    }

    // MARK: Codes

    /// The values of a postback in some columns; 0 in the others.
    package mutating func row(_ facts: PostbackFacts, _ columns: [LedgerColumn]) -> ColumnRow {
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

    /// The code of a text, assigned if it has none.
    package mutating func code(_ text: String, _ column: LedgerColumn) -> Int64 {
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
    package func values(_ column: LedgerColumn) -> [String?] {
        tables[column.rawValue].values
    }

    /// Whether every code of a column has a text.
    func isWhole(_ column: LedgerColumn) -> Bool {
        tables[column.rawValue].codes.count == tables[column.rawValue].values.count
    }

    /// Whether two values of a column mean the same.
    package func areSame(_ value: Int64, _ other: Int64, _ column: LedgerColumn) -> Bool {
        guard value != other else {
            return true
        }
        // Two codes may have the same text if an entry was once damaged.
        let values = tables[column.rawValue].values
        guard column.isCoded, let index = Int(exactly: value), values.indices.contains(index) else {
            return false
        }
        return values[index] != nil && values[index] == values[Int(other)]
    }

    // MARK: Writing

    /// The codes of a column that the store does not have.
    package func fresh(_ column: LedgerColumn) -> [(code: Int64, value: String)] {
        let table = tables[column.rawValue]
        return (table.storedCount..<table.values.count).map { (Int64($0), table.values[$0] ?? "") }
    }

    /// Marks all codes as stored, after the commit.
    package mutating func didWrite() {
        for index in tables.indices {
            tables[index].storedCount = tables[index].values.count
        }
    }
}
