import Attribution

extension CampaignCosts {
    /// Ads signed and installs, with totals; the most ads first, and campaigns whose ads are not known last.
    func impressionSection(_ notes: CostNotes, top: Int?) -> ReportSection {
        let columns =
            CostColumns.keys + [
                CostColumns.impressions, CostColumns.installs,
                ReportSectionColumn(
                    "installs-with-impressions", "With impressions", .count, .signed,
                    "Installs of campaigns with impressions signed in these days."),
                ReportSectionColumn(
                    "installs-per-thousand", "Installs per thousand", .decimal, .ours,
                    "Installs of campaigns with impressions signed, per thousand of these impressions.",
                    denominator: "impressions"),
            ]
        let noKeys = CostColumns.keys.map { _ in "" }
        func cells(_ keys: [String], _ sums: CostSums, _ counted: Int64) -> [ReportCell] {
            let rate = sums.impressions.map { impressions in
                ReportCell.decimal(Double(counted) * 1_000 / Double(impressions), places: 3)
            }
            return keys.map(ReportCell.key) + [
                sums.impressions.map { .count($0) } ?? .absent, .count(sums.installs), .count(counted),
                rate ?? .absent,
            ]
        }
        func compared(_ keys: [String], _ sums: CostSums) -> [ReportCell] {
            Array(cells(keys, sums, 0).prefix(6)) + [.absent, .absent]
        }
        var (total, counted) = (CostSums(), Int64(0))
        var previousTotal: CostSums?
        for row in rows {
            total.add(row.current)
            counted += row.current.installsWithImpressions
            if let previous = row.previous {
                var sum = previousTotal ?? CostSums()
                sum.add(previous)
                previousTotal = sum
            }
        }
        let ordered = rows.filter { row in
            [row.current, row.previous].contains { $0.map { $0.installs > 0 || $0.impressions != nil } ?? false }
        }.enumerated().sorted { left, right in
            let (first, second) = (left.element.current, right.element.current)
            let order = [
                (first.impressions ?? -1, second.impressions ?? -1), (first.installs, second.installs),
                (Int64(-left.offset), Int64(-right.offset)),
            ].first { $0 != $1 }
            return order.map { $0 > $1 } ?? false
        }.map(\.element)
        let count = min(top ?? .max, ordered.count)
        return ReportSection(
            name: "impressions", title: "Impressions and installs",
            meaning: "Ads signed for each campaign, and installs per thousand of them.", columns: columns,
            rows: ordered.prefix(count).map { row in
                ReportSectionRow(
                    cells(row.keys, row.current, row.current.installsWithImpressions),
                    previous: row.previous.map { compared(row.keys, $0) })
            },
            totals: ReportSectionRow(
                cells(noKeys, total, counted),
                previous: previousTotal.map { compared(noKeys, $0) }),
            omittedRows: ordered.count - count, notes: notes.impressions)
    }
}

extension CostSums {
    /// Adds what can be added: counts.
    fileprivate mutating func add(_ other: CostSums) {
        installs += other.installs
        if let count = other.impressions {
            impressions = (impressions ?? 0) + count
        }
    }
}
