import Attribution

/// The cells of a pass, sorted into rows.
struct AnswerRows {
    /// The counters that each code of traits increments; those of code *n* begin at index `counterStarts[n]`.
    private var counters: [Counts.Counter] = []
    private var counterStarts = [0]
    private var cells: [(traits: UInt32, count: Int64)] = []
    /// The index of the first cell of each row, and the end of the last row.
    private var starts: [Int] = []
    /// The rank of each dimension's value, row by row.
    private var ranks: [UInt32] = []
    /// The texts of each dimension by rank.
    private let texts: [[String]]

    /// Sorts the cells of a pass.
    init<Key>(_ scan: ColumnScan<Key>, _ question: LedgerQuestion, _ layout: ScanLayout) throws {
        let known = scan.codes.values(.traits).map { $0.flatMap { PostbackTraits($0) } }
        for traits in known {
            counters += traits?.counted.counters ?? []
            counterStarts.append(counters.count)
        }
        let found = scan.cells.cells
        let orders = question.dimensions.map { DimensionOrder($0, scan, layout, known, found) }
        texts = orders.map(\.texts)
        switch orders.reduce(0, { $0 + $1.bits }) {
        case ...UInt64.bitWidth: sort(found, orders, layout, as: UInt64.self)
        case ...UInt128.bitWidth: sort(found, orders, layout, as: UInt128.self)
        default: throw LedgerQuestionError.tooManyCombinations
        }
    }

    private mutating func sort<Key: FixedWidthInteger, Rank: FixedWidthInteger & UnsignedInteger>(
        _ found: [(key: Key, count: Int64)],
        _ orders: [DimensionOrder],
        _ layout: ScanLayout,
        as: Rank.Type
    ) {
        var ranked = found.indices.map { (rank: 0 as Rank, index: $0) }
        for order in orders {
            for position in ranked.indices {
                ranked[position].rank =
                    ranked[position].rank << order.bits | Rank(order.rank(found[position].key))
            }
        }
        ranked.sort { $0.rank < $1.rank }
        cells.reserveCapacity(found.count)
        var row: Rank?
        for (rank, index) in ranked {
            if rank != row {
                row = rank
                starts.append(cells.count)
                var shift = orders.reduce(0) { $0 + $1.bits }
                for order in orders {
                    shift -= order.bits
                    ranks.append(UInt32(truncatingIfNeeded: (rank >> shift) & ((Rank(1) << order.bits) - 1)))
                }
            }
            cells.append((UInt32(truncatingIfNeeded: layout.traits.code(found[index].key)), found[index].count))
        }
        if orders.isEmpty, starts.isEmpty {
            // Without dimensions there is always one row, even if nothing was counted.
            starts.append(0)
        }
        starts.append(cells.count)
    }

    /// The rows, created on access.
    var rows: LedgerRows {
        LedgerRows(count: starts.count - 1) { row(at: $0) }
    }

    private func row(at index: Int) -> LedgerRow {
        let width = texts.count
        return LedgerRow(
            values: (0..<width).map { texts[$0][Int(ranks[index * width + $0])] },
            counts: counts(starts[index]..<starts[index + 1]))
    }

    /// The sum of all rows.
    var totals: Counts {
        counts(0..<cells.count)
    }

    private func counts(_ range: Range<Int>) -> Counts {
        var counts = Counts()
        for index in range {
            let (traits, count) = (Int(cells[index].traits), cells[index].count)
            for counter in counterStarts[traits]..<counterStarts[traits + 1] {
                counts.add(count, to: counters[counter])
            }
        }
        return counts
    }
}

/// The values of a dimension that occur in an answer, in order.
private struct DimensionOrder {
    private let field: ScanLayout.Field
    /// The ranks by code.
    private let ranks: [UInt32]
    let texts: [String]

    /// The bits of a rank.
    var bits: Int {
        ScanLayout.bits(texts.count)
    }

    init<Key: FixedWidthInteger>(
        _ dimension: ReportDimension,
        _ scan: ColumnScan<Key>,
        _ layout: ScanLayout,
        _ traits: [PostbackTraits?],
        _ found: [(key: Key, count: Int64)]
    ) {
        let field = layout.dimensions.first { $0.dimension == dimension }?.field ?? layout.traits
        self.field = field
        let times = scan.periods.first { $0.dimension == dimension }
        let labels: [String?] =
            if let times {
                times.labels
            } else if let column = LedgerColumn(dimension) {
                scan.codes.values(column)
            } else {
                traits.map { $0?.value(dimension) }
            }
        var isUsed = Array(repeating: false, count: labels.count)
        for (key, _) in found {
            isUsed[field.code(key)] = true
        }
        let used = labels.indices.filter { isUsed[$0] }
        var ranks = Array(repeating: UInt32(0), count: labels.count)
        if let times {
            // In chronological order, which may differ from that of the texts.
            let ordered = used.sorted { times.periods[$0] < times.periods[$1] }
            for (rank, code) in ordered.enumerated() {
                ranks[code] = UInt32(rank)
            }
            texts = ordered.map { labels[$0] ?? "" }
        } else {
            // Several codes of traits may have the same text.
            let ordered = Set(used.map { labels[$0] ?? "" }).map { OrderedValue($0) }.sorted()
            let rankByText = Dictionary(
                uniqueKeysWithValues: ordered.enumerated().map { ($0.element.text, UInt32($0.offset)) })
            for code in used {
                ranks[code] = rankByText[labels[code] ?? "", default: 0]
            }
            texts = ordered.map(\.text)
        }
        self.ranks = ranks
    }

    /// The rank of a key's value.
    @inline(__always)
    func rank<Key: FixedWidthInteger>(_ key: Key) -> UInt32 {
        ranks[field.code(key)]
    }
}
