package import Attribution
package import AttributionStore

extension ReportSection {
    /// The section with columns of names, each after the ids it belongs to; unchanged if it has no ids.
    ///
    /// Campaigns have names only where the network and the app are known, in which their ids are unique.
    package func named(
        by map: CampaignMap,
        days: ClosedRange<CalendarDay>?,
        within budget: AnswerBudget
    ) throws(LedgerQuestionError) -> ReportSection {
        var names = NameColumns(columns, map, days)
        guard !names.isEmpty else {
            return self
        }
        var named: [ReportSectionRow] = []
        named.reserveCapacity(rows.count)
        for row in rows {
            try budget.checkDeadline()
            named.append(names.row(row))
        }
        return with(names.columns, named, totals: totals.map { names.row($0, isTotal: true) })
    }

    /// The section of a free report with columns of names; its rows are still made on access.
    func named(by map: CampaignMap, days: ClosedRange<CalendarDay>?) -> ReportSection {
        let names = NameColumns(columns, map, days)
        guard !names.isEmpty else {
            return self
        }
        @Sendable func named(_ row: ReportSectionRow, isTotal: Bool = false) -> ReportSectionRow {
            var names = names
            return names.row(row, isTotal: isTotal)
        }
        let rows = rows
        return with(
            names.columns, ReportSectionRows(count: rows.count) { named(rows[$0]) },
            totals: totals.map { named($0, isTotal: true) })
    }
}

extension ReportRequest {
    /// The days (UTC) on which its postbacks may have been received; nil for any.
    var namedDays: ClosedRange<CalendarDay>? {
        // Days of other time zones begin and end up to a day apart.
        from.map { $0.advanced(by: -1)...(through ?? CalendarDay(number: 1 << 32)).advanced(by: 1) }
    }
}

/// Columns with the names of ids, each after the ids it belongs to.
private struct NameColumns {
    /// The columns of the section with those of names.
    let columns: [ReportColumn]
    private let map: CampaignMap
    private let days: ClosedRange<CalendarDay>?
    /// The indices of columns with ids, before names are added.
    private let indices: [ReportDimension: Int]
    /// What is added after each column.
    private let added: [[Kind]]
    /// The campaigns that were looked up, by their ids: many rows differ only in other dimensions.
    private var known: [[String]: CampaignName] = [:]

    private enum Kind {
        case app, sourceApp, campaign, mapping

        var column: ReportColumn {
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

    init(_ columns: [ReportColumn], _ map: CampaignMap, _ days: ClosedRange<CalendarDay>?) {
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
        (self.map, self.days, self.indices, self.added) = (map, days, indices, added)
        self.columns = zip(columns, added).flatMap { [$0] + $1.map(\.column) }
    }

    var isEmpty: Bool {
        added.allSatisfy(\.isEmpty)
    }

    /// A row with its names, which totals do not have.
    mutating func row(_ row: ReportSectionRow, isTotal: Bool = false) -> ReportSectionRow {
        var names: [[ReportCell]] = []
        for kinds in added {
            names.append(kinds.map { kind in .key(isTotal ? "" : name(kind, row.cells)) })
        }
        func cells(_ cells: [ReportCell]) -> [ReportCell] {
            zip(cells, names).flatMap { [$0] + $1 }
        }
        return ReportSectionRow(cells(row.cells), previous: row.previous.map(cells))
    }

    private mutating func name(_ kind: Kind, _ cells: [ReportCell]) -> String {
        switch kind {
        case .app: Int64(id(.app, cells)).flatMap { map.apps[AppStoreItemID($0)] } ?? ""
        case .sourceApp: Int64(id(.sourceApp, cells)).flatMap { map.sourceApps[AppStoreItemID($0)] } ?? ""
        case .campaign: campaign(cells).text
        case .mapping: campaign(cells).mapping.rawValue
        }
    }

    private mutating func campaign(_ cells: [ReportCell]) -> CampaignName {
        let ids = [.network, .app, .campaignID, .sourceIdentifier].map { id($0, cells) }
        if let name = known[ids] {
            return name
        }
        let name =
            if let identifier = SourceIdentifier(ids[3]) {
                map.name(ofSourceIdentifier: identifier, network: ids[0], app: ids[1], days: days)
            } else {
                map.name(ofCampaignID: ids[2], network: ids[0], app: ids[1], days: days)
            }
        known[ids] = name
        return name
    }

    private func id(_ dimension: ReportDimension, _ cells: [ReportCell]) -> String {
        indices[dimension].map { cells[$0].text } ?? ""
    }
}
