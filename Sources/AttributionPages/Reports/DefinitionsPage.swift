import Attribution
import AttributionReports

/// What every dimension and figure means, and who vouches for it.
package struct DefinitionsPage {
    /// Makes the page.
    package init() {}

    /// The page.
    package var page: Page {
        let tables = [Self.dimensions, Self.figures, Self.traffic]
        return Page(title: "Definitions", place: .definitions, tables: tables) {
            HTML(.p) {
                "Apple signs most fields of a postback. What it does not sign, anyone who has the postback can change; "
                "such values are marked wherever they are shown."
            }
            HTML(
                tables.map { table in
                    HTML(.section, .class("card"), .ariaLabelledBy(table.id + "-caption")) {
                        table.html(csv: PagePlace.definitions.link.adding("format", "csv").adding("section", table.id))
                    }
                })
        }
    }

    private static let dimensions = PageTable(
        id: "dimensions", caption: "Dimensions, by which postbacks can be grouped and selected",
        columns: [.init("dimension"), .init("who vouches")],
        rows: ReportDimension.allCases.map { .init([.words($0.rawValue), .words($0.basis.meaning)]) })

    private static let figures = PageTable(
        id: "figures", caption: "Figures of the free report",
        columns: [.init("figure"), .init("who vouches")],
        rows: ReportColumn.all.map { .init([.words($0.name), .words(vouching($0.basis))]) })

    private static func vouching(_ basis: ReportColumn.Basis) -> String {
        switch basis {
        case .signed: "Apple signs what it is counted from"
        case .redownload: "Apple signs what it is counted from, except in version 1.0"
        case .unsigned: "no one signs what it is counted from"
        }
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
