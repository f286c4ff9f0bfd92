import Attribution
import AttributionReports

/// What campaigns did, in a line: installs, what they cost and brought, and the change to the previous period.
///
/// Currencies are never added: each has figures of its own.
struct Headline {
    /// A figure of the line, with a value for each currency.
    private struct Figure {
        let title: String
        let isUnsigned: Bool
        let values: [Value]
    }

    private struct Value {
        let cells: [ReportCell]
        let previous: [ReportCell]
        let currency: String
    }

    private let figures: [Figure]

    /// Takes the installs of the overview, and the rest from a section with a row for each currency, if there is one.
    init(_ overview: StandardReport, money: ReportSection?) {
        let rows = money.map(Row.all) ?? []
        let state = overview.sections.first { $0.name == "state" }.map(Row.all) ?? []
        func figure(_ title: String, _ names: String..., of rows: [Row], isUnsigned: Bool = true) -> Figure {
            Figure(
                title: title, isUnsigned: isUnsigned,
                values: rows.map { row in
                    Value(
                        cells: names.compactMap { row[$0] }, previous: names.compactMap { row.previous($0) },
                        currency: row["currency"]?.text ?? "")
                }.filter { !$0.cells.isEmpty && !$0.cells.contains(.absent) })
        }
        figures = [
            figure("Installs", "installs", of: state, isUnsigned: false), figure("Spend", "spend", of: rows),
            figure("Revenue", "revenue-low", "revenue-high", of: rows),
            figure("Return on spend", "roas-low", "roas-high", of: rows),
            figure("Cost per install", "cost-per-install", of: rows),
        ].filter { !$0.values.isEmpty }
    }

    var html: HTML {
        HTML(.dl, .class("headline")) {
            HTML(
                figures.map { figure in
                    HTML(.div) {
                        HTML(.dt) {
                            figure.title
                            if figure.isUnsigned {
                                HTML(.span, .class("mark")) { "not signed" }
                            }
                        }
                        HTML(figure.values.map(Self.value))
                    }
                })
        }
    }

    private static func value(_ value: Value) -> HTML {
        HTML(.dd) {
            bounds(value.cells)
            if !value.currency.isEmpty {
                " "
                HTML(.span, .class("currency")) { value.currency }
            }
            if !value.previous.isEmpty, !value.previous.contains(.absent) {
                " "
                HTML(.span, .class("change")) {
                    value.cells.first.flatMap { cell in
                        value.previous.count == 1 ? cell.growth(since: value.previous[0]) : nil
                    }.map { $0 + " from " } ?? "from "
                    bounds(value.previous)
                }
            }
        }
    }

    private static func bounds(_ cells: [ReportCell]) -> HTML {
        HTML(
            cells.enumerated().map { index, cell in
                HTML([HTML(index > 0 ? " to " : ""), PageTable.Cell(content: cell).html()])
            })
    }
}

/// A row of a section, with its cells by the names of columns.
private struct Row {
    let columns: [ReportColumn]
    let row: ReportSectionRow

    static func all(of section: ReportSection) -> [Row] {
        section.rows.map { Row(columns: section.columns, row: $0) }
    }

    subscript(name: String) -> ReportCell? {
        columns.firstIndex { $0.name == name }.map { row.cells[$0] }
    }

    func previous(_ name: String) -> ReportCell? {
        columns.firstIndex { $0.name == name && $0.isCompared }.flatMap { row.previous?[$0] }
    }
}
