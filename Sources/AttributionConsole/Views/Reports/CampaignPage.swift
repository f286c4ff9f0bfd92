import Attribution
import AttributionReports
import AttributionStore
import StrictJSON

/// What one campaign did: its installs by day, its windows and sources, and what it cost and brought.
struct CampaignPage {
    let figures: CampaignFigures
    let selection: PageSelection
    var order: TableOrder?

    private static let shown = ["windows", "sources", "conversions"]

    /// The page of the campaign that some values select; nil if they are of none.
    static func link(_ selection: PageSelection, _ values: [(ReportDimension, String)]) -> PageLink? {
        guard !values.isEmpty else {
            return nil
        }
        var selection = selection
        selection.filters.removeAll { filter in values.contains { filter.hasPrefix($0.0.rawValue + "=") } }
        selection.filters += values.map { "\($0.0.rawValue)=\($0.1)" }
        let link = selection.link(PagePlace.campaign.link)
        return link.text.utf8.count <= PageSelection.longestLink ? link : nil
    }

    /// Refuses conditions that select more than a campaign: an app of a network, and one kind of its ids.
    static func check(_ conditions: [LedgerQuestion.Condition]) throws(FieldProblem) {
        func values(_ dimension: ReportDimension) -> Int {
            conditions.filter { $0.dimension == dimension && !$0.isExcluded }.map(\.values.count).reduce(0, +)
        }
        let ids = [values(.campaignID), values(.sourceIdentifier)]
        guard values(.network) == 1, values(.app) == 1, ids.contains(0), ids != [0, 0] else {
            throw FieldProblem(
                field: "where", found: "conditions that do not select one campaign",
                expected: "network, app, and campaign-id or source-identifier")
        }
    }

    var page: Page {
        let picker = PeriodPicker(
            selection: selection, page: PagePlace.campaign.link, request: figures.overview.request,
            widerPage: PageLink())
        let view = StandardReportPage(report: figures.overview, selection: selection, order: order)
        let ofCampaign = figures.campaigns.sections.first.map { rows(of: $0) }
        return Page(title: title, place: .campaign, selection: selection, controls: picker.html) {
            HTML(.p, .class("more")) {
                HTML.link(all.link(PageLink()), "All campaigns")
            }
            picker.conditions
            HTML.traffic(figures.overview.request.selection.traffic)
            // A link to a campaign names all identifiers that may be its.
            view.remarks(unseen: figures.overview.unseen.filter { $0.dimension != .sourceIdentifier })
            figures.trend(view, .campaign, money: ofCampaign)
            if let ofCampaign {
                StandardReportPage(
                    report: figures.campaigns, selection: selection, order: order, files: selection.ofApps
                ).section(ofCampaign, .campaign, isTerse: true)
            }
            HTML(.div, .class("columns")) {
                HTML(
                    Self.shown.compactMap { name in figures.overview.sections.first { $0.name == name } }.map {
                        view.section($0, .campaign)
                    })
            }
            view.position
        }
    }

    private static let ids: [ReportDimension] = [.network, .app, .campaignID, .sourceIdentifier]

    /// The selection of all campaigns.
    private var all: PageSelection {
        var all = selection
        all.filters.removeAll { filter in Self.ids.contains { filter.hasPrefix($0.rawValue + "=") } }
        return all
    }

    /// The rows of the campaign in a table of all campaigns of its app.
    private func rows(of section: ReportSection) -> ReportSection {
        let wanted = Self.ids.map { dimension in
            (
                dimension,
                figures.overview.request.selection.conditions.filter { $0.dimension == dimension && !$0.isExcluded }
            )
        }
        let rows = section.rows.filter { row in
            wanted.allSatisfy { dimension, conditions in
                let value = section.columns.firstIndex { $0.dimension == dimension }.map { row.cells[$0].text } ?? ""
                return conditions.isEmpty || conditions.contains { $0.values.contains(value) }
            }
        }
        return ReportSection(
            name: section.name, title: "Figures", meaning: section.meaning, columns: section.columns, rows: rows,
            notes: section.notes)
    }

    /// Its name, or else its ids.
    private var title: String {
        let section = figures.overview.sections.first { $0.name == "campaigns" }
        let names = section.flatMap { section in
            section.columns.firstIndex { $0.name == "campaign-name" }.map { index in
                Set(section.rows.map { $0.cells[index].text }.filter { !$0.isEmpty })
            }
        }
        if let names, names.count == 1, let name = names.first {
            return name.shortened(to: 120)
        }
        let prefixes = [ReportDimension.sourceIdentifier, .campaignID].map { $0.rawValue + "=" }
        let id = selection.filters.first { filter in prefixes.contains { filter.hasPrefix($0) } } ?? ""
        return ("Campaign " + id.drop { $0 != "=" }.dropFirst()).shortened(to: 120)
    }
}
