package import Attribution
import AttributionStore

/// How a standard report is made: what it asks the ledger, and how it turns the answers into sections.
///
/// Every plan gets the figures by day, from one pass over all days. A breakdown costs another pass, over the period and
/// the previous one together.
package struct StandardReportPlan: Sendable {
    /// One pass over the columns, for the period and the previous one.
    package struct Breakdown: Sendable {
        package let dimensions: [ReportDimension]
        /// Values that postbacks must have, besides the request's conditions.
        let values: [(dimension: ReportDimension, values: Set<String>)]
        /// Moments at which the time of receipt is cut, in Unix milliseconds; nil for a breakdown without
        /// ``LedgerCalendar/segmentDimension``.
        package let cuts: [Int64]?

        init(_ dimensions: [ReportDimension], where values: [(dimension: ReportDimension, values: Set<String>)] = []) {
            self.dimensions = dimensions
            self.values = values
            cuts = nil
        }

        /// A breakdown whose first values are numbers of segments: 0 until the first cut, 1 from it on, and so forth.
        init(_ dimensions: [ReportDimension], cuts: [Int64]) {
            self.dimensions = [LedgerCalendar.segmentDimension] + dimensions
            values = []
            self.cuts = cuts
        }
    }

    /// The names of the sections, in order.
    package let sectionNames: [String]
    /// The passes over the columns; their answers are in ``StandardReportFigures/breakdowns``.
    package let breakdowns: [Breakdown]
    package let hasDeliveries: Bool
    /// Whether it shows what is known of ads besides their postbacks.
    package let hasCosts: Bool
    /// Whether it counts postbacks at all.
    let countsPostbacks: Bool
    /// Makes the sections, one for each name; a section may be left out.
    package let sections: @Sendable (StandardReportFigures) -> [ReportSection]

    init(
        _ sectionNames: [String],
        _ breakdowns: [Breakdown] = [],
        hasDeliveries: Bool = false,
        hasCosts: Bool = false,
        countsPostbacks: Bool = true,
        sections: @escaping @Sendable (StandardReportFigures) -> [ReportSection]
    ) {
        self.sectionNames = sectionNames
        self.breakdowns = breakdowns
        self.hasDeliveries = hasDeliveries
        self.hasCosts = hasCosts
        self.countsPostbacks = countsPostbacks
        self.sections = sections
    }

    /// The plan of a report, whose rows have the dimensions `by` instead of its own if there are any.
    package init(
        _ name: StandardReportName,
        _ references: ReportReferences = ReportReferences(),
        by dimensions: [ReportDimension]? = nil
    ) {
        let map = references.campaigns
        self =
            switch name {
            case .overview: .overview(map)
            case .performance: .performance(references, by: dimensions)
            case .campaigns: .campaigns(map, by: dimensions)
            case .sources: .sources(by: dimensions)
            case .conversions: .conversions
            case .windows: .windows(map)
            case .wins: .wins
            case .redownloads: .redownloads
            case .reEngagements: .reEngagements
            case .tiers: .tiers
            case .revenue: .revenue(references)
            case .costs: .costs(map)
            case .estimates: .estimates(references.schemas)
            case .delivery: .delivery
            }
    }
}

extension StandardReportPlan {
    /// The dimensions that tell campaigns apart: ids are unique for an app of a network alone.
    static let campaignDimensions: [ReportDimension] = [.network, .app, .campaignID, .sourceIdentifier]

    /// Installs of each campaign, with what is known of their quality.
    static func campaigns(_ map: CampaignMap?, by dimensions: [ReportDimension]? = nil) -> StandardReportPlan {
        let dimensions = CampaignRollUp.arranged(dimensions ?? campaignDimensions)
        return StandardReportPlan(["campaigns"], [Breakdown(dimensions)]) { figures in
            [
                campaignSection(
                    "campaigns", dimensions == campaignDimensions ? "Campaigns" : "Installs",
                    "Installs of each campaign of an app, those with most installs first.", figures, dimensions, map,
                    [
                        .installs.compared, .redownloads, .redownloadKnown, .redownloadRate, .conversionNull,
                        .nullRate, .conversionFine, .conversionMean, .wins, .losses, .decided, .winRate,
                        .reengagements, .postbacks,
                    ], top: figures.request.selection.top)
            ]
        }
    }

