import Attribution

extension StandardReportPlan {
    /// What conversion values are worth by the schemas of their apps.
    static func revenue(_ schemas: ConversionSchemas) -> StandardReportPlan {
        let decoder = RevenueDecoder(schemas)
        return StandardReportPlan(
            ["totals", "apps", "windows", "campaigns", "events", "outcomes", "changes"],
            [Breakdown(RevenueDecoder.dimensions, cuts: decoder.cuts)]
        ) { figures in
            var sections = RevenueSections(schemas, decoder, isCompared: figures.request.previous != nil)
            for row in figures.breakdowns[0] {
                sections.add(row)
            }
            return sections.all(top: figures.request.selection.top)
        }
    }
}

/// Collects the sections of the revenue report in one pass over the rows.
struct RevenueSections {
    private let schemas: ConversionSchemas
    private let decoder: RevenueDecoder
    private var totals: RevenueTable
    private var apps: RevenueTable
    private var windows: RevenueTable
    private var campaigns: RevenueTable
    private var events: EventTable
    private var outcomes: OutcomeTable
    private var changes: ChangeTable

    init(_ schemas: ConversionSchemas, _ decoder: RevenueDecoder, isCompared: Bool) {
        self.schemas = schemas
        self.decoder = decoder
        let kind = ReportSectionColumn.names(
            "kind", "Kind", .signed, "install, or re-engagement of AdAttributionKit; the two are never added here.")
        let window = ReportSectionColumn.names(
            "window", "Window", .signed, "The conversion window, 1 to 3; 1 for versions up to 3.0.")
        totals = RevenueTable([kind], isCompared: isCompared)
        apps = RevenueTable([.key(.app), kind], isCompared: isCompared)
        windows = RevenueTable([kind, window], isCompared: isCompared)
        campaigns = RevenueTable(
            StandardReportPlan.campaignDimensions.map { .key($0) } + [kind], isCompared: isCompared)
        events = EventTable(isCompared: isCompared)
        outcomes = OutcomeTable(isCompared: isCompared)
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
        campaigns.add(row.campaign + [kind], row.decoded, current, previous)
        events.add(row, current, previous)
        outcomes.add(row, current, previous)
        changes.add(row, current, previous)
    }

    /// The sections, in order.
    func all(top: Int?) -> [ReportSection] {
        [
            totals.section(
                "totals", "Revenue", "What the conversion values of all postbacks are worth, in each currency.",
                notes: Self.notes + (schemas.apps.isEmpty ? [Self.noSchemas] : [])),
            apps.section("apps", "Revenue by app", "What the values of each app are worth.", top: top),
            windows.section("windows", "Revenue by window", "What the values of each conversion window are worth."),
            campaigns.section(
                "campaigns", "Revenue by campaign", "What the values of each campaign are worth.", top: top,
                notes: [StandardReportPlan.shortIdentifiers]),
            events.section(top: top), outcomes.section, changes.section,
        ]
    }

    private static let notes = [
        "Revenue follows from conversion values, which no one signs, and from the schemas given; it is a bound, not a "
            + "measurement. Withheld values have no revenue here, which does not mean that there was none.",
        "The values of later windows are about the same installs as those of the first: whether their revenue adds up "
            + "depends on what the app counts in each window.",
    ]
    private static let noSchemas = "No schema is known, so no value has a meaning: give schema files."
}
