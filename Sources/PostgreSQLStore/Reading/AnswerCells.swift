import Attribution
import AttributionStore

/// The groups of a statement, sorted into the rows of an answer.
struct AnswerCells {
    private let traits: [Int32: CountedTraits]
    private var cells: [(traits: Int32, count: Int64)] = []
    /// The index of the first cell of each row, and the end of the last.
    private var starts: [Int] = []
    /// The rank of each dimension's value, row after row.
    private var ranks: [UInt32] = []
    /// The texts of each dimension by rank.
    private let texts: [[String]]

    /// Takes the groups: a column for each dimension that is none of the traits', then traits and count.
    init(
        _ result: PostgreSQLResult,
        _ question: LedgerQuestion,
        _ known: TraitsCodes,
        _ periods: PeriodCodes,
        _ connection: PostgreSQLConnection
    ) throws {
        traits = known.byCode.mapValues(\.counted)
        var column = 0
        var orders: [ValueOrder] = []
        let columnCount = question.dimensions.count { $0.isTime || $0.column != nil }
        let codes = try (0..<result.count).map { row in
            Int32(truncatingIfNeeded: try result.integer(row, columnCount))
        }
        // A code without traits was written by a later release, whose counts nobody here knows.
        guard codes.allSatisfy({ known.byCode[$0] != nil }) else {
            throw DamagedValue(column: columnCount)
        }
        for dimension in question.dimensions {
            guard dimension.isTime || dimension.column != nil else {
                orders.append(ValueOrder(codes.map { known.byCode[$0]?.value(dimension) ?? "" }))
                continue
            }
            if let table = periods.table(dimension) {
                orders.append(try ValueOrder(result, column, table) { question.calendar.label(dimension, $0) })
            } else if dimension == .recipient {
                orders.append(ValueOrder(try (0..<result.count).map { try result.text($0, column) }))
            } else {
                orders.append(try ValueOrder(result, column, connection))
            }
            column += 1
        }
        texts = orders.map(\.texts)
        try sort(result, codes, orders, countColumn: columnCount + 1)
    }

    private mutating func sort(
        _ result: PostgreSQLResult, _ codes: [Int32], _ orders: [ValueOrder], countColumn: Int
    ) throws {
        let order = (0..<result.count).sorted { left, right in
            for values in orders where values.ranks[left] != values.ranks[right] {
                return values.ranks[left] < values.ranks[right]
            }
            return false
        }
        cells.reserveCapacity(order.count)
        var last: Int?
        for row in order {
            if last.map({ last in orders.contains { $0.ranks[last] != $0.ranks[row] } }) ?? true {
                starts.append(cells.count)
                ranks += orders.map { $0.ranks[row] }
            }
            last = row
            cells.append((codes[row], try result.integer(row, countColumn)))
        }
        if orders.isEmpty, starts.isEmpty {
            // Without dimensions the totals are the one row, though nothing was counted.
            starts.append(0)
        }
        starts.append(cells.count)
    }

    /// The rows, each made when it is asked for.
    var rows: LedgerRows {
        LedgerRows(count: starts.count - 1) { row(at: $0) }
    }

    private func row(at index: Int) -> LedgerRow {
        let width = texts.count
        return LedgerRow(
            values: (0..<width).map { texts[$0][Int(ranks[index * width + $0])] },
            counts: counts(cells[starts[index]..<starts[index + 1]]))
    }

    /// The sum of all rows.
    var totals: Counts {
        counts(cells[...])
    }

    private func counts(_ cells: ArraySlice<(traits: Int32, count: Int64)>) -> Counts {
        var sums: [Int32: Int64] = [:]
        for cell in cells {
            sums[cell.traits, default: 0] += cell.count
        }
        var counts = Counts()
        for (code, count) in sums {
            if let traits = traits[code] {
                counts.count(traits, times: count)
            }
        }
        return counts
    }
}

/// The values of a dimension that occur in an answer, in their order.
private struct ValueOrder {
    /// The rank of each group's value.
    let ranks: [UInt32]
    /// The texts by rank.
    let texts: [String]

    /// Values that are there as texts.
    init(_ values: [String]) {
        let ordered = Set(values).map { OrderedValue($0) }.sorted()
        let rankByText = Dictionary(
            uniqueKeysWithValues: ordered.enumerated().map { ($0.element.text, UInt32($0.offset)) })
        ranks = values.map { rankByText[$0, default: 0] }
        texts = ordered.map(\.text)
    }

    /// Values that are there as codes.
    init(_ result: PostgreSQLResult, _ column: Int, _ connection: PostgreSQLConnection) throws {
        let codes = try (0..<result.count).map { Int32(truncatingIfNeeded: try result.integer($0, column)) }
        var textByCode: [Int32: String] = [0: ""]
        let used = Set(codes).subtracting([0])
        if !used.isEmpty {
            let found = try connection.run(
                "SELECT code, value FROM skan.value WHERE code = ANY ($1::int4[])", [.smallIntegers(Array(used))])
            for row in 0..<found.count {
                textByCode[Int32(truncatingIfNeeded: try found.integer(row, 0))] = try found.text(row, 1)
            }
        }
        let ordered = textByCode.values.map { OrderedValue($0) }.sorted()
        let rankByText = Dictionary(
            uniqueKeysWithValues: ordered.enumerated().map { ($0.element.text, UInt32($0.offset)) })
        ranks = try codes.map { code in
            guard let rank = textByCode[code].flatMap({ rankByText[$0] }) else {
                throw DamagedValue(column: column)
            }
            return rank
        }
        texts = ordered.map(\.text)
    }

    /// Periods, in the order of time, which is not always that of the texts.
    init(
        _ result: PostgreSQLResult, _ column: Int, _ table: PeriodCodes.Table, _ label: (Int64) -> String
    ) throws {
        let codes = try (0..<result.count).map { Int(try result.integer($0, column)) }
        let used = Set(codes)
        guard used.allSatisfy(table.periods.indices.contains) else {
            throw DamagedValue(column: column)
        }
        let ordered = used.sorted { table.periods[$0] < table.periods[$1] }
        let rankByCode = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($0.element, UInt32($0.offset)) })
        ranks = codes.map { rankByCode[$0, default: 0] }
        texts = ordered.map { label(table.periods[$0]) }
    }
}
