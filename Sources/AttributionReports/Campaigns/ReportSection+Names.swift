package import Attribution
package import AttributionStore

extension ReportSection {
    /// The section with columns of names beside those of ids.
    ///
    /// Campaigns have names only where the network and the app are known, in which their ids are unique.
    ///
    /// - Parameters:
    ///   - map: The names.
    ///   - days: When the postbacks of its rows were received; nil for any time.
    ///   - budget: What the report may cost.
    /// - Returns: The section; unchanged if it has no ids.
    /// - Throws: ``AttributionStore/LedgerQuestionError`` once the deadline has passed.
    package func named(
        by map: CampaignMap,
        days: ClosedRange<CalendarDay>?,
        within budget: AnswerBudget
    ) throws(LedgerQuestionError) -> ReportSection {
        let names = NameColumns(columns, map, days)
        guard !names.isEmpty else {
            return self
        }
        var named: [ReportSectionRow] = []
        named.reserveCapacity(rows.count)
        for row in rows {
            try budget.checkDeadline()
            named.append(names.row(row))
        }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: names.columns, rows: named,
            totals: totals.map(names.totals), omittedRows: omittedRows, notes: notes, chart: chart)
    }
}

/// Columns with the names of ids, each after the ids it belongs to.
private struct NameColumns {
    /// The columns of the section with those of names.
    let columns: [ReportSectionColumn]
    private let map: CampaignMap
    private let days: ClosedRange<CalendarDay>?
    /// The indices of columns with ids, before names are added.
    private let indices: [ReportDimension: Int]
    /// What is added after each column.
    private let added: [[Kind]]
    /// The campaigns that were looked up: many rows differ only in other dimensions.
    private let known = KnownNames()

    /// A class, so that a copy of these columns does not copy the names.
    private final class KnownNames {
        var campaigns: [CampaignKey: CampaignName] = [:]
    }

    /// What identifies a campaign in a row.
    private struct CampaignKey: Hashable {
        let network: String
        let app: String
        let campaignID: String
        let sourceIdentifier: String
    }

    /// A column of names.
    private enum Kind {
        case app, sourceApp, campaign, mapping

        var column: ReportSectionColumn {
            switch self {
            case .app:
                .names("app-name", "App name", .ours, "The name of the advertised app in the file of names.")
            case .sourceApp:
                .names("source-app-name", "Source app name", .ours, "The name of the source app in the file of names.")
            case .campaign:
                .names(
                    "campaign-name", "Campaign name", .ours,
                    "The names of the groups and the campaign in the file of names; several if each is possible.")
            case .mapping:
                .names(
                    "campaign-mapping", "Name known", .ours,
                    "named; group, if only a group that the digits belong to has a name; ambiguous, if several are "
                        + "possible; or unmapped.")
            }
        }
    }

    init(_ columns: [ReportSectionColumn], _ map: CampaignMap, _ days: ClosedRange<CalendarDay>?) {
        self.map = map
        self.days = days
        var indices: [ReportDimension: Int] = [:]
        for (index, column) in columns.enumerated() {
            if let dimension = column.dimension {
                indices[dimension] = index
            }
        }
        var added: [[Kind]] = columns.map { _ in [] }
        if let index = indices[.app] {
            added[index] = [.app]
        }
        if let index = indices[.sourceApp] {
            added[index] = [.sourceApp]
        }
        let hasScope = indices[.network] != nil && indices[.app] != nil
        if hasScope, let index = [indices[.campaignID], indices[.sourceIdentifier]].compactMap(\.self).max() {
            added[index] = [.campaign, .mapping]
        }
        self.indices = indices
        self.added = added
        self.columns = columns.enumerated().flatMap { index, column in
            [column] + added[index].map(\.column)
        }
    }

    var isEmpty: Bool {
        added.allSatisfy(\.isEmpty)
    }

    /// A row with its names.
    func row(_ row: ReportSectionRow) -> ReportSectionRow {
        inserting(added.map { $0.map { name($0, row.cells) } }, row)
    }

    /// The totals, which have no names.
    func totals(_ row: ReportSectionRow) -> ReportSectionRow {
        inserting(added.map { $0.map { _ in "" } }, row)
    }

    private func inserting(_ names: [[String]], _ row: ReportSectionRow) -> ReportSectionRow {
        func cells(_ cells: [ReportCell]) -> [ReportCell] {
            var all: [ReportCell] = []
            all.reserveCapacity(columns.count)
            for (cell, names) in zip(cells, names) {
                all.append(cell)
                for name in names {
                    all.append(.key(name))
                }
            }
            return all
        }
        return ReportSectionRow(cells(row.cells), previous: row.previous.map(cells))
    }

    private func name(_ kind: Kind, _ cells: [ReportCell]) -> String {
        switch kind {
        case .app: Int64(id(.app, cells)).flatMap { map.apps[AppStoreItemID($0)] } ?? ""
        case .sourceApp: Int64(id(.sourceApp, cells)).flatMap { map.sourceApps[AppStoreItemID($0)] } ?? ""
        case .campaign: campaign(cells).text
        case .mapping: campaign(cells).mapping.rawValue
        }
    }

    private func campaign(_ cells: [ReportCell]) -> CampaignName {
        let key = CampaignKey(
            network: id(.network, cells), app: id(.app, cells), campaignID: id(.campaignID, cells),
            sourceIdentifier: id(.sourceIdentifier, cells))
        if let name = known.campaigns[key] {
            return name
        }
        let name =
            if let identifier = SourceIdentifier(key.sourceIdentifier) {
                map.name(ofSourceIdentifier: identifier, network: key.network, app: key.app, days: days)
            } else {
                map.name(ofCampaignID: key.campaignID, network: key.network, app: key.app, days: days)
            }
        known.campaigns[key] = name
        return name
    }

    private func id(_ dimension: ReportDimension, _ cells: [ReportCell]) -> String {
        indices[dimension].map { cells[$0].text } ?? ""
    }
}
