import Attribution
import AttributionReports
import AttributionStore
import StrictJSON

/// A standard report, its sections one below the other.
struct StandardReportPage {
    let report: StandardReport
    let selection: PageSelection
    /// How one of its tables is sorted; nil for the order of the report.
    var order: TableOrder?
    /// What the files of its tables select; nil for the same.
    var files: PageSelection?

    private var place: PagePlace {
        .report(report.name.rawValue)
    }

    var page: Page {
        let picker = PeriodPicker(
            selection: selection, page: place.link, request: report.request, others: TableOrder.parameters(order))
        return Page(title: report.name.title, place: place, selection: selection, controls: picker.html) {
            picker.conditions
            HTML.traffic(report.request.selection.traffic)
            HTML(.p, .class("meaning")) { report.name.meaning }
            remarks
            HTML(.div, .class("columns")) { HTML(report.sections.map { section($0, place) }) }
            position
        }
    }

    /// A section, whose rows lead to a page with a narrower selection; one without a heading follows what has one.
    func section(
        _ section: ReportSection, _ place: PagePlace, limit: Int? = nil, isTerse: Bool = false, lead: HTML = .nothing
    ) -> HTML {
        let csv = (files ?? selection).link(self.place.link).adding("section", section.name).adding("format", "csv")
        let table =
            section.isGlance
            ? section.glance(csv: csv)
            : section.table(
                section.title, order: order?.section == section.name ? order : nil, limit: limit, isTerse: isTerse,
                link: { selection.link(place.link, narrowedTo: $0, $1) },
                campaign: { CampaignPage.link(selection, $0) },
                sort: { column in sort(section.name, column, place) }
            ).html(csv: csv)
        let isWide = section.columns.count > 5 || !lead.isEmpty
        return HTML(.section, isWide ? .class("card all") : .class("card"), .ariaLabelledBy(section.name + "-title")) {
            lead
            HTML(.h2, .id(section.name + "-title")) { section.title }
            if lead.isEmpty {
                HTML(.p, .class("meaning")) { section.meaning }
            }
            if let chart = section.columnChart {
                chart.html(table: table)
            } else {
                table
            }
            HTML(section.notes.map { note in HTML(.p, .class("more")) { HTML.value(note, limit: 500) } })
            HTML(.details) {
                HTML(.summary) { "What the columns mean: \(section.title)" }
                HTML(.dl) { HTML(section.columns.map(Self.definition)) }
            }
        }
    }

    /// The greatest figures come first when a column is first chosen, the names in their order.
    private func sort(_ section: String, _ column: ReportColumn, _ place: PagePlace) -> PageTable.Column.Sort {
        let current = order.flatMap { $0.section == section && $0.column == column.name ? $0.isDescending : nil }
        let next = TableOrder(
            section: section, column: column.name, isDescending: current.map { !$0 } ?? !column.kind.isText)
        return PageTable.Column.Sort(
            link: selection.link(place.link).adding(TableOrder.parameters(next)), isDescending: current)
    }

    private static func definition(_ column: ReportColumn) -> HTML {
        HTML([
            HTML(.dt) { column.title },
            HTML(.dd) { "\(column.definition) \(column.basis.meaning.capitalizedFirst)." },
        ])
    }

    /// The store's problems, and what limits the figures.
    var remarks: HTML {
        remarks(unseen: report.unseen)
    }

    /// The remarks with some of the values that no postback has.
    func remarks(unseen: [LedgerAnswer.UnseenValue]) -> HTML {
        HTML([
            HTML(report.warnings.map { HTML.notice(.bad, $0) }),
            HTML(unseen.map { HTML.notice(.uncertain, $0.sentence) }),
            HTML(report.notes.map { note in HTML(.p, .class("more")) { HTML.value(note, limit: 1_500) } }),
        ])
    }

    /// Up to where was counted.
    var position: HTML {
        guard let position = report.shownPosition else {
            return .nothing
        }
        return HTML(.p, .class("more")) {
            "As of \(position)"
            if let recorded = report.recordedAtMilliseconds {
                ", recorded "
                HTML.moment(recorded)
            }
        }
    }
}

extension ReportRequest {
    package var days: String {
        switch (from, through) {
        case (nil, nil): "All days of \(zoneName)"
        case (let from?, nil): "From \(from), days of \(zoneName)"
        case (nil, let through?): "To \(through), days of \(zoneName)"
        case (let from?, let through?) where from == through: "\(from), a day of \(zoneName)"
        case (let from?, let through?): "\(from) to \(through), days of \(zoneName)"
        }
    }
}

extension HTML {
    /// What must not be mistaken for real installs; nothing for those.
    static func traffic(_ traffic: Traffic) -> HTML {
        switch traffic {
        case .apple: .nothing
        case .foreign:
            .notice(.uncertain, "FOREIGN postbacks, verified with Apple's keys for networks that are not ours.")
        case .development:
            .notice(.uncertain, "DEVELOPMENT postbacks, verified with Apple's keys for development: no real installs.")
        case .test: .notice(.uncertain, "TEST traffic, verified with test keys only: no real installs.")
        }
    }
}

/// What every dimension and figure means, and who vouches for it.
struct DefinitionsPage {
    var page: Page {
        let tables = [Self.dimensions, Self.figures, Self.traffic]
        return Page(title: "Definitions", place: .definitions, tables: tables) {
            HTML(.p) {
                "Apple signs most fields of a postback. What it does not sign, anyone who has the postback can change; "
                "such values are marked wherever they are shown."
            }
            HTML(tables.map { $0.card(of: PagePlace.definitions.link) })
        }
    }

    private static let dimensions = PageTable(
        id: "dimensions", caption: "Dimensions, by which postbacks can be grouped and selected",
        columns: [.init("dimension"), .init("who vouches")],
        rows: ReportDimension.allCases.map { .init([.words($0.rawValue), .words($0.basis.meaning)]) })

    private static let figures = PageTable(
        id: "figures", caption: "Figures of the free report",
        columns: [.init("figure"), .init("who vouches")],
        rows: ReportFigure.all.map { .init([.words($0.name), .words(vouching($0))]) })

    private static func vouching(_ figure: ReportFigure) -> String {
        if figure.dependsOnRedownload {
            return "Apple signs what it is counted from, except in version 1.0"
        }
        return figure.column.basis == .signed
            ? "Apple signs what it is counted from" : "no one signs what it is counted from"
    }

    private static let traffic = PageTable(
        id: "traffic", caption: "Traffic, which is never mixed",
        columns: [.init("provenance"), .init("meaning")],
        rows: Traffic.allCases.map { .init([.words($0.rawValue), .words(meaning($0))]) })

    private static func meaning(_ traffic: Traffic) -> String {
        switch traffic {
        case .apple: "verified with Apple's keys, for one of our networks: real installs"
        case .foreign: "verified with Apple's keys, for another network"
        case .development: "verified with one of Apple's development keys"
        case .test: "verified with a test key that the operator trusts"
        }
    }
}