    /// A section of the first breakdown, with a row for each campaign if its dimensions begin with those of campaigns.
    private static func campaignSection(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ figures: StandardReportFigures,
        _ dimensions: [ReportDimension],
        _ map: CampaignMap?,
        _ kinds: [ReportFigure],
        top: Int?
    ) -> ReportSection {
        let hasCampaigns = dimensions.starts(with: campaignDimensions)
        let chart = dimensions.first.map { first in
            ReportChart.bars(category: (hasCampaigns ? .campaignID : first).rawValue, value: "installs")
        }
        guard hasCampaigns else {
            return SumTable(dimensions, kinds).section(
                name, title, meaning, figures.breakdowns[0], top: top, chart: chart)
        }
        var sums = CampaignSums<Counts>(map, figures.request)
        for row in figures.breakdowns[0] {
            sums.add(CampaignKey(row.values[..<4]), Array(row.values[4...]), row.current, row.previous)
        }
        return SumTable(
            keys: sums.rollUp.columns() + dimensions[4...].map { .key($0) },
            figures: kinds.map { ($0.column, $0.cell) }
        ).section(
            name, title, meaning, sums.rows, top: top, rollUp: sums.rollUp, notes: sums.rollUp.notes, chart: chart)
    }

    /// Why identifiers of different lengths have rows of their own.
    static let shortIdentifiers =
        "Source identifiers of two or three digits are the last digits of several identifiers of four; they are counted "
        + "as they arrived, and never guessed deeper."

    /// The dimensions that tell apart who showed the ad.
    static let sourceDimensions: [ReportDimension] = [.sourceApp, .sourceDomain]

    /// Installs by the app or the website that showed the ad.
    static func sources(by dimensions: [ReportDimension]? = nil) -> StandardReportPlan {
        let dimensions = dimensions ?? sourceDimensions
        return StandardReportPlan(["sources"], [Breakdown(dimensions)]) { figures in
            let table = SumTable(
                dimensions,
                [
                    .installs.compared, .redownloads, .redownloadKnown, .redownloadRate, .conversionNull, .nullRate,
                    .conversionFine, .conversionMean, .reengagements, .postbacks,
                ])
            return [
                table.section(
                    "sources", "Sources", "Installs by the app or the website that showed the ad.",
                    figures.breakdowns[0], top: figures.request.selection.top,
                    notes: [withheldSources],
                    chart: dimensions.first.map { .bars(category: $0.rawValue, value: "installs") })
            ]
        }
    }

    /// Why postbacks lack a source.
    static let withheldSources =
        "Postbacks without a source are those of small crowds, of later windows and of ads that did not win: Apple "
        + "withholds the source there."

    static let redownloads = StandardReportPlan(["days", "apps"], [Breakdown([.app])]) { figures in
        let kinds: [ReportFigure] = [
            .installs.compared, .newInstalls, .redownloads.compared, .redownloadKnown.compared,
            .redownloadRate.compared, .redownloadUnproven,
        ]
        let unproven = figures.total[.unprovenRedownloads]
        let notes =
            unproven == 0
            ? [] : ["Version 1.0 does not sign whether an install is a redownload: \(unproven) of these are its."]
        return [
            SumTable([.day], kinds).daySection(
                "days", "Redownloads by day", "New installs and redownloads by day of receipt.", figures, figures.days,
                notes: notes),
            SumTable([.app], kinds).section(
                "apps", "Redownloads by app", "New installs and redownloads of each app.", figures.breakdowns[0],
                top: figures.request.selection.top, notes: notes),
        ]
    }

    /// What was won and lost; a network alone hears of what it lost.
    static let wins = StandardReportPlan(
        ["days", "apps", "fidelity", "countries", "sources"],
        [
            // Fidelity is one of the traits, so that it costs no further cells.
            Breakdown([.app, .fidelity]), Breakdown([.country]), Breakdown(sourceDimensions),
        ]
    ) { figures in
        let top = figures.request.selection.top
        let meaning = "Ads that were credited with the install, and ads that were not."
        func section(
            _ name: String,
            _ by: String,
            _ dimensions: [ReportDimension],
            _ rows: some Sequence<StandardReportFigures.Row>,
            _ kinds: [ReportFigure] = winFigures,
            notes: [String] = []
        ) -> ReportSection {
            SumTable(dimensions, kinds).section(
                name, "Wins and losses by \(by)", meaning, rows, top: top, notes: notes)
        }
        return [
            SumTable([.day], winFigures).daySection(
                "days", "Wins and losses by day", meaning, figures, figures.days,
                notes: ["Versions before 3.0 do not say who won, and count as neither."]),
            section("apps", "app", [.app], figures.breakdowns[0].grouped(by: 0)),
            section("fidelity", "fidelity", [.fidelity], figures.breakdowns[0].grouped(by: 1)),
            section("countries", "country", [.country], figures.breakdowns[1], notes: [lostCountries(figures)]),
            section(
                "sources", "source", sourceDimensions, figures.breakdowns[2], [.wins.compared, .losses.compared],
                notes: ["Apple never names the source of an ad that lost, so there is no rate by source."]),
        ]
    }

