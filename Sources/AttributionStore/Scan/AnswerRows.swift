import Attribution

/// The cells of a pass, sorted into rows.
struct AnswerRows {
    /// What each traits code counts as.
    private let traits: [CountedTraits?]
    private var cells: [(traits: UInt32, count: Int64)] = []
    /// The index of the first cell of each row, and the end of the last.
    private var starts: [Int] = []
    /// The rank of each dimension's value, row after row.
    private var ranks: [UInt32] = []
    /// The texts of each dimension by rank.
    private let texts: [[String]]

    /// Sorts the cells of a pass.
    init<Key>(_ scan: ColumnScan<Key>, _ question: LedgerQuestion, _ layout: ScanLayout) throws {
        let known = scan.codes.values(.traits).map { $0.flatMap { PostbackTraits($0) } }
        traits = known.map { $0?.counted }
        var found: [(key: Key, count: Int64)] = []
        found.reserveCapacity(scan.cells.count)
        scan.cells.forEach { found.append(($0, Int64($1))) }
        let orders = question.dimensions.map { dimension in
            DimensionOrder(dimension, scan, layout, known, found.lazy.map(\.key))
        }
        texts = orders.map(\.texts)
        let bits = orders.map { ScanLayout.bits($0.texts.count) }
        guard bits.reduce(0, +) + layout.traits.bits <= UInt128.bitWidth else {
            throw LedgerQuestionError.tooManyCombinations
        }
        if bits.reduce(0, +) + layout.traits.bits <= UInt64.bitWidth {
            sort(found, orders, bits, layout, as: UInt64.self)
        } else {
            sort(found, orders, bits, layout, as: UInt128.self)
        }
    }

    private mutating func sort<Key, Rank: FixedWidthInteger & UnsignedInteger>(
        _ found: [(key: Key, count: Int64)],
        _ orders: [DimensionOrder],
        _ bits: [Int],
        _ layout: ScanLayout,
        as: Rank.Type
    ) where Key: FixedWidthInteger {
        let traitsBits = layout.traits.bits
        var ranked: [(rank: Rank, count: Int64)] = found.map { cell in
            var rank: Rank = 0
            for (order, bits) in zip(orders, bits) {
                rank = rank << bits | Rank(order.rank(cell.key))
            }
            return (rank << traitsBits | Rank(layout.traits.code(cell.key)), cell.count)
        }
        ranked.sort { $0.rank < $1.rank }
        let traitsMask = (Rank(1) << traitsBits) - 1
        var row: Rank?
        for cell in ranked {
            let rank = cell.rank >> traitsBits
            if rank != row {
                row = rank
                starts.append(cells.count)
                var shift = bits.reduce(0, +)
                for bits in bits {
                    shift -= bits
                    ranks.append(UInt32(truncatingIfNeeded: (rank >> shift) & ((Rank(1) << bits) - 1)))
                }
            }
            cells.append((UInt32(truncatingIfNeeded: cell.rank & traitsMask), cell.count))
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

    private func counts(_ cells: ArraySlice<(traits: UInt32, count: Int64)>) -> Counts {
        var sums: [UInt32: Int64] = [:]
        for cell in cells {
            sums[cell.traits, default: 0] += cell.count
        }
        var counts = Counts()
        for (code, count) in sums {
            if let traits = traits[Int(code)] {
                counts.count(traits, times: count)
            }
        }
        return counts
    }
}

/// The values of a dimension that occur in an answer, in their order.
private struct DimensionOrder {
    private let field: ScanLayout.Field
    private let ranks: [UInt32]
    let texts: [String]

    init<Key: FixedWidthInteger>(
        _ dimension: ReportDimension,
        _ scan: ColumnScan<Key>,
        _ layout: ScanLayout,
        _ traits: [PostbackTraits?],
        _ keys: some Sequence<Key>
    ) {
        field = layout.dimensions.first { $0.dimension == dimension }?.field ?? layout.traits
        let field = field
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
        for key in keys {
            isUsed[field.code(key)] = true
        }
        let used = labels.indices.filter { isUsed[$0] }
        var ranks = Array(repeating: UInt32(0), count: labels.count)
        if let times {
            // In the order of time, which is not always that of the texts.
            let ordered = used.sorted { times.periods[$0] < times.periods[$1] }
            for (rank, code) in ordered.enumerated() {
                ranks[code] = UInt32(rank)
            }
            texts = ordered.map { labels[$0] ?? "" }
        } else {
            // Several codes of traits have one text.
            let ordered = Set(used.map { labels[$0] ?? "" }).map { OrderedText($0) }.sorted()
            let rankByText = Dictionary(
                uniqueKeysWithValues: ordered.enumerated().map { ($0.element.text, UInt32($0.offset)) })
            for code in used {
                ranks[code] = rankByText[labels[code] ?? "", default: 0]
            }
            texts = ordered.map(\.text)
        }
        self.ranks = ranks
    }

    func rank(_ key: some FixedWidthInteger) -> UInt32 {
        ranks[field.code(key)]
    }
}

/// Numbers by size and before other texts, so that campaign 9 is listed before campaign 10; the empty text comes first.
private struct OrderedText: Comparable {
    let text: String
    private let number: Int64?

    init(_ text: String) {
        self.text = text
        number = Int64(text)
    }

    static func < (lhs: Self, rhs: Self) -> Bool {
        switch (lhs.number, rhs.number) {
        case (let left?, let right?) where left != right: left < right
        case (_?, nil): !rhs.text.isEmpty
        case (nil, _?): lhs.text.isEmpty
        default: lhs.text < rhs.text
        }
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text == rhs.text
    }
}
