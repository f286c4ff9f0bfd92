import Attribution
import AttributionReports
import AttributionStore
import Foundation
import TestSupport
import Testing

/// The figures of each test follow from its rows by hand.
@Suite("The report costs")
struct CostReportTests {
    static let network = "n.skadnetwork"

    /// The sections of the report on some installs and what is known of their ads.
    private static func sections(
        _ installs: [(campaign: [String], current: Int64, previous: Int64)],
        _ current: AdCosts,
        _ previous: AdCosts = AdCosts(),
        traffic: Traffic = .apple,
        top: Int? = nil
    ) throws -> [String: ReportSection] {
        var selection = ReportRequest(from: CalendarDay("2026-11-01"), through: CalendarDay("2026-11-10"))
        selection.traffic = traffic
        selection.top = top
        let request = StandardReportRequest(name: .costs, selection: selection, nowMilliseconds: 1_795_435_200_000)
        func counts(_ number: Int64) -> Counts {
            var counts = Counts()
            counts.count(
                CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: false, conversion: .absent), times: number)
            // A loss is no install.
            counts.count(
                CountedTraits(didWin: false, sequenceIndex: 0, isRedownload: false, conversion: .absent), times: 5)
            return counts
        }
        let rows = installs.map { row in
            StandardReportFigures.Row(
                values: [network, "1"] + row.campaign, current: counts(row.current), previous: counts(row.previous))
        }
        let plan = StandardReportPlan(.costs)
        let sections = plan.sections(
            StandardReportFigures(
                request: request, breakdowns: [BreakdownRows(rows)], costs: (current, previous)))
        #expect(sections.map(\.name) == plan.sectionNames)
        return Dictionary(uniqueKeysWithValues: sections.map { ($0.name, $0) })
    }

    /// Ads of a campaign: its ids, how many were signed, and what they cost.
    private static func costs(
        _ ads: [(id: Int64?, source: String?, signed: Int64?, spend: [String: String])], network: String = network
    ) throws -> AdCosts {
        var costs = AdCosts()
        let day = try #require(CalendarDay("2026-11-02"))
        let id = try #require(AdNetworkID(network))
        for ad in ads {
            let campaignID = ad.id.flatMap { CampaignID($0) }
            if let signed = ad.signed {
                let campaign = SignedCampaign(
                    network: id, app: AppStoreItemID(1), campaignID: campaignID,
                    sourceIdentifier: ad.source.flatMap { Int64($0) }.flatMap { ImpressionSourceIdentifier($0) })
                costs.signed[campaign, default: 0] += signed
                costs.signedDays[.init(network: network, app: AppStoreItemID(1)), default: []].insert(day)
            }
            for (code, amount) in ad.spend {
                let campaign = SpendCampaign(
                    network: id, app: AppStoreItemID(1), campaignID: campaignID,
                    sourceIdentifier: ad.source.flatMap { SourceIdentifier($0) })
                let currency = try #require(CurrencyCode(code))
                costs.spend[campaign, default: [:]][currency, default: .zero] += try #require(Money(amount))
                costs.spendDays[.init(network: network, app: AppStoreItemID(1)), default: []].insert(day)
            }
        }
        return costs
    }

    private static func line(_ row: ReportSectionRow?) -> String {
        guard let row else {
            return "none"
        }
        func text(_ cells: [ReportCell]) -> String {
            cells.dropFirst(2).map { $0.text.isEmpty ? "-" : $0.text }.joined(separator: " ")
        }
        return row.previous.map { "\(text(row.cells)) | \(text($0))" } ?? text(row.cells)
    }

    @Test("Identifiers are rows as received, shorter ones below their digits, and rates of totals are of all")
    func groups() throws {
        let sections = try Self.sections(
            [
                (["", "5239"], 3, 1), (["", "239"], 2, 0), (["", "39"], 5, 1), (["", "1140"], 1, 0),
                (["12", ""], 4, 0),
                (["13", ""], 7, 0),
            ],
            try Self.costs([
                (nil, "5239", 600, [:]), (nil, "1139", 400, [:]), (nil, "40", 10, [:]), (12, nil, 2_000, [:]),
                (50, nil, 30, [:]),
            ]), try Self.costs([(nil, "5239", 100, [:])]))
        let section = try #require(sections["impressions"])
        #expect(
            section.rows.map(Self.line) == [
                "12 - - 2000 4 4 2.000 | 12 - - - 0 - -",
                "- 5239 - 600 3 3 5.000 | - 5239 - 100 1 - -",
                "- 1139 - 400 0 0 0.000 | - 1139 - - 0 - -",
                "- 239 perhaps 5239 - 2 2 - | - 239 perhaps 5239 - 0 - -",
                "- 39 perhaps 1139, 5239 - 5 5 - | - 39 perhaps 1139, 5239 - 1 - -",
                "50 - - 30 0 0 0.000 | 50 - - - 0 - -",
                "- 0040 - 10 0 0 0.000 | - 0040 - - 0 - -",
                "- 1140 - - 1 1 - | - 1140 - - 0 - -",
                // Its ads were signed elsewhere: what is not known is not 0.
                "13 - - - 7 0 - | 13 - - - 0 - -",
            ])
        // 15 of the 22 installs are of campaigns whose ads were counted: 15 / 3040.
        #expect(Self.line(section.totals) == "- - - 3040 22 15 4.934 | - - - 100 2 - -")
        #expect(sections["spend"]?.rows.isEmpty == true && sections["currencies"]?.rows.isEmpty == true)
        #expect(section.notes.first == "Impressions signed: known from 2026-11-02 to 2026-11-02.")
        #expect(sections["spend"]?.notes.first?.hasPrefix("Spend: none is known for these days") == true)
    }

    @Test("Ads signed with both numbers count under the source identifier, which the campaign id may stand for")
    func bothNumbers() throws {
        let sections = try Self.sections(
            [
                (["12", ""], 3, 0), (["", "5239"], 4, 0), (["", "39"], 2, 0), (["14", ""], 1, 0), (["", "41"], 6, 0),
            ],
            try Self.costs([
                (12, "5239", 100, [:]), (13, "1139", 50, [:]), (14, nil, 10, ["USD": "2"]),
                (14, "41", nil, ["USD": "5"]),
            ]))
        let section = try #require(sections["impressions"])
        #expect(
            section.rows.map(Self.line).map { $0.components(separatedBy: " | ")[0] } == [
                "- 5239 - 100 4 4 40.000", "- 1139 - 50 0 0 0.000", "- 39 perhaps 1139, 5239 - 2 2 -",
                "12 - perhaps 5239 - 3 3 -", "- 41 - - 6 6 -", "14 - perhaps 41 10 1 1 100.000",
            ])
        // All 16 installs may be of ads that were counted.
        #expect(Self.line(section.totals).hasPrefix("- - - 160 16 16 100.000"))
        #expect(
            sections["spend"]?.rows.map(Self.line) == [
                "- 41 - USD 5.00 - - 6 1 0.8333 | - 41 - USD - - - 0 - -",
                "14 - perhaps 41 USD 2.00 10 200.00 1 0 2.00 | 14 - perhaps 41 USD - - - 0 - -",
            ])
        #expect(sections["currencies"]?.rows.map { $0.cells[5].text } == ["1.00"])
    }

    @Test("Spend is exact in each currency, and no amount of one is added to another's")
    func currencies() throws {
        let sections = try Self.sections(
            [(["1", ""], 3, 2), (["2", ""], 7, 0), (["3", ""], 0, 0), (["4", ""], 9, 0)],
            try Self.costs([
                (1, nil, 3_000, ["USD": "10"]), (2, nil, nil, ["USD": "5", "EUR": "0.1"]),
                (3, nil, nil, ["USD": "0.00001"]), (5, nil, nil, ["EUR": "0"]),
            ]), try Self.costs([(1, nil, nil, ["USD": "9.5"]), (6, nil, nil, ["JPY": "100"])]))
        #expect(
            sections["spend"]?.rows.map(Self.line) == [
                "2 - - EUR 0.10 - - 7 0 - | 2 - - EUR - - - 0 - -",
                "5 - - EUR 0.00 - - 0 0 - | 5 - - EUR - - - 0 - -",
                "6 - - JPY - - - 0 0 - | 6 - - JPY 100.00 - - 0 - -",
                // 10 / 3 and 10 * 1000 / 3000, rounded to four places.
                "1 - - USD 10.00 3000 3.3333 3 0 3.3333 | 1 - - USD 9.50 - - 2 - -",
                "2 - - USD 5.00 - - 7 0 - | 2 - - USD - - - 0 - -",
                "3 - - USD 0.00001 - - 0 0 - | 3 - - USD - - - 0 - -",
            ])
        let currencies = try #require(sections["currencies"])
        func line(_ row: ReportSectionRow) -> String {
            row.cells.map { $0.text.isEmpty ? "-" : $0.text }.joined(separator: " ")
        }
        // In USD, campaign 2 has another currency, too; 10.00001 / 3.
        #expect(
            currencies.rows.map(line) == [
                "EUR 0.10 2 0.00 0 -", "JPY - 0 - 0 -", "USD 15.00001 3 10.00001 3 3.3333",
            ])
        #expect(currencies.rows.map { $0.previous?[1].text } == ["", "100.00", "9.50"])
        // What campaign 4 cost is not known.
        #expect(sections["impressions"]?.rows.count == 3)
    }

    @Test("Quotients of money round half up, and what does not fit is marked")
    func quotients() throws {
        let cases: [(String, Int64, Int64, String?)] = [
            ("1", 3, 1, "0.3333"), ("2", 3, 1, "0.6667"), ("0.0001", 2, 1, "0.0001"), ("0.00009", 2, 1, "0.00"),
            ("1", 0, 1, nil), ("0", 7, 1_000, "0.00"), ("999999999999", 1_000, 1_000, "999999999999.00"),
            ("999999999999", 1, 1_000, ">9223372036854.775807"), ("12.34", 1, 1, "12.34"),
        ]
        for (amount, count, times, expected) in cases {
            #expect(
                try #require(Money(amount)).divided(by: count, times: times)?.description == expected, "\(amount)")
        }
    }

    @Test("Ads are not compared with development postbacks, and the greatest rows are shown first")
    func others() throws {
        let costs = try Self.costs((1...9).map { (Int64($0), nil, Int64($0) * 10, ["USD": "1"]) })
        let sections = try Self.sections([], costs, top: 2)
        #expect(sections["impressions"]?.rows.map { $0.cells[2].text } == ["9", "8"])
        #expect(sections["impressions"]?.omittedRows == 7 && sections["spend"]?.omittedRows == 7)
        #expect(sections["impressions"].map { Self.line($0.totals) }?.hasPrefix("- - - 450 0 0 0.000") == true)
        let development = try Self.sections([(["1", ""], 2, 0)], AdCosts(), traffic: .development)
        #expect(development["impressions"]?.rows.map(Self.line) == ["1 - - - 2 0 - | 1 - - - 0 - -"])
        #expect(development["impressions"]?.notes.first?.contains("those of real ads") == true)
        let test = try Self.sections([], costs, traffic: .test)
        for name in ["impressions", "spend"] {
            #expect(test[name]?.notes.contains { $0.hasPrefix("These are figures of test ads") } == true)
        }
    }

    // MARK: From a store

    private static func reporter() throws -> Reporter {
        var ledger = DailyLedger(days: 9)
        let (own, other) = (
            try costs([(nil, "5239", 1_000, ["USD": "90"])], network: "n.skadnetwork"),
            try costs([(nil, "5239", 7_777, ["USD": "77.77"])], network: "other.skadnetwork")
        )
        var all = own
        all.signed.merge(other.signed) { $0 + $1 }
        all.spend.merge(other.spend) { left, _ in left }
        all.signedDays.merge(other.signedDays) { left, _ in left }
        all.spendDays.merge(other.spendDays) { left, _ in left }
        ledger.adCosts = all
        return Reporter(ledger)
    }

    private static func report(_ filters: [String], provenance: String = "apple") async throws -> StandardReport {
        var parameters = StandardReportParameters()
        parameters.name = "costs"
        parameters.selection.period = "3d"
        parameters.selection.provenance = provenance
        parameters.selection.filters = filters
        return try await reporter().report(
            try StandardReportRequest(parameters, nowMilliseconds: 1_795_262_400_000))
    }

    @Test("Who selects a network sees nothing of another, in no format")
    func networks() async throws {
        for filters in [["network=n.skadnetwork"], ["network!=other.skadnetwork"], ["network=N.skadnetwork"]] {
            let report = try await Self.report(filters)
            for format in [ReportFormat.json, .ndjson, .table, .markdown, .html] {
                let text = report.rendered(as: format)
                #expect(!text.contains("7777") && !text.contains("77.77"), "\(filters)")
            }
            #expect(report.rendered(as: .json).contains("\"impressions\": 1000"), "\(filters)")
        }
        #expect(try await Self.report(["app=2"]).rendered(as: .json).contains("\"impressions\": null"))
        #expect(try await Self.report([]).rendered(as: .json).contains("\"impressions\": 7777"))
    }

    @Test("Test postbacks get no costs of real ads from the store")
    func provenance() async throws {
        let text = try await Self.report([], provenance: "test").rendered(as: .json)
        #expect(!text.contains("7777") && !text.contains("77.77"))
    }
}
