import Attribution
package import AttributionReports
import AttributionStore
import StrictJSON

/// A standard report, its sections one below the other.
package struct StandardReportPage {
    private let report: StandardReport
    private let selection: PageSelection

    /// Makes the page of a report.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - selection: What was asked for.
    package init(_ report: StandardReport, _ selection: PageSelection) {
        self.report = report
        self.selection = selection
    }

    private var place: PagePlace {
        .report(report.name.rawValue)
    }

    /// The page.
    package var page: Page {
        Page(title: report.name.title, place: place, selection: selection) {
            HTML(.p) { report.name.meaning }
            PeriodPicker(selection: selection, page: place.link, days: report.days, others: []).html
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
            ? section.glance(selection, csv: csv) : section.table(of: place.link, selection).html(csv: csv)
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

    private static func definition(_ column: ReportSectionColumn) -> HTML {
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
    /// The days, as counted.
    var days: String {
        request.selection.days
    }
}

extension ReportRequest {
    /// The days, in words.
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
