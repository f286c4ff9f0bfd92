import Attribution
import AttributionReports
import AttributionStore
import Testing

/// Every figure is counted a second time, from the rows as they were received.
@Suite("Campaigns as one row")
struct CampaignRollUpTests {
    static let network = "n.skadnetwork"
    static let named = ["5239", "1140", "2240"]

    /// The campaign id, the source identifier and the installs of a row as received.
    static let received: [(id: String, source: String, installs: Int64)] = [
        ("", "5239", 3), ("", "239", 2), ("", "39", 5), ("", "140", 1), ("", "2240", 4), ("", "40", 6), ("39", "", 7),
        ("40", "", 2), ("", "77", 8), ("", "6277", 1), ("", "5", 1),
    ]

    static func map() throws -> CampaignMap {
        let campaigns = named.map {
            #"{"name": "c\#($0)", "network": "\#(network)", "app": 1, "source-identifier": "\#($0)", "from": "2020-01-01"}"#
        }
        let text = "{\"version\": 1, \"campaigns\": [\(campaigns.joined(separator: ","))]}"
        return try CampaignMap(documents: [("names.json", Array(text.utf8))])
    }

    /// The section of a report with a row for each campaign, of the rows received.
    private static func section(
        _ name: StandardReportName, _ section: String, _ map: CampaignMap?, isRolledUp: Bool = true
    ) throws -> ReportSection {
        let plan = StandardReportPlan(name, ReportReferences(campaigns: map))
        let rows = received.map { row in
            var counts = Counts()
            counts.count(
                CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: false, conversion: .absent),
                times: row.installs)
            let values = plan.breakdowns[0].dimensions.map { dimension in
                switch dimension {
                case .network: network
                case .app: "1"
                case .campaignID: row.id
                case .sourceIdentifier: row.source
                case .conversionValue: "absent"
                case .version: "4.0"
                default: "0"
                }
            }
            return StandardReportFigures.Row(values: values, current: counts, previous: nil)
        }
        let request = StandardReportRequest(name: name, isRolledUp: isRolledUp, nowMilliseconds: SampleFigures.now)
        let figures = StandardReportFigures(
            request: request,
            breakdowns: [BreakdownRows(rows)] + plan.breakdowns.dropFirst().map { _ in BreakdownRows([]) })
        return try #require(plan.sections(figures).first { $0.name == section })
    }

    private static func lines(_ section: ReportSection, _ figure: String = "installs") throws -> [String] {
        let index = try #require(section.columns.firstIndex { $0.name == figure })
        let keys = section.columns.indices.filter { section.columns[$0].kind.isText }.dropFirst(2)
        return section.rows.map { row in
            (keys.map { row.cells[$0].text } + [row.cells[index].text]).joined(separator: "|")
        }
    }

    @Test("Digits that fit one campaign of the map count as its, and those that fit several are of all of them")
    func mapped() throws {
        let section = try Self.section(.campaigns, "campaigns", try Self.map())
        #expect(
            try Self.lines(section) == [
                "|5239||10", "|6277||1", "|77|perhaps 6277|8", "39|||7", "|2240||4", "|1140||1",
                "|40|of 2 campaigns: 1140, 2240|6", "40|||2", "|5||1",
            ])
        // Counted again: the installs of the digits that end one identifier of the map, and no other.
        for identifier in Self.named {
            let installs = Self.received.filter { row in
                row.source.count > 1 && Self.named.filter { $0.hasSuffix(row.source) } == [identifier]
            }.reduce(0) { $0 + $1.installs }
            #expect(try Self.lines(section).contains("|\(identifier)||\(installs)"), "\(identifier)")
        }
    }

    @Test("Without a map every identifier is a row, shorter ones below their digits with what they may be")
    func unmapped() throws {
        #expect(
            try Self.lines(try Self.section(.campaigns, "campaigns", nil)) == [
                "|6277||1", "|77|perhaps 6277|8", "39|||7", "|2240||4", "|140||1", "|40|perhaps 2240|6", "|5239||3",
                "|239|perhaps 5239|2", "|39|perhaps 5239|5", "40|||2", "|5||1",
            ])
        #expect(
            try Self.lines(try Self.section(.campaigns, "campaigns", nil, isRolledUp: false)).sorted()
                == Self.received.map { "\($0.id)|\($0.source)|\($0.installs)" }.sorted())
    }

    @Test(
        "Every report has the same campaigns, and the totals of the rows as received",
        arguments: [
            (.overview, "campaigns", "installs"), (.campaigns, "campaigns", "installs"),
            (.windows, "campaigns", "first-postbacks"), (.revenue, "campaigns", "postbacks"),
            (.costs, "impressions", "installs"), (.performance, "campaigns", "installs"),
        ] as [(StandardReportName, String, String)])
    func reports(_ name: StandardReportName, _ section: String, _ figure: String) throws {
        let all = Self.received.reduce(0) { $0 + $1.installs }
        for map in [nil, try Self.map()] {
            let rolled = try Self.section(name, section, map)
            let plain = try Self.section(name, section, map, isRolledUp: false)
            for part in [rolled, plain] {
                let index = try #require(part.columns.firstIndex { $0.name == figure })
                #expect(part.totals == nil || part.totals?.cells[index] == .count(all), "\(name)")
                #expect(part.omittedRows > 0 || part.rows.reduce(0) { $0 + $1.cells[index].count } == all, "\(name)")
            }
            let keys = Set(try Self.section(.campaigns, "campaigns", map).rows.map { Array($0.cells.prefix(5)) })
            let own = Set(rolled.rows.map { Array($0.cells.prefix(5)) })
            #expect(own == keys || name == .overview && own.isSubset(of: keys), "\(name)")
        }
    }
}

