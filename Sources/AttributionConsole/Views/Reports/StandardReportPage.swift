import Attribution
import AttributionReports
import AttributionStore
import StrictJSON

/// A standard report, its sections one below the other.
struct StandardReportPage {
    let report: StandardReport
    let selection: PageSelection

    private var place: PagePlace {
        .report(report.name.rawValue)
    }

    var page: Page {
        Page(title: report.name.title, place: place, selection: selection) {
            HTML(.p) { report.name.meaning }
            PeriodPicker(selection: selection, page: place.link, days: report.days).html
            HTML.traffic(report.request.selection.traffic)
            remarks
            sections(of: place)
        }
    }

    /// The sections, whose rows lead to a page with a narrower selection.
    func sections(of place: PagePlace) -> HTML {
        HTML([
            HTML(.div, .class("columns")) { HTML(report.sections.map { section($0, place) }) },
            position,
        ])
    }

    private func section(_ section: ReportSection, _ place: PagePlace) -> HTML {
        let csv = selection.link(self.place.link).adding("section", section.name).adding("format", "csv")
        let table =
            section.isGlance
            ? section.glance(csv: csv)
            : section.table(section.title) { selection.link(place.link, narrowedTo: $0, $1) }.html(csv: csv)
        let isWide = section.columns.count > 5
        return HTML(.section, isWide ? .class("card all") : .class("card"), .ariaLabelledBy(section.name + "-title")) {
            HTML(.h2, .id(section.name + "-title")) { section.title }
            HTML(.p, .class("meaning")) { section.meaning }
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

    private static func definition(_ column: ReportColumn) -> HTML {
        HTML([
            HTML(.dt) { column.title },
            HTML(.dd) { "\(column.definition) \(column.basis.meaning.capitalizedFirst)." },
        ])
    }

    /// The store's problems, and what limits the figures.
    var remarks: HTML {
        HTML([
            HTML(report.warnings.map { HTML.notice(.bad, $0) }),
            HTML(report.unseen.map { HTML.notice(.uncertain, $0.sentence) }),
            HTML(report.notes.map { note in HTML(.p, .class("more")) { HTML.value(note, limit: 500) } }),
        ])
    }

    /// Up to where was counted.
    private var position: HTML {
        HTML(.p, .class("more")) {
            "As of \(report.position)"
            if let recorded = report.recordedAtMilliseconds {
                ", recorded "
                HTML.moment(recorded)
            }
        }
    }
}

extension StandardReport {
    var days: String {
        request.selection.days
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
        case .test: .notice(.uncertain, "TEST postbacks, verified with test keys only: no real installs.")
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
