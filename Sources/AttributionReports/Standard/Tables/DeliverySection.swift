import Attribution

/// Makes sections whose rows are deliveries: their totals are the sum of the rows.
struct DeliverySection {
    /// Deliveries added up.
    struct Sums {
        /// All of them.
        var count: Int64 = 0
        /// Those whose bytes are in the store.
        var kept: Int64 = 0
        /// The network's own copies.
        var network: Int64 = 0
        /// Developers' copies.
        var developer: Int64 = 0
        /// By outcome.
        var byStatus: [Recording.Status: Int64] = [:]

        /// Adds other deliveries.
        static func += (lhs: inout Self, rhs: Self) {
            lhs.count += rhs.count
            lhs.kept += rhs.kept
            lhs.network += rhs.network
            lhs.developer += rhs.developer
            lhs.byStatus.merge(rhs.byStatus, uniquingKeysWith: +)
        }
    }

    /// The deliveries of one combination of keys.
    struct Row {
        let names: [String]
        let current: Sums
        let previous: Sums?

        init(_ names: [String], _ current: Sums, _ previous: Sums?) {
            self.names = names
            self.current = current
            self.previous = previous
        }
    }

    let keys: [ReportSectionColumn]
    let figures: [(column: ReportSectionColumn, count: (Sums) -> Int64)]

    /// A section with all rows and their totals.
    func section(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ rows: [Row],
        notes: [String] = [],
        chart: ReportChart? = nil
    ) -> ReportSection {
        func row(_ names: [String], _ current: Sums, _ previous: Sums?) -> ReportSectionRow {
            func cells(_ sums: Sums) -> [ReportCell] {
                names.map(ReportCell.key) + figures.map { .count($0.count(sums)) }
            }
            return ReportSectionRow(cells(current), previous: previous.map(cells))
        }
        let previous = rows.compactMap(\.previous)
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: keys + figures.map(\.column),
            rows: rows.map { row($0.names, $0.current, $0.previous) },
            totals: row(
                Array(repeating: "", count: keys.count), rows.reduce(into: Sums()) { $0 += $1.current },
                previous.isEmpty ? nil : previous.reduce(into: Sums()) { $0 += $1 }),
            notes: notes, chart: chart)
    }
}

extension DeliveryCounts {
    /// The sums of the deliveries of some kinds.
    func sums(_ isCounted: (Kind) -> Bool) -> DeliverySection.Sums {
        tallies.reduce(into: DeliverySection.Sums()) { sums, entry in
            guard isCounted(entry.key) else {
                return
            }
            sums.count += entry.value.count
            sums.kept += entry.value.kept
            switch entry.key.recipient {
            case .network: sums.network += entry.value.count
            case .developer: sums.developer += entry.value.count
            }
            sums.byStatus[entry.key.status, default: 0] += entry.value.count
        }
    }
}
