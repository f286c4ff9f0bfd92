import Attribution

extension StandardReportPlan {
    /// What conversion values are worth by the schemas of their apps.
    static func revenue(_ references: ReportReferences) -> StandardReportPlan {
        let schemas = references.schemas
        let decoder = RevenueDecoder(schemas)
        return StandardReportPlan(
            ["totals", "apps", "windows", "campaigns", "events", "outcomes", "changes"],
            [Breakdown(RevenueDecoder.dimensions, cuts: decoder.cuts)]
        ) { figures in
            var sections = RevenueSections(
                schemas, decoder, CampaignRollUp(references.campaigns, figures.request),
                isCompared: figures.request.previous != nil)
            for row in figures.breakdowns[0] {
                sections.add(row)
            }
            return sections.all(top: figures.request.selection.top)
        }
    }

    /// Why there is no revenue.
    static let noSchemas = "No schema is known, so no value has a meaning: give schema files."
}

/// Collects the sections of the revenue report in one pass over the rows.
private struct RevenueSections {
    private let decoder: RevenueDecoder
    private let hasSchemas: Bool
    private var totals: RevenueTable
    private var apps: RevenueTable
    private var windows: RevenueTable
    private var rollUp: CampaignRollUp
    private var campaigns: RevenueTable
    private var events: KeyedSums<EventSums>
    private var outcomes: KeyedSums<CountsByKind<DecodedConversion.Outcome>>
    private var changes: ChangeTable

    init(_ schemas: ConversionSchemas, _ decoder: RevenueDecoder, _ rollUp: CampaignRollUp, isCompared: Bool) {
        self.decoder = decoder
        self.rollUp = rollUp
        hasSchemas = !schemas.apps.isEmpty
        let kind = ReportColumn.names(
            "kind", "Kind", .signed, "install, or re-engagement of AdAttributionKit; the two are never added here.")
        let window = ReportColumn.names(
            "window", "Window", .signed, "The conversion window, 1 to 3; 1 for versions up to 3.0.")
        totals = RevenueTable([kind], isCompared: isCompared)
        apps = RevenueTable([.key(.app), kind], isCompared: isCompared)
        windows = RevenueTable([kind, window], isCompared: isCompared)
        campaigns = RevenueTable(rollUp.columns() + [kind], isCompared: isCompared)
        events = KeyedSums(isCompared: isCompared)
        outcomes = KeyedSums(isCompared: isCompared)
        changes = ChangeTable(schemas, decoder, isCompared: isCompared)
    }

    /// Adds a row of the breakdown.
    mutating func add(_ row: StandardReportFigures.Row) {
        guard let decoded = decoder.row(row.values) else {
            return
        }
        let all = (current: row.current.withValues, previous: row.previous?.withValues)
        let again = (current: row.current.reengagementPostbacks, previous: row.previous?.reengagementPostbacks)
        add(decoded, "install", all.current - again.current, all.previous.map { $0 - (again.previous ?? 0) })
        add(decoded, "re-engagement", again.current, again.previous)
    }

    private mutating func add(_ row: RevenueDecoder.Row, _ kind: String, _ current: Int64, _ previous: Int64?) {
        guard current > 0 || previous ?? 0 > 0 else {
            return
        }
        totals.add([kind], row.decoded, current, previous)
        apps.add([row.app, kind], row.decoded, current, previous)
        windows.add([kind, String(row.window + 1)], row.decoded, current, previous)
        let campaign = rollUp.campaign(CampaignKey(row.campaign[...]))
        campaigns.add(campaign.values + [kind], row.decoded, current, previous)
        for event in row.decoded.possibleEvents {
            let isCertain = row.decoded.events.contains(event)
            events.add([row.app, event], current, previous) { sums, count in
                sums.certain += isCertain ? count : 0
                sums.possible += count
            }
        }
        outcomes.add([row.app], current, previous) { $0[row.decoded.outcome] += $1 }
        changes.add(row, current, previous)
    }

    func all(top: Int?) -> [ReportSection] {
        [
            totals.section(
                "totals", "Revenue", "What the conversion values of all postbacks are worth, in each currency.",
                notes: Self.notes + (hasSchemas ? [] : [StandardReportPlan.noSchemas])),
            apps.section("apps", "Revenue by app", "What the values of each app are worth.", top: top),
            windows.section("windows", "Revenue by window", "What the values of each conversion window are worth."),
            campaigns.section(
                "campaigns", "Revenue by campaign", "What the values of each campaign are worth.", top: top,
                rollUp: rollUp, notes: rollUp.notes),
            eventSection(top: top), outcomeSection, changes.section,
        ]
    }

    private static let notes = [
        "Revenue follows from conversion values, which no one signs, and from the schemas given; it is a bound, not a "
            + "measurement. Withheld values have no revenue here, which does not mean that there was none.",
        "The values of later windows are about the same installs as those of the first: whether their revenue adds up "
            + "depends on what the app counts in each window.",
    ]

    /// The events that values stand for, by app.
    private func eventSection(top: Int?) -> ReportSection {
        let table = SumTable<EventSums>(
            keys: [.key(.app), .names("event", "Event", .ours, "The name of the event in the schema.")],
            figures: [
                (
                    ReportColumn(
                        "postbacks", "Postbacks", .counts, .unsigned,
                        "Postbacks whose value stands for the event: at least those for which no other schema is "
                            + "possible.", isCompared: true), { .counts($0.certain...$0.possible) }
                )
            ])
        let (shown, omitted) = ReportSection.greatest(Array(events.rows.values), top: top) { left, right in
            left.current.possible == right.current.possible
                ? left.values.lexicographicallyPrecedes(right.values) : left.current.possible > right.current.possible
        }
        return ReportSection(
            name: "events", title: "Events", meaning: "What people did, by the meaning of the values.",
            columns: table.columns, rows: shown.map { table.row($0.values, $0.current, $0.previous) },
            omittedRows: omitted, notes: ["A postback may stand for several events, and counts once for each."])
    }

