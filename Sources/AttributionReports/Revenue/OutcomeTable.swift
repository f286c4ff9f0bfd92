import Attribution

/// How many values could be decoded, by app.
struct OutcomeTable {
    private var sums:
        [String: (current: [DecodedConversion.Outcome: Int64], previous: [DecodedConversion.Outcome: Int64])] =
            [:]
    private let isCompared: Bool

    init(isCompared: Bool) {
        self.isCompared = isCompared
    }

    mutating func add(_ row: RevenueDecoder.Row, _ current: Int64, _ previous: Int64?) {
        sums[row.app, default: ([:], [:])].current[row.decoded.outcome, default: 0] += current
        sums[row.app, default: ([:], [:])].previous[row.decoded.outcome, default: 0] += previous ?? 0
    }

    var section: ReportSection {
        let apps = sums.keys.map { OrderedValue($0) }.sorted().map(\.text)
        let rows = apps.map { app in
            row(app, sums[app]?.current ?? [:], sums[app]?.previous ?? [:])
        }
        let current = sums.values.reduce(into: [:]) { $0.merge($1.current, uniquingKeysWith: +) }
        let previous = sums.values.reduce(into: [:]) { $0.merge($1.previous, uniquingKeysWith: +) }
        return ReportSection(
            name: "outcomes", title: "What the values could be decoded to",
            meaning: "Every postback of a winner once; a postback without a value, or with one that means nothing, "
                + "is not one with revenue 0.",
            columns: [.key(.app)]
                + DecodedConversion.Outcome.allCases.map { outcome in
                    ReportSectionColumn(
                        outcome.rawValue, outcome.title, .count, .unsigned, outcome.definition, isCompared: true)
                } + [
                    ReportSectionColumn(
                        "postbacks", "Postbacks", .count, .signed, "The sum of the other columns.", isCompared: true)
                ],
            rows: rows, totals: row("", current, previous))
    }

    private func row(
        _ app: String,
        _ current: [DecodedConversion.Outcome: Int64],
        _ previous: [DecodedConversion.Outcome: Int64]
    ) -> ReportSectionRow {
        func cells(_ counts: [DecodedConversion.Outcome: Int64]) -> [ReportCell] {
            [.key(app)] + DecodedConversion.Outcome.allCases.map { .count(counts[$0] ?? 0) }
                + [.count(counts.values.reduce(0, +))]
        }
        return ReportSectionRow(cells(current), previous: isCompared ? cells(previous) : nil)
    }
}

extension DecodedConversion.Outcome {
    fileprivate var title: String {
        switch self {
        case .revenue: "Revenue"
        case .between: "Of two schemas"
        case .eventsOnly: "Events only"
        case .undecided: "Undecided"
        case .unmapped: "Without meaning"
        case .withoutSchema: "Without schema"
        case .null: "Null"
        case .absent: "Absent"
        case .invalid: "Invalid"
        }
    }

    fileprivate var definition: String {
        switch self {
        case .revenue: "The value has one meaning, with revenue."
        case .between: "The value may be of either of two schemas, both with revenue in one currency."
        case .eventsOnly: "The value has a meaning that says nothing of revenue."
        case .undecided:
            "The value may be of either of two schemas that cannot be compared: in one it has no meaning, no revenue, or "
                + "another currency."
        case .unmapped: "The app's schema gives the value no meaning."
        case .withoutSchema: "The value may have been set on a day for which the app has no schema."
        case .null: "The value is null: the app set none, or Apple withheld it."
        case .absent: "The postback has no field for a value."
        case .invalid: "The value is out of range, or fine and coarse at once."
        }
    }
}
