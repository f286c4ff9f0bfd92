import Attribution
import AttributionStore
package import StrictJSON

extension StandardReport {
    /// The name and version of the format, raised if the meaning of a column or key changes.
    package static let schema = "skan.standard-report/1"

    /// The report as one JSON object.
    package var json: JSONText {
        .object(scope + [("sections", .array(sections.map { .object(members($0)) }))])
    }

    /// Writes the report as one object per line.
    func writeNDJSON(to output: (String) -> Void) {
        func line(_ type: String, _ members: [(String, JSONText)]) {
            output(JSONText.object([("type", .string(type))] + members).line + "\n")
        }
        line("report", scope)
        for section in sections {
            // In every row, so that test traffic is not mistaken for real installs by a reader of rows only.
            let common: [(String, JSONText)] = [
                ("provenance", .string(request.selection.traffic.rawValue)), ("section", .string(section.name)),
            ]
            line("section", header(section))
            for row in section.rows {
                line("row", common + members(row, section))
            }
            if let totals = section.totals {
                line("totals", common + members(totals, section))
            }
        }
    }

    /// The members that describe the request and the store.
    private var scope: [(String, JSONText)] {
        [
            ("schema", .string(Self.schema)),
            ("skan-version", programVersion.map(JSONText.string) ?? .null),
            ("report", .string(name.rawValue)),
            ("title", .string(name.title)),
        ] + request.selection.members + [
            ("period", Self.json(request.period)),
            ("previous-period", Self.json(request.previous)),
            ("first-day", firstDay.map { .string($0.description) } ?? .null),
            ("as-of", .string(position.description)),
            ("recorded-at", recordedAtMilliseconds.map { .string(Moment(milliseconds: $0).text) } ?? .null),
            ("warnings", .array(warnings.map(JSONText.string))),
            ("notes", .array(notes.map(JSONText.string))),
            ("unseen", .array(unseen.map(\.json))),
        ]
    }

    private static func json(_ period: CalendarPeriod?) -> JSONText {
        period.map {
            .object([
                "from": .string($0.first.description), "to": .string($0.last.description), "days": .integer($0.count),
            ])
        } ?? .null
    }

    private func members(_ section: ReportSection) -> [(String, JSONText)] {
        header(section) + [
            ("rows", .array(section.rows.map { .object(members($0, section)) })),
            ("rows-left-out", .integer(Int64(section.omittedRows))),
            ("totals", section.totals.map { .object(members($0, section)) } ?? .null),
        ]
    }

    private func header(_ section: ReportSection) -> [(String, JSONText)] {
        [
            ("section", .string(section.name)),
            ("title", .string(section.title)),
            ("meaning", .string(section.meaning)),
            ("columns", .array(section.columns.map { .object(members($0)) })),
            ("notes", .array(section.notes.map(JSONText.string))),
        ]
    }

    private func members(_ column: ReportSectionColumn) -> [(String, JSONText)] {
        [
            ("name", .string(column.name)),
            ("kind", .string(column.kind.rawValue)),
            ("basis", .string(column.basis.name)),
            ("denominator", column.denominator.map(JSONText.string) ?? .null),
        ] + (request.isExplained ? [("definition", .string(column.definition))] : [])
    }

    /// The cells of a row by column, and those of the previous period in an object of their own.
    private func members(_ row: ReportSectionRow, _ section: ReportSection) -> [(String, JSONText)] {
        let cells = zip(section.columns, row.cells).map { ($0.name, $1.json) }
        guard section.isCompared else {
            return cells
        }
        let previous = row.previous.map { previous in
            JSONText.object(zip(section.columns, previous).filter(\.0.isCompared).map { ($0.name, $1.json) })
        }
        return cells + [("previous", previous ?? .null)]
    }
}
