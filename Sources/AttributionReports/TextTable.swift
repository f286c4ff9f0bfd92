/// Cells set in columns: texts to the left, figures to the right.
struct TextTable {
    private let rows: [[String]]
    private let leading: Int
    private let widths: [Int]

    /// Makes a table from rows of equal length, header first, of which the first `leading` columns are texts.
    init(_ rows: [[String]], leading: Int) {
        self.rows = rows
        self.leading = leading
        widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    }

    /// Columns apart by two spaces, a rule below the header and above the last row.
    var text: String {
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ") + "\n"
        return rows.enumerated().map { index, row in
            (index == 1 || (index == rows.count - 1 && index > 1) ? rule : "")
                + padded(row).joined(separator: "  ").trimmingTrailingSpaces + "\n"
        }.joined()
    }

    /// A table in Markdown.
    var markdown: String {
        let alignment = widths.indices.map { $0 < leading ? ":--" : "--:" }
        let lines = [rows.first ?? [], alignment] + rows.dropFirst()
        return lines.map { row in
            "| " + row.map { $0.escapingPipes }.joined(separator: " | ") + " |\n"
        }.joined()
    }

    private func padded(_ row: [String]) -> [String] {
        row.enumerated().map { column, cell in
            let space = String(repeating: " ", count: widths[column] - cell.count)
            return column < leading ? cell + space : space + cell
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " {
            text.removeLast()
        }
        return String(text)
    }

    fileprivate var escapingPipes: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
