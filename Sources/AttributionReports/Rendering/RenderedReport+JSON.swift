import Attribution
import StrictJSON

extension RenderedReport {
    /// Writes the report as one object per line.
    func writeNDJSON(to output: (String) -> Void) {
        func write(_ type: String, _ members: [(String, JSONText)]) {
            output(JSONText.object([("type", .string(type))] + members).line + "\n")
        }
        write("report", scope)
        for section in sectionsWithObjects {
            // In every row, so that test traffic is not mistaken for real installs by a reader of rows only.
            var common: [(String, JSONText)] = [("provenance", .string(selection.traffic.rawValue))]
            if standardName != nil {
                common.append(("section", .string(section.name)))
                write("section", section.header(isExplained: isExplained))
            }
            for row in section.rows {
                write("row", common + section.members(row))
            }
            if let totals = section.totals {
                write(
                    "totals",
                    common + (standardName == nil ? [section.omission] : [])
                        + section.members(ofTotals: totals, haveKeys: standardName != nil))
            }
        }
        if let (type, members) = lastObject {
            write(type, members)
        }
    }
}

extension ReportSection {
    /// The members with the rows and their totals.
    func table(totalsHaveKeys: Bool) -> [(String, JSONText)] {
        [
            ("rows", .array(rows.map { .object(members($0)) })), omission,
            ("totals", totals.map { .object(members(ofTotals: $0, haveKeys: totalsHaveKeys)) } ?? .null),
        ]
    }

    fileprivate var omission: (String, JSONText) {
        ("rows-left-out", .integer(Int64(omittedRows)))
    }

    /// The members that describe the section.
    func header(isExplained: Bool) -> [(String, JSONText)] {
        [
            ("section", .string(name)),
            ("title", .string(title)),
            ("meaning", .string(meaning)),
            ("columns", .array(columns.map { .object($0.members(isExplained: isExplained)) })),
            ("notes", .array(notes.map(JSONText.string))),
        ]
    }

    fileprivate func members(ofTotals totals: ReportSectionRow, haveKeys: Bool) -> [(String, JSONText)] {
        Array(members(totals).dropFirst(haveKeys ? 0 : columns.prefix { $0.kind == .key }.count))
    }

    /// The cells of a row by column, and those of the previous period in an object of their own.
    fileprivate func members(_ row: ReportSectionRow) -> [(String, JSONText)] {
        let cells = zip(columns, row.cells).map { ($0.name, $1.json) }
        guard isCompared else {
            return cells
        }
        let previous = row.previous.map { previous in
            JSONText.object(zip(columns, previous).filter(\.0.isCompared).map { ($0.name, $1.json) })
        }
        return cells + [("previous", previous ?? .null)]
    }
}

extension ReportColumn {
    fileprivate func members(isExplained: Bool) -> [(String, JSONText)] {
        [
            ("name", .string(name)),
            ("kind", .string(kind.rawValue)),
            ("basis", .string(basis.name)),
            ("denominator", denominator.map(JSONText.string) ?? .null),
        ] + (isExplained ? [("definition", .string(definition))] : [])
    }
}
