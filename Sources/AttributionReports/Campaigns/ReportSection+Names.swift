import Attribution

extension ReportSection {
    /// The section with columns of names beside those of ids.
    ///
    /// Campaigns have names only where the network and the app are known, in which their ids are unique.
    ///
    /// - Parameters:
    ///   - map: The names.
    ///   - days: When the postbacks of its rows were received; nil for any time.
    /// - Returns: The section; unchanged if it has no ids.
    func named(by map: CampaignMap, days: ClosedRange<CalendarDay>?) -> ReportSection {
        let names = NameColumns(columns, map, days)
        guard !names.isEmpty else {
            return self
        }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: names.columns,
            rows: rows.map(names.row), totals: totals.map(names.totals), omittedRows: omittedRows, notes: notes,
            chart: chart)
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
    /// What is added after which column.
    private let added: [Int: [Kind]]

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
        var added: [Int: [Kind]] = [:]
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
            [column] + (added[index] ?? []).map(\.column)
        }
    }

    var isEmpty: Bool {
        added.isEmpty
    }

    /// A row with its names.
    func row(_ row: ReportSectionRow) -> ReportSectionRow {
        inserting(row) { name($0, row.cells) }
    }

    /// The totals, which have no names.
    func totals(_ row: ReportSectionRow) -> ReportSectionRow {
        inserting(row) { _ in "" }
    }

    private func inserting(_ row: ReportSectionRow, _ name: (Kind) -> String) -> ReportSectionRow {
        func cells(_ cells: [ReportCell]) -> [ReportCell] {
            cells.enumerated().flatMap { index, cell in
                [cell] + (added[index] ?? []).map { .key(name($0)) }
            }
        }
        return ReportSectionRow(cells(row.cells), previous: row.previous.map(cells))
    }

    private func name(_ kind: Kind, _ cells: [ReportCell]) -> String {
        func id(_ dimension: ReportDimension) -> String {
            indices[dimension].map { cells[$0].text } ?? ""
        }
        switch kind {
        case .app: return Int64(id(.app)).flatMap { map.apps[AppStoreItemID($0)] } ?? ""
        case .sourceApp: return Int64(id(.sourceApp)).flatMap { map.sourceApps[AppStoreItemID($0)] } ?? ""
        case .campaign, .mapping:
            let name =
                if let identifier = SourceIdentifier(id(.sourceIdentifier)) {
                    map.name(ofSourceIdentifier: identifier, network: id(.network), app: id(.app), days: days)
                } else {
                    map.name(ofCampaignID: id(.campaignID), network: id(.network), app: id(.app), days: days)
                }
            return kind == .campaign ? name.text : name.mapping.rawValue
        }
    }
}