/// The figures of each test follow from its rows by hand.
@Suite("The report performance")
struct PerformanceReportTests {
    private static func sections(
        by dimensions: [ReportDimension]? = nil, spend: [(String, String, String)], hasSchema: Bool = true
    ) throws -> [ReportSection] {
        let text = """
            {"version": 1, "schemas": [{"app": 1, "from": "2025-01-01", "currency": "EUR",
              "fine": [{"value": 1, "events": ["buy"], "revenue": {"low": 2, "high": 5}}]}]}
            """
        let schemas =
            hasSchema
            ? try ConversionSchemas(documents: [("a.json", Array(text.utf8))]) : ConversionSchemas()
        let plan = StandardReportPlan(.performance, ReportReferences(schemas: schemas), by: dimensions)
        // After the last day on which the meaning of values changed.
        let segment = String(plan.breakdowns[0].cuts?.count ?? 0)
        let rows: [(source: String, conversion: Conversion, isRedownload: Bool, current: Int64, previous: Int64)] = [
            ("5239", .fine(1), false, 6, 4), ("5239", .null, true, 4, 4), ("39", .absent, false, 2, 0),
            ("2240", .fine(1), false, 5, 0),
        ]
        var costs = AdCosts()
        let network = try #require(AdNetworkID("n.skadnetwork"))
        let signed = SignedCampaign(
            network: network, app: AppStoreItemID(1), campaignID: nil,
            sourceIdentifier: ImpressionSourceIdentifier(5_239))
        costs.signed[signed] = 1_000
        for (source, currency, amount) in spend {
            let campaign = SpendCampaign(
                network: network, app: AppStoreItemID(1), campaignID: nil, sourceIdentifier: SourceIdentifier(source))
            let money: Money = try #require(Money(amount))
            costs.spend[campaign, default: [:]][try #require(CurrencyCode(currency))] = money
        }
        let request = StandardReportRequest(
            name: .performance,
            selection: ReportRequest(from: CalendarDay("2026-11-01"), through: CalendarDay("2026-11-10")),
            by: dimensions, nowMilliseconds: SampleFigures.now)
        let figures = StandardReportFigures(
            request: request, days: [try #require(CalendarDay("2026-10-25")): Counts()],
            breakdowns: [
                BreakdownRows(
                    rows.map { row in
                        let traits = CountedTraits(
                            didWin: true, sequenceIndex: 0, isRedownload: row.isRedownload, conversion: row.conversion)
                        var (current, previous) = (Counts(), Counts())
                        current.count(traits, times: row.current)
                        previous.count(traits, times: row.previous)
                        let campaign = ["n.skadnetwork", "1", "", row.source]
                        return StandardReportFigures.Row(
                            values: hasSchema
                                ? [segment] + campaign + ["4.0", "0", row.conversion.description] : campaign,
                            current: current, previous: previous)
                    }), BreakdownRows([]),
            ], costs: (costs, AdCosts()))
        return plan.sections(figures)
    }

    private static func line(_ row: ReportSectionRow?) -> String {
        (row?.cells ?? []).map { $0.text.isEmpty ? "-" : $0.text }.joined(separator: " ")
    }

    @Test("Spend, installs and revenue are in one row, with their rates and the change")
    func figures() throws {
        let sections = try Self.sections(spend: [("5239", "EUR", "90")])
        #expect(
            sections[0].columns.map(\.name) == [
                "network", "app", "campaign-id", "source-identifier", "candidates", "currency", "spend", "impressions",
                "installs", "installs-change", "installs-possible", "cost-per-install", "revenue-low", "revenue-high",
                "roas-low", "roas-high", "null-rate", "redownload-rate", "value-rate", "redownload-known",
            ])
        #expect(
            sections[0].rows.map(Self.line) == [
                // 10 after 8 installs; 90 / 10; 6 × 2…5; 12 / 90 and 30 / 90; 4 of 10 without a value, and redownloads.
                "n.skadnetwork 1 - 5239 - EUR 90.00 1000 10 0.2500 2 9.00 12.00 30.00 0.1333 0.3333 0.4000 0.4000 0.6000 10",
                "n.skadnetwork 1 - 39 perhaps 5239 - - - 2 - 0 - - - - - 1.0000 0.0000 0.0000 2",
                "n.skadnetwork 1 - 2240 - EUR - - 5 - 0 - 10.00 25.00 - - 0.0000 0.0000 1.0000 5",
            ])
        // 17 after 8 installs; 90 / 12, for 39 may be of the ads of 5239; 6, 4 and 11 of 17.
        #expect(
            Self.line(sections[0].totals)
                == "- - - - - - 90.00 1000 17 1.1250 - 7.50 22.00 55.00 0.1333 0.3333 0.3529 0.2353 0.6471 17")
        #expect(sections[1].rows.map(Self.line) == ["EUR 90.00 22.00 55.00 90.00 12 7.50 0.1333 0.3333"])
        let apps = try Self.sections(by: [.app], spend: [("5239", "EUR", "90")])[0]
        #expect(apps.rows.count == 1 && apps.columns[0].name == "app" && apps.columns[1].name == "currency")
        #expect(
            Self.line(apps.rows[0])
                == "1 EUR 90.00 1000 17 1.1250 2 7.50 22.00 55.00 0.1333 0.3333 0.3529 0.2353 0.6471 17")
    }

    @Test("Amounts of several currencies are never added, and nothing is divided by them")
    func currencies() throws {
        let sections = try Self.sections(spend: [("5239", "EUR", "90"), ("5239", "USD", "5"), ("7777", "USD", "1")])
        let names = sections[0].columns.map(\.name)
        let shown = try ["source-identifier", "currency", "spend", "cost-per-install", "roas-low"].map { name in
            try #require(names.firstIndex(of: name))
        }
        #expect(
            sections[0].rows.map { row in
                shown.map { row.cells[$0].text.isEmpty ? "-" : row.cells[$0].text }.joined(separator: " ")
            } == ["5239 EUR 90.00 - -", "5239 USD 5.00 - -", "39 - - - -", "2240 EUR - - -", "7777 USD 1.00 - -"])
        #expect(sections[0].totals == nil)
        #expect(
            sections[1].rows.map(Self.line) == ["EUR 90.00 22.00 55.00 - 0 - - -", "USD 6.00 - - 1.00 0 - - -"])
    }

    @Test("What is not known is empty, with a sentence that says how to get it")
    func unknown() throws {
        let section = try Self.sections(spend: [], hasSchema: false)[0]
        #expect(
            Self.line(section.totals) == "- - - - - - - 1000 17 1.1250 - - - - - - 0.3529 0.2353 0.6471 17")
        for cure in ["skan import --spend adds it", "--schema FILE"] {
            #expect(section.notes.filter { $0.contains(cure) }.count == 1, "\(section.notes)")
        }
    }
}
