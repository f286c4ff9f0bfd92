import Attribution

/// The events that values stand for, by app.
struct EventTable {
    /// How often an event happened: for certain, and possibly.
    private struct Bounds {
        var certain: Int64 = 0
        var possible: Int64 = 0

        var cell: ReportCell {
            .counts(certain...possible)
        }
    }

    private struct Key: Hashable {
        let app: String
        let event: String
    }

    private var current: [Key: Bounds] = [:]
    private var previous: [Key: Bounds] = [:]
    private let isCompared: Bool

    init(isCompared: Bool) {
        self.isCompared = isCompared
    }

    mutating func add(_ row: RevenueDecoder.Row, _ currentCount: Int64, _ previousCount: Int64?) {
        for event in row.decoded.possibleEvents {
            let key = Key(app: row.app, event: event)
            let isCertain = row.decoded.events.contains(event)
            current[key, default: Bounds()].possible += currentCount
            current[key, default: Bounds()].certain += isCertain ? currentCount : 0
            previous[key, default: Bounds()].possible += previousCount ?? 0
            previous[key, default: Bounds()].certain += isCertain ? previousCount ?? 0 : 0
        }
    }

    func section(top: Int?) -> ReportSection {
        let keys = current.sorted { left, right in
            left.value.possible == right.value.possible
                ? (left.key.app, left.key.event) < (right.key.app, right.key.event)
                : left.value.possible > right.value.possible
        }.map(\.key)
        let shown = keys.prefix(top ?? .max)
        return ReportSection(
            name: "events", title: "Events", meaning: "What people did, by the meaning of the values.",
            columns: [
                .key(.app),
                .names("event", "Event", .ours, "The name of the event in the schema."),
                ReportSectionColumn(
                    "postbacks", "Postbacks", .counts, .unsigned,
                    "Postbacks whose value stands for the event: at least those for which no other schema is possible.",
                    isCompared: true),
            ],
            rows: shown.map { key in
                let names: [ReportCell] = [.key(key.app), .key(key.event)]
                return ReportSectionRow(
                    names + [(current[key] ?? Bounds()).cell],
                    previous: isCompared ? names + [(previous[key] ?? Bounds()).cell] : nil)
            },
            omittedRows: keys.count - shown.count,
            notes: ["A postback may stand for several events, and counts once for each."])
    }
}

/// How many values could be decoded, by app.
struct OutcomeTable {
    private var sums: [String: (current: [DecodedConversion.Outcome: Int64], previous: [DecodedConversion.Outcome: Int64])] =
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

/// The changes of schemas in whose bands postbacks arrived. Changes of apps without such postbacks are not shown: who
/// may see one network's reports learns nothing of the apps of others.
struct ChangeTable {
    private struct Band {
        let change: SchemaChange
        let timing: PostbackTiming
        let range: Range<Int64>
        var postbacks: Int64 = 0
    }

    private var bands: [String: [Band]] = [:]
    private let decoder: RevenueDecoder

    init(_ schemas: ConversionSchemas, _ decoder: RevenueDecoder) {
        self.decoder = decoder
        for app in schemas.apps {
            bands[app.description] = schemas.changes(of: app).flatMap { change in
                PostbackTiming.allCases.map { Band(change: change, timing: $0, range: change.band($0)) }
            }
        }
    }

    mutating func add(_ row: RevenueDecoder.Row, _ count: Int64) {
        for index in bands[row.app]?.indices ?? 0..<0 {
            guard let band = bands[row.app]?[index], band.timing == row.timing,
                decoder.isWithin(band.range, segment: row.segment)
            else {
                continue
            }
            bands[row.app]?[index].postbacks += count
        }
    }

    var section: ReportSection {
        let shown = bands.keys.map { OrderedValue($0) }.sorted().flatMap { bands[$0.text] ?? [] }
            .filter { $0.postbacks > 0 }
        return ReportSection(
            name: "changes", title: "Changes of schemas",
            meaning: "Days on which postbacks of two schemas of an app may arrive, and how many arrived.",
            columns: [
                .key(.app),
                .names("day", "Day", .ours, "The first day (UTC) of the new schema."),
                .text("former", "Before", .ours, "The schema until then."),
                .text("next", "After", .ours, "The schema from then on."),
                .text("postback", "Postback", .signed, "The window, or the timer of versions up to 3.0."),
                .names("from", "From", .ours, "The first day (UTC) on which a value of the new schema can arrive."),
                .names("to", "To", .ours, "The last day (UTC) on which one of the former schema can arrive."),
                ReportSectionColumn(
                    "postbacks", "Postbacks", .count, .unsigned,
                    "Postbacks of winners received between the two, in the period."),
            ],
            rows: shown.map { band in
                let days = band.change.bandDays(band.timing)
                return ReportSectionRow([
                    .key(band.change.app.description), .key(band.change.day.description),
                    .text(band.change.former?.title ?? "none"), .text(band.change.next?.title ?? "none"),
                    .text(band.timing.title), .key(days.lowerBound.description), .key(days.upperBound.description),
                    .count(band.postbacks),
                ])
            },
            notes: [
                "A value is sent a day to \(PostbackTiming.thirdWindow.sinceValue.upperBound) days after the app set it, "
                    + "repeats included; Schemas.md derives the figures."
            ])
    }
}