    private static let winFigures: [ReportFigure] = [
        .wins.compared, .losses.compared, .decided.compared, .winRate.compared,
    ]

    /// How far rates by country can be trusted.
    private static func lostCountries(_ figures: StandardReportFigures) -> String {
        let unnamed = figures.breakdowns[1].first { $0.values == [""] }?.current[.losses] ?? 0
        let all = figures.total[.losses]
        return "\(unnamed) of \(all) losses name no country, so rates by country are those of the others."
    }
}

extension StandardReportPlan {
    /// How many campaigns and sources the overview has.
    private static let overviewRows = 10

    /// Whether all is well, and the most important figures of the other reports, from three passes.
    static func overview(_ map: CampaignMap?) -> StandardReportPlan {
        StandardReportPlan(
            ["state", "days", "campaigns", "sources", "conversions", "windows", "deliveries", "quarantine"],
            [Breakdown(campaignDimensions), Breakdown(sourceDimensions)], hasDeliveries: true
        ) { figures in overviewSections(figures, map) }
    }

    /// The sections, of which those of deliveries are left out if these were not counted.
    private static func overviewSections(_ figures: StandardReportFigures, _ map: CampaignMap?) -> [ReportSection] {
        let top = min(figures.request.selection.top ?? overviewRows, overviewRows)
        var sections = [
            stateSection(figures),
            SumTable([.day], [.installs.compared, .redownloads, .redownloadKnown, .redownloadRate]).daySection(
                "days", "Installs by day", "Installs by day of receipt.", figures, figures.days),
            campaignSection(
                "campaigns", "Top campaigns", "The campaigns with most installs.", figures, campaignDimensions, map,
                [.installs.compared, .conversionNull, .nullRate], top: top),
            SumTable(sourceDimensions, [.installs.compared, .conversionNull, .nullRate]).section(
                "sources", "Top sources", "The apps and websites whose ads brought most installs.",
                figures.breakdowns[1], top: top, notes: [withheldSources],
                chart: .bars(category: ReportDimension.sourceApp.rawValue, value: "installs")),
            conversionSection("conversions", figures), funnelSection(figures).named("windows"),
        ]
        if let (current, previous) = figures.deliveries {
            sections += [
                outcomeSection(current, previous).named("deliveries"), quarantineSection(current, previous),
            ]
        }
        return sections
    }

    /// One row with the state of the store and the totals of the period.
    private static func stateSection(_ figures: StandardReportFigures) -> ReportSection {
        let totals: [ReportFigure] = [
            .postbacks.compared, .installs.compared, .secondWindow.compared, .thirdWindow.compared,
            .reengagements.compared, .losses.compared,
        ]
        let recordedAt = figures.request.selection.isLimited ? nil : figures.recordedAtMilliseconds
        let state: [ReportCell] = [
            figures.isRecording.map { .key($0 ? "yes" : "no") } ?? .absent,
            recordedAt.map(ReportCell.time) ?? .absent,
        ]
        let builds = figures.breakdowns[1].ofDevelopmentBuilds
        func cells(_ counts: Counts, _ builds: Counts?) -> [ReportCell] {
            state + totals.map { $0.cell(counts) } + [.count(builds?[.postbacks] ?? 0)]
        }
        return ReportSection(
            name: "state", title: "At a glance",
            meaning: "Whether postbacks are recorded, and the totals of the period.",
            columns: [
                .names(
                    "recording", "Recording", .ours, "Whether the server that answers can record; unknown elsewhere."),
                ReportColumn(
                    "last-recorded", "Last recorded", .time, .ours, "When the last postback was recorded."),
            ] + totals.map(\.column) + [
                ReportColumn(
                    "development-builds", "Of development builds", .count, .signed,
                    "Postbacks of ads in apps signed for development, source app 0; the other figures include them.",
                    isCompared: true)
            ],
            rows: [
                ReportSectionRow(
                    cells(figures.total, builds.current),
                    previous: figures.previousTotal.map { cells($0, builds.previous) })
            ])
    }
}
