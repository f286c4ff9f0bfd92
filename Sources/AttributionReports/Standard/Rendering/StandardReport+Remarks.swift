import Attribution

extension StandardReport {
    /// Which postbacks, days and filters, and the days they are compared with.
    func subject(_ style: TextStyle) -> String {
        let compared = request.previous.map { period in
            "compared with \(period.first == period.last ? "\(period.first)" : "\(period.first) to \(period.last)")"
        }
        return [request.selection.title(style), compared].compactMap(\.self).joined(separator: style.separator)
    }

    /// The position, with which the report can be repeated, and the version of the program.
    func asOfLine(_ style: TextStyle) -> String {
        style.asOfLine(position, recordedAtMilliseconds: recordedAtMilliseconds, programVersion: programVersion)
    }

    /// What a reader of all sections has to know.
    var allNotes: [String] {
        notes + unseen.map(\.sentence)
    }

    /// The warnings and notes, for formats such as CSV that have no room for them.
    ///
    /// - Parameter style: The width and characters of the lines.
    /// - Returns: Lines no wider than the style's width.
    package func remarks(_ style: TextStyle) -> [String] {
        let lines =
            [subject(style), asOfLine(style)] + warnings.map { "WARNING: \($0)." } + allNotes
            + sections.flatMap { $0.notes + [$0.omittedRowsLine, $0.unsignedLine].compactMap(\.self) }
        return lines.map { style.wrapped($0.inCharacters(of: style)) }
    }
}

extension ReportSection {
    /// The number of rows left out, if any.
    var omittedRowsLine: String? {
        omittedRows == 0
            ? nil : "… and \(omittedRows) more row\(omittedRows == 1 ? "" : "s"); the totals include all rows."
    }

    /// The columns that anyone who has a postback can change, if any.
    var unsignedLine: String? {
        let names = columns.filter { $0.basis == .unsigned }.map(\.name)
        return names.isEmpty ? nil : "Not signed by Apple: \(names.joined(separator: ", "))."
    }

    /// A line for each column: what it counts, and who vouches for it.
    var definitions: [(column: ReportSectionColumn, text: String)] {
        columns.map { column in
            let denominator = column.denominator.map { " Denominator: \($0)." } ?? ""
            return (column, "\(column.definition)\(denominator) (\(column.basis.meaning))")
        }
    }
}