    /// How many values could be decoded, by app.
    private var outcomeSection: ReportSection {
        let outcomes = DecodedConversion.Outcome.allCases.map { outcome in
            (
                ReportColumn(
                    outcome.rawValue, outcome.words.title, .count, .unsigned, outcome.words.definition,
                    isCompared: true), { (sums: CountsByKind) in ReportCell.count(sums[outcome]) }
            )
        }
        let all = ReportColumn(
            "postbacks", "Postbacks", .count, .signed, "The sum of the other columns.", isCompared: true)
        return SumTable(keys: [.key(.app)], figures: outcomes + [(all, { .count($0.sum) })]).section(
            "outcomes", "What the values could be decoded to",
            "Every postback of a winner once; a postback without a value, or with one that means nothing, "
                + "is not one with revenue 0.", self.outcomes.sorted, isCompared: changes.isCompared, ranks: 0)
    }
}

/// How often an event happened: for certain, and possibly.
private struct EventSums: Summable {
    var certain: Int64 = 0
    var possible: Int64 = 0

    static func += (lhs: inout Self, rhs: Self) {
        lhs.certain += rhs.certain
        lhs.possible += rhs.possible
    }
}

/// The changes of schemas in whose bands postbacks arrived.
///
/// Changes of apps without such postbacks are not shown: who may see one network's reports learns nothing of the apps
/// of others.
private struct ChangeTable {
    private struct Band {
        let change: SchemaChange
        let timing: PostbackTiming
        let range: Range<Int64>
        var current: Int64 = 0
        var previous: Int64 = 0
    }

    private var bands: [String: [Band]] = [:]
    private let decoder: RevenueDecoder
    let isCompared: Bool

    init(_ schemas: ConversionSchemas, _ decoder: RevenueDecoder, isCompared: Bool) {
        self.decoder = decoder
        self.isCompared = isCompared
        for app in schemas.apps {
            bands[app.description] = schemas.changes(of: app).flatMap { change in
                PostbackTiming.allCases.map { Band(change: change, timing: $0, range: change.band($0)) }
            }
        }
    }

    mutating func add(_ row: RevenueDecoder.Row, _ current: Int64, _ previous: Int64?) {
        for (index, band) in (bands[row.app] ?? []).enumerated()
        where band.timing == row.timing && decoder.isWithin(band.range, segment: row.segment) {
            bands[row.app]?[index].current += current
            bands[row.app]?[index].previous += previous ?? 0
        }
    }

    private static let columns: [ReportColumn] = [
        .key(.app),
        .names("day", "Day", .ours, "The first day (UTC) of the new schema."),
        .names("former", "Before", .ours, "The schema until then."),
        .names("next", "After", .ours, "The schema from then on."),
        .names("postback", "Postback", .signed, "The window, or the timer of versions up to 3.0."),
        .names("from", "From", .ours, "The first day (UTC) on which a value of the new schema can arrive."),
        .names("to", "To", .ours, "The last day (UTC) on which one of the former schema can arrive."),
        ReportColumn(
            "postbacks", "Postbacks", .count, .unsigned,
            "Postbacks of winners received between the two, in the period.", isCompared: true),
    ]

    var section: ReportSection {
        let apps = bands.keys.map { OrderedValue($0) }.sorted()
        let shown = apps.flatMap { bands[$0.text] ?? [] }.filter { $0.current > 0 || $0.previous > 0 }
        return ReportSection(
            name: "changes", title: "Changes of schemas",
            meaning: "Days on which postbacks of two schemas of an app may arrive, and how many arrived.",
            columns: Self.columns,
            rows: shown.map(row),
            notes: [
                "A value is sent a day to \(PostbackTiming.thirdWindow.sinceValue.upperBound) days after the app set it, "
                    + "repeats included; Schemas.md derives the figures."
            ])
    }

    private func row(_ band: Band) -> ReportSectionRow {
        let days = band.change.bandDays(band.timing)
        let keys = [
            band.change.app.description, band.change.day.description, band.change.former?.title ?? "none",
            band.change.next?.title ?? "none", band.timing.title, days.lowerBound.description,
            days.upperBound.description,
        ].map(ReportCell.key)
        return ReportSectionRow(
            keys + [.count(band.current)], previous: isCompared ? keys + [.count(band.previous)] : nil)
    }
}

extension DecodedConversion.Outcome {
    /// The heading of a column, and what the outcome means.
    fileprivate var words: (title: String, definition: String) {
        switch self {
        case .revenue: ("Revenue", "The value has one meaning, with revenue.")
        case .between:
            ("Of two schemas", "The value may be of either of two schemas, both with revenue in one currency.")
        case .eventsOnly: ("Events only", "The value has a meaning that says nothing of revenue.")
        case .undecided:
            (
                "Undecided",
                "The value may be of either of two schemas that cannot be compared: in one it has no meaning, no "
                    + "revenue, or another currency."
            )
        case .unmapped: ("Without meaning", "The app's schema gives the value no meaning.")
        case .withoutSchema:
            ("Without schema", "The value may have been set on a day for which the app has no schema.")
        case .null: ("Null", "The value is null: the app set none, or Apple withheld it.")
        case .absent: ("Absent", "The postback has no field for a value.")
        case .invalid: ("Invalid", "The value is out of range, or fine and coarse at once.")
        }
    }
}
